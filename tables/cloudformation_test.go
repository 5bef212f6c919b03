package tables_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/tables"
)

// tableProperties are all that a table of the template may have.
type tableProperties struct {
	TableName                        string
	BillingMode                      types.BillingMode
	AttributeDefinitions             []types.AttributeDefinition
	KeySchema                        []types.KeySchemaElement
	LocalSecondaryIndexes            []types.LocalSecondaryIndex
	GlobalSecondaryIndexes           []types.GlobalSecondaryIndex
	TimeToLiveSpecification          *types.TimeToLiveSpecification
	StreamSpecification              *struct{ StreamViewType types.StreamViewType }
	PointInTimeRecoverySpecification *types.PointInTimeRecoverySpecification
	DeletionProtectionEnabled        bool
}

// input is what CloudFormation would create the table with.
func (p tableProperties) input() *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName: &p.TableName, BillingMode: p.BillingMode, AttributeDefinitions: p.AttributeDefinitions, KeySchema: p.KeySchema,
		LocalSecondaryIndexes: p.LocalSecondaryIndexes, GlobalSecondaryIndexes: p.GlobalSecondaryIndexes,
	}
	if p.StreamSpecification != nil {
		in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: p.StreamSpecification.StreamViewType}
	}
	return in
}

func (p tableProperties) expiry() *dynamodb.UpdateTimeToLiveInput {
	if p.TimeToLiveSpecification == nil {
		return nil
	}
	return &dynamodb.UpdateTimeToLiveInput{TableName: &p.TableName, TimeToLiveSpecification: p.TimeToLiveSpecification}
}

// listed are all tables, one of them with a stream.
func listed() []tables.Table {
	ts := tables.All("app-")
	ts[2] = ts[2].WithStream()
	return ts
}

func TestCloudFormationDescribesTheTables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts      *tables.Options
		protected bool
		deletion  string
		recovery  *types.PointInTimeRecoverySpecification
	}{
		"protected":  {nil, true, "Retain", nil},
		"disposable": {&tables.Options{Disposable: true}, false, "Delete", nil},
		"recoverable": {
			&tables.Options{PointInTimeRecovery: true}, true, "Retain",
			&types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := templateOf(t, listed(), c.opts)
			found := 0
			for id, r := range read.Resources {
				if r.Type == "AWS::DynamoDB::Table" {
					found++
					require.Equal(t, c.deletion, r.DeletionPolicy, id)
				}
			}
			require.Len(t, listed(), found)
			for _, table := range listed() {
				id := title(table.Feature)
				p := properties[tableProperties](t, read, id, "AWS::DynamoDB::Table")
				require.Equal(t, table.Create, p.input(), id)
				require.Equal(t, table.TTL, p.expiry(), id)
				require.Equal(t, c.protected, p.DeletionProtectionEnabled, id)
				require.Equal(t, c.recovery, p.PointInTimeRecoverySpecification, id)
				require.JSONEq(t, `{"Ref":"`+id+`"}`, string(read.Outputs[id+"Name"].Value))
				require.JSONEq(t, `{"Fn::GetAtt":["`+id+`","Arn"]}`, string(read.Outputs[id+"Arn"].Value))
				_, streamed := read.Outputs[id+"StreamArn"]
				require.Equal(t, table.Create.StreamSpecification != nil, streamed, id)
			}
		})
	}
}

// aws cloudformation deploy sends a text of up to 51,200 bytes without a bucket, and
// IAM takes a managed policy of up to 6,144 characters, without white space.
func TestTheTextsAreWithinAWSsLimits(t *testing.T) {
	t.Parallel()
	ts := tables.All("an-application-with-a-long-name-in-production-")
	for i := range ts {
		ts[i] = ts[i].WithStream()
	}
	var text bytes.Buffer
	require.NoError(t, tables.CloudFormation(&text, ts, &tables.Options{PointInTimeRecovery: true}))
	require.Less(t, text.Len(), 51_200)
	for _, role := range tables.Roles() {
		text.Reset()
		opts := &tables.PolicyOptions{Partition: "aws-us-gov", Region: "us-gov-west-1", Account: "123456789012"}
		require.NoError(t, tables.Policy(&text, tables.Grants(ts, role), opts))
		require.Less(t, len(regexp.MustCompile(`\s`).ReplaceAll(text.Bytes(), nil)), 6_144, role)
	}
}

func TestCFNLintFindsNothing(t *testing.T) {
	t.Parallel()
	program := os.Getenv("CFN_LINT")
	if program == "" && !faults.Full() {
		t.Skip("CFN_LINT does not name the program cfn-lint")
	}
	require.NotEmpty(t, program, "CFN_LINT must name the program cfn-lint")
	for name, opts := range map[string]*tables.Options{
		"default": nil,
		"other":   {PointInTimeRecovery: true, Disposable: true, Roles: []tables.Role{tables.Worker}},
	} {
		var text bytes.Buffer
		require.NoError(t, tables.CloudFormation(&text, listed(), opts))
		file := filepath.Join(t.TempDir(), name+".json")
		require.NoError(t, os.WriteFile(file, text.Bytes(), 0o600))
		out, err := exec.CommandContext(t.Context(), program, "--region", "us-east-1", "--template", file).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

func TestEqualTablesGiveEqualText(t *testing.T) {
	t.Parallel()
	var first, second bytes.Buffer
	for range 20 {
		first.Reset()
		second.Reset()
		for _, text := range []*bytes.Buffer{&first, &second} {
			require.NoError(t, tables.CloudFormation(text, listed(), nil))
			require.NoError(t, tables.Terraform(text, listed(), nil))
			require.NoError(t, tables.Policy(text, tables.Grants(listed()), nil))
		}
		require.Equal(t, first.String(), second.String())
	}
}
