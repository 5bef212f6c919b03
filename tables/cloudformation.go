package tables

import (
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// cfTemplate is a template of CloudFormation.
type cfTemplate struct {
	AWSTemplateFormatVersion string
	Description              string
	Resources                map[string]cfResource
	Outputs                  map[string]cfOutput
}

type cfResource struct {
	Type                string
	DeletionPolicy      string `json:",omitempty"`
	UpdateReplacePolicy string `json:",omitempty"`
	Properties          any
}

type cfOutput struct{ Value any }

type cfTable struct {
	TableName                        string
	BillingMode                      types.BillingMode
	AttributeDefinitions             []types.AttributeDefinition
	KeySchema                        []types.KeySchemaElement
	LocalSecondaryIndexes            []cfIndex   `json:",omitempty"`
	GlobalSecondaryIndexes           []cfIndex   `json:",omitempty"`
	TimeToLiveSpecification          *cfTTL      `json:",omitempty"`
	StreamSpecification              *cfStream   `json:",omitempty"`
	PointInTimeRecoverySpecification *cfRecovery `json:",omitempty"`
	DeletionProtectionEnabled        bool
}

type cfIndex struct {
	IndexName  string
	KeySchema  []types.KeySchemaElement
	Projection cfProjection
}

type cfProjection struct {
	ProjectionType   types.ProjectionType
	NonKeyAttributes []string `json:",omitempty"`
}

type cfTTL struct {
	AttributeName string
	Enabled       bool
}

type cfStream struct{ StreamViewType types.StreamViewType }

type cfRecovery struct{ PointInTimeRecoveryEnabled bool }

type cfPolicy struct {
	Description    string
	PolicyDocument document
}

// CloudFormation writes a template in JSON that creates the tables, and managed policies
// of each feature and role. Its outputs have the names and ARNs of the tables and
// streams, and the ARNs of the policies. Equal arguments give equal text. IAM attaches at
// most ten policies to a role by default, so each role also has one policy for all the
// features.
func CloudFormation(w io.Writer, ts []Table, opts *Options) error {
	p, err := planOf(ts, opts)
	if err != nil {
		return err
	}
	t := cfTemplate{
		AWSTemplateFormatVersion: "2010-09-09",
		Description:              "The tables of Plaza, and who may use them.",
		Resources:                map[string]cfResource{},
		Outputs:                  map[string]cfOutput{},
	}
	for _, table := range ts {
		id := logicalID(table.Feature)
		r := cfResource{Type: "AWS::DynamoDB::Table", Properties: p.cfTable(table), DeletionPolicy: "Delete", UpdateReplacePolicy: "Delete"}
		if !p.Disposable {
			r.DeletionPolicy, r.UpdateReplacePolicy = "Retain", "Retain"
		}
		t.Resources[id] = r
		t.Outputs[id+"Name"] = cfOutput{map[string]string{"Ref": id}}
		t.Outputs[id+"Arn"] = cfOutput{getAtt(id, "Arn")}
		if table.hasStream() {
			t.Outputs[id+"StreamArn"] = cfOutput{getAtt(id, "StreamArn")}
		}
	}
	for _, made := range p.policies {
		id := logicalID(made.feature) + logicalID(string(made.role)) + "Policy"
		t.Resources[id] = cfResource{Type: "AWS::IAM::ManagedPolicy", Properties: cfPolicy{
			Description:    made.description(),
			PolicyDocument: policyOf(made.grants, p.cfARN),
		}}
		t.Outputs[id+"Arn"] = cfOutput{map[string]string{"Ref": id}}
	}
	return writeJSON(w, t)
}

func (p policy) description() string {
	if p.feature == allFeatures {
		return "What the " + string(p.role) + " of every feature of Plaza may do."
	}
	return "What the " + string(p.role) + " of Plaza's " + p.feature + " may do."
}

func (p plan) cfTable(t Table) cfTable {
	out := cfTable{
		TableName:                 t.Name(),
		BillingMode:               t.Create.BillingMode,
		AttributeDefinitions:      t.Create.AttributeDefinitions,
		KeySchema:                 t.Create.KeySchema,
		DeletionProtectionEnabled: !p.Disposable,
	}
	for _, i := range indexesOf(t.Create) {
		written := cfIndex{i.name, i.keys, cfProjection{i.projection.ProjectionType, i.projection.NonKeyAttributes}}
		if i.local {
			out.LocalSecondaryIndexes = append(out.LocalSecondaryIndexes, written)
		} else {
			out.GlobalSecondaryIndexes = append(out.GlobalSecondaryIndexes, written)
		}
	}
	if t.TTL != nil {
		s := t.TTL.TimeToLiveSpecification
		out.TimeToLiveSpecification = &cfTTL{aws.ToString(s.AttributeName), aws.ToBool(s.Enabled)}
	}
	if t.hasStream() {
		out.StreamSpecification = &cfStream{t.Create.StreamSpecification.StreamViewType}
	}
	if p.PointInTimeRecovery {
		out.PointInTimeRecoverySpecification = &cfRecovery{true}
	}
	return out
}

func (p plan) cfARN(on resource) any {
	id := logicalID(p.of(on.table).Feature)
	switch {
	case on.stream:
		return getAtt(id, "StreamArn")
	case on.index != "":
		return map[string]string{"Fn::Sub": "${" + id + ".Arn}/index/" + on.index}
	}
	return getAtt(id, "Arn")
}

func getAtt(id, attribute string) any { return map[string][]string{"Fn::GetAtt": {id, attribute}} }

func logicalID(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
