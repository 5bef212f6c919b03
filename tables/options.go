package tables

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
)

// Options of CloudFormation and Terraform. The zero value works.
type Options struct {
	// PointInTimeRecovery keeps what the tables held in the last 35 days. AWS bills it
	// by the GB. Defaults to false.
	PointInTimeRecovery bool

	// Disposable tables are deleted with their stack. By default they are protected from
	// deletion, and survive the deletion of the stack.
	Disposable bool

	// Roles get policies. Defaults to all.
	Roles []Role
}

// allFeatures is the name of the policies that are for every feature at once.
const allFeatures = "all"

// policy is a managed policy of a template.
type policy struct {
	feature string // allFeatures, or one
	role    Role
	grants  []Grant
}

// plan is everything that a template describes.
type plan struct {
	Options
	tables   []Table
	policies []policy
}

// of returns the table with a name.
func (p plan) of(name string) Table {
	return p.tables[slices.IndexFunc(p.tables, func(t Table) bool { return t.Name() == name })]
}

func planOf(ts []Table, opts *Options) (plan, error) {
	p := plan{Options: args.Given(opts)}
	if len(p.Roles) == 0 {
		p.Roles = Roles()
	}
	for i, role := range p.Roles {
		if !slices.Contains(Roles(), role) || slices.Contains(p.Roles[:i], role) {
			return plan{}, &plaza.InvalidError{Field: "Options.Roles", Reason: "must be different roles of this package"}
		}
	}
	if err := check(ts); err != nil {
		return plan{}, err
	}
	p.tables = ts
	for _, role := range p.Roles {
		all := Grants(ts, role)
		features := 0
		for _, t := range ts {
			own := slices.DeleteFunc(slices.Clone(all), func(g Grant) bool { return g.Feature != t.Feature })
			if len(own) > 0 {
				p.policies = append(p.policies, policy{t.Feature, role, own})
				features++
			}
		}
		if features > 1 {
			p.policies = append(p.policies, policy{allFeatures, role, all})
		}
	}
	return p, nil
}

var (
	// featureName makes names of CloudFormation and Terraform.
	featureName = regexp.MustCompile(`^[a-z][a-z0-9]{0,31}$`)
	// DynamoDB's rules.
	tableName     = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)
	attributeName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,255}$`)
)

// check refuses tables that the templates cannot describe completely.
func check(ts []Table) error {
	features, names := map[string]bool{}, map[string]bool{}
	for i, t := range ts {
		refuse := func(field, reason string) error {
			return &plaza.InvalidError{Field: fmt.Sprintf("tables[%d].%s", i, field), Reason: reason}
		}
		switch {
		case !featureName.MatchString(t.Feature) || t.Feature == allFeatures || features[t.Feature]:
			return refuse("Feature", "must be a name of its own: a-z and 0-9, up to 32")
		case t.Create == nil:
			return refuse("Create", "is missing")
		case !tableName.MatchString(t.Name()) || names[t.Name()]:
			return refuse("Create.TableName", "must be a name of its own: 3 to 255 of a-z, A-Z, 0-9, _ . -")
		case t.Create.BillingMode != types.BillingModePayPerRequest:
			return refuse("Create.BillingMode", "must be PAY_PER_REQUEST")
		case !reflect.DeepEqual(*t.Create, known(t.Create)):
			return refuse("Create", "has fields that this text does not carry")
		case t.TTL != nil && (t.TTL.TimeToLiveSpecification == nil || !isName(t.TTL.TimeToLiveSpecification.AttributeName) ||
			t.TTL.TableName == nil || *t.TTL.TableName != t.Name()):
			return refuse("TTL", "must name an attribute of this table")
		}
		if !wellFormed(t.Create) {
			return refuse("Create", "must name its attributes, keys and indexes as DynamoDB does")
		}
		features[t.Feature], names[t.Name()] = true, true
	}
	return nil
}

// known returns c with only those fields that the templates carry.
func known(c *dynamodb.CreateTableInput) dynamodb.CreateTableInput {
	k := dynamodb.CreateTableInput{
		TableName: c.TableName, BillingMode: c.BillingMode, AttributeDefinitions: c.AttributeDefinitions, KeySchema: c.KeySchema,
		LocalSecondaryIndexes: c.LocalSecondaryIndexes, StreamSpecification: c.StreamSpecification,
	}
	for _, i := range c.GlobalSecondaryIndexes {
		k.GlobalSecondaryIndexes = append(k.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: i.IndexName, KeySchema: i.KeySchema, Projection: i.Projection,
		})
	}
	return k
}

func wellFormed(c *dynamodb.CreateTableInput) bool {
	for _, a := range c.AttributeDefinitions {
		if !isName(a.AttributeName) || !slices.Contains(a.AttributeType.Values(), a.AttributeType) {
			return false
		}
	}
	if s := c.StreamSpecification; s != nil && (s.StreamEnabled == nil || !slices.Contains(s.StreamViewType.Values(), s.StreamViewType)) {
		return false
	}
	for _, i := range indexesOf(c) {
		if i.projection == nil || !tableName.MatchString(i.name) || !isKey(i.keys) ||
			!slices.Contains(i.projection.ProjectionType.Values(), i.projection.ProjectionType) {
			return false
		}
		for _, name := range i.projection.NonKeyAttributes {
			if !isName(&name) {
				return false
			}
		}
	}
	return isKey(c.KeySchema)
}

// isKey reports whether these are a partition key and perhaps a sort key.
func isKey(keys []types.KeySchemaElement) bool {
	if len(keys) == 0 || len(keys) > 2 {
		return false
	}
	for i, k := range keys {
		if !isName(k.AttributeName) || k.KeyType != []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}[i] {
			return false
		}
	}
	return true
}

func isName(s *string) bool { return s != nil && attributeName.MatchString(*s) }

// index is what a global and a local index have in common.
type index struct {
	name       string
	local      bool
	keys       []types.KeySchemaElement
	projection *types.Projection
}

func indexesOf(c *dynamodb.CreateTableInput) []index {
	var out []index
	for _, i := range c.LocalSecondaryIndexes {
		out = append(out, index{aws.ToString(i.IndexName), true, i.KeySchema, i.Projection})
	}
	for _, i := range c.GlobalSecondaryIndexes {
		out = append(out, index{aws.ToString(i.IndexName), false, i.KeySchema, i.Projection})
	}
	return out
}
