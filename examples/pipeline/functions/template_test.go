package functions_test

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/lambdatest"
	"github.com/plaza-sdk/plaza/examples/internal/samtest"
	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// template is what these tests read of template.yaml.
type template struct {
	Parameters map[string]struct {
		Type     string
		Default  any
		MinValue int
	}
	Conditions map[string]json.RawMessage
	Globals    struct {
		Function struct {
			Runtime, Handler string
			Architectures    []string
			MemorySize       int
		}
	}
	Resources map[string]struct {
		Type       string
		Condition  string
		Metadata   struct{ BuildMethod string }
		Properties json.RawMessage
	}
	Outputs map[string]struct{ Value string }
}

func readTemplate(t *testing.T) template {
	t.Helper()
	return samtest.Read[template](t, "../template.yaml")
}

// properties reads those of a resource, which must be of this kind and have no
// other properties than P.
func properties[P any](t *testing.T, from template, name, kind string) P {
	t.Helper()
	require.Equal(t, kind, from.Resources[name].Type, name)
	d := json.NewDecoder(bytes.NewReader(from.Resources[name].Properties))
	d.DisallowUnknownFields()
	var p P
	require.NoError(t, d.Decode(&p), name)
	return p
}

const toLetters = "!GetAtt DeadLetters.Arn"

func TestTheStreamIsReadFromItsStartAndFailuresAreDeadLetters(t *testing.T) {
	type mapping struct {
		EventSourceArn, FunctionName, StartingPosition string
		BatchSize                                      int
		FunctionResponseTypes                          []string
		BisectBatchOnFunctionError                     bool
		MaximumRetryAttempts                           int
		MaximumRecordAgeInSeconds                      int
		DestinationConfig                              struct{ OnFailure struct{ Destination string } }
	}
	want := mapping{
		EventSourceArn: "!Ref DynamoDBStreamArn", FunctionName: "!Ref FanoutLambda", StartingPosition: "TRIM_HORIZON", BatchSize: 100,
		FunctionResponseTypes: []string{"ReportBatchItemFailures"}, BisectBatchOnFunctionError: true,
		MaximumRetryAttempts: 10, MaximumRecordAgeInSeconds: 12 * 60 * 60,
	}
	want.DestinationConfig.OnFailure.Destination = toLetters
	require.Equal(t, want, properties[mapping](t, readTemplate(t), "FanoutSource", "AWS::Lambda::EventSourceMapping"))
}

type statement struct {
	Effect    string
	Action    oneOrMany
	Resource  string
	Principal struct{ Service string }
	Condition map[string]map[string]oneOrMany
}

type document struct {
	Version   string
	Statement []statement
}

// oneOrMany is a text or a list of them.
type oneOrMany []string

func (l *oneOrMany) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(l))
	}
	*l = make(oneOrMany, 1)
	return json.Unmarshal(text, &(*l)[0])
}

type functionProperties struct {
	CodeURI           string `json:"CodeUri"`
	Timeout           int
	Environment       struct{ Variables map[string]string }
	Policies          []document
	EventInvokeConfig *invokeConfig
	Events            map[string]struct {
		Type       string
		Properties struct{ ApiId, Method, Path string } //nolint:revive // the template's name
	}
}

type invokeConfig struct {
	MaximumRetryAttempts, MaximumEventAgeInSeconds int
	DestinationConfig                              struct {
		OnFailure struct{ Type, Destination string }
	}
}

func functionOf(t *testing.T, from template, name string) functionProperties {
	t.Helper()
	return properties[functionProperties](t, from, name, "AWS::Serverless::Function")
}

// A bus invokes the consumer asynchronously: without a destination its events
// would be dropped after the last attempt.
func TestAnEventThatTheConsumerGivesUpOnIsADeadLetter(t *testing.T) {
	want := &invokeConfig{MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 3600}
	want.DestinationConfig.OnFailure.Type, want.DestinationConfig.OnFailure.Destination = "SQS", toLetters
	require.Equal(t, want, functionOf(t, readTemplate(t), "ConsumerLambda").EventInvokeConfig)
}

func TestTheRulesTakeTheSourcesOfTheFanOut(t *testing.T) {
	type target struct {
		ID          string `json:"Id"`
		Arn         string
		RoleArn     string
		InputPath   string
		RetryPolicy struct{ MaximumRetryAttempts, MaximumEventAgeInSeconds int }

		DeadLetterConfig struct{ Arn string }
	}
	type rule struct {
		Description  string
		EventBusName json.RawMessage
		EventPattern map[string][]string
		Targets      []target
	}
	from := readTemplate(t)
	for _, c := range []struct{ rule, source, target, role, path string }{
		{"UpdateRule", hackathon.UpdateSource, "!GetAtt ConsumerLambda.Arn", "", ""},
		{"OperationsRule", hackathon.OperationsSource, "!GetAtt Archive.Arn", "!GetAtt OperationsRuleRole.Arn", "$.detail"},
	} {
		got := properties[rule](t, from, c.rule, "AWS::Events::Rule")
		require.Equal(t, map[string][]string{"source": {c.source}}, got.EventPattern)
		require.JSONEq(t, `{"!If":["CreatesEventBus","!Ref Bus","!Ref EventBusName"]}`, string(got.EventBusName))
		require.Len(t, got.Targets, 1)
		to := got.Targets[0]
		require.Equal(t, []string{c.target, c.role, c.path, toLetters}, []string{to.Arn, to.RoleArn, to.InputPath, to.DeadLetterConfig.Arn})
		require.Equal(t, 20, to.RetryPolicy.MaximumRetryAttempts)
		require.Equal(t, 3600, to.RetryPolicy.MaximumEventAgeInSeconds)
	}

	// Only these rules may invoke the consumer and write to the queue.
	permission := properties[map[string]string](t, from, "ConsumerPermission", "AWS::Lambda::Permission")
	require.Equal(t, map[string]string{
		"Action": "lambda:InvokeFunction", "FunctionName": "!Ref ConsumerLambda", "Principal": "events.amazonaws.com", "SourceArn": "!GetAtt UpdateRule.Arn",
	}, permission)
	policy := properties[struct {
		Queues         []string
		PolicyDocument document
	}](t, from, "DeadLettersPolicy", "AWS::SQS::QueuePolicy")
	require.Equal(t, []string{"!Ref DeadLetters"}, policy.Queues)
	require.Equal(t, []statement{{
		Effect: "Allow", Action: oneOrMany{"sqs:SendMessage"}, Resource: toLetters, Principal: struct{ Service string }{"events.amazonaws.com"},
		Condition: map[string]map[string]oneOrMany{"ArnEquals": {"aws:SourceArn": {"!GetAtt UpdateRule.Arn", "!GetAtt OperationsRule.Arn"}}},
	}}, policy.PolicyDocument.Statement)
}

func TestTheBusIsCreatedUnlessItExists(t *testing.T) {
	from := readTemplate(t)
	require.Equal(t, "fanoutBus", from.Parameters["EventBusName"].Default)
	require.Equal(t, "CreatesEventBus", from.Resources["Bus"].Condition)
	require.JSONEq(t, `{"!And":[{"!Equals":["!Ref CreateEventBus","true"]},{"!Not":[{"!Equals":["!Ref EventBusName","default"]}]}]}`,
		string(from.Conditions["CreatesEventBus"]))
	require.Equal(t, map[string]string{"Name": "!Ref EventBusName"}, properties[map[string]string](t, from, "Bus", "AWS::Events::EventBus"))
	require.EqualValues(t, 3, from.Parameters["EventBridgeMaxAttempt"].Default)
	require.Equal(t, 1, from.Parameters["EventBridgeMaxAttempt"].MinValue)
	require.Nil(t, from.Parameters["DynamoDBStreamArn"].Default)
}

func TestTheTablesAreThoseOfTheSchemas(t *testing.T) {
	type table struct {
		BillingMode             types.BillingMode
		AttributeDefinitions    []types.AttributeDefinition
		KeySchema               []types.KeySchemaElement
		GlobalSecondaryIndexes  []types.GlobalSecondaryIndex
		TimeToLiveSpecification *types.TimeToLiveSpecification
	}
	expiry := leaderboard.TTL("").TimeToLiveSpecification
	for name, c := range map[string]struct {
		schema *dynamodb.CreateTableInput
		expiry *types.TimeToLiveSpecification
	}{"Leaderboard": {leaderboard.Table(""), expiry}, "Machines": {lease.Table(""), nil}} {
		want := table{c.schema.BillingMode, c.schema.AttributeDefinitions, c.schema.KeySchema, c.schema.GlobalSecondaryIndexes, c.expiry}
		require.Equal(t, want, properties[table](t, readTemplate(t), name, "AWS::DynamoDB::Table"))
	}
}

// allowed are the calls that a function's policies allow.
func (p functionProperties) allowed(t *testing.T) map[lambdatest.Call]bool {
	t.Helper()
	calls := map[lambdatest.Call]bool{}
	for _, policy := range p.Policies {
		for _, s := range policy.Statement {
			require.Equal(t, "Allow", s.Effect)
			on := map[string]lambdatest.Call{
				"!Ref DynamoDBStreamArn":                {Table: "the stream"},
				"!GetAtt Leaderboard.Arn":               {Table: "Leaderboard"},
				"!Sub ${Leaderboard.Arn}/index/ranking": {Table: "Leaderboard", Index: "ranking"},
				"!GetAtt Machines.Arn":                  {Table: "Machines"},
				toLetters:                               {Table: "DeadLetters"},
				"!Sub arn:${AWS::Partition}:events:${AWS::Region}:${AWS::AccountId}:event-bus/${EventBusName}": {Table: "the bus"},
			}
			call, ok := on[s.Resource]
			require.True(t, ok, s.Resource)
			for _, call.Action = range s.Action {
				calls[call] = true
			}
		}
	}
	return calls
}

func TestThePoliciesAllowWhatTheFunctionsCallAndNothingElse(t *testing.T) {
	w := newWorld(t, func(action string) bool { return action == "events:PutEvents" })
	_, err := w.fanout.invoke(t, event(t, "dynamodbStream.json")) // the queue gets what the bus refuses
	require.NoError(t, err)
	for _, name := range []string{"insertEvent.json", "updateEvent.json", "deleteEvent.json"} {
		_, err := w.consumer.invoke(t, event(t, name))
		require.NoError(t, err)
	}
	require.Empty(t, w.board(t, "StarWar"))

	from := readTemplate(t)
	for name, c := range map[string]struct {
		f      function
		unseen []lambdatest.Call
	}{
		"FanoutLambda": {w.fanout, []lambdatest.Call{ // Lambda itself reads the stream, for which AWS asks these four
			{Action: "dynamodb:DescribeStream", Table: "the stream"},
			{Action: "dynamodb:GetRecords", Table: "the stream"},
			{Action: "dynamodb:GetShardIterator", Table: "the stream"},
			{Action: "dynamodb:ListStreams", Table: "the stream"},
		}},
		"ConsumerLambda": {w.consumer, []lambdatest.Call{{Action: "dynamodb:UpdateItem", Table: "Machines"}}}, // a renewal, after half a minute
		"LeaderGet":      {w.leaderget, nil},
	} {
		want := map[lambdatest.Call]bool{}
		for call := range c.f.Calls() {
			call.Table = w.tables[call.Table]
			switch call.Action {
			case "events:PutEvents":
				call.Table = "the bus"
			case "sqs:SendMessage":
				call.Table = "DeadLetters"
			}
			want[call] = true
		}
		for _, call := range c.unseen {
			want[call] = true
		}
		require.Equal(t, want, functionOf(t, from, name).allowed(t), name)
	}
}

func TestTheServicesRolesMayWriteOnlyTheArchive(t *testing.T) {
	type role struct {
		AssumeRolePolicyDocument document
		Policies                 []struct {
			PolicyName     string
			PolicyDocument document
		}
	}
	from := readTemplate(t)
	for name, c := range map[string]struct {
		service string
		may     map[string]oneOrMany
	}{
		"OperationsRuleRole": {"events.amazonaws.com", map[string]oneOrMany{
			"!GetAtt Archive.Arn": {"firehose:PutRecord", "firehose:PutRecordBatch"},
		}},
		"ArchiveRole": {"firehose.amazonaws.com", map[string]oneOrMany{
			"!GetAtt ArchiveBucket.Arn":   {"s3:GetBucketLocation", "s3:ListBucket", "s3:ListBucketMultipartUploads"},
			"!Sub ${ArchiveBucket.Arn}/*": {"s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"},
		}},
	} {
		got := properties[role](t, from, name, "AWS::IAM::Role")
		require.Equal(t, []statement{{
			Effect: "Allow", Action: oneOrMany{"sts:AssumeRole"}, Principal: struct{ Service string }{c.service},
			Condition: map[string]map[string]oneOrMany{"StringEquals": {"aws:SourceAccount": {"!Ref AWS::AccountId"}}},
		}}, got.AssumeRolePolicyDocument.Statement)
		may := map[string]oneOrMany{}
		for _, policy := range got.Policies {
			for _, s := range policy.PolicyDocument.Statement {
				require.Equal(t, "Allow", s.Effect)
				may[s.Resource] = s.Action
			}
		}
		require.Equal(t, c.may, may, name)
	}
}

func TestTheFunctionsAreBuiltAndGivenWhatTheyRead(t *testing.T) {
	from := readTemplate(t)
	require.Equal(t, []string{"!Ref Architecture"}, from.Globals.Function.Architectures)
	require.Equal(t, "provided.al2023", from.Globals.Function.Runtime)
	require.Equal(t, "bootstrap", from.Globals.Function.Handler)
	if runtime.GOARCH == "amd64" {
		require.Equal(t, "x86_64", from.Parameters["Architecture"].Default)
	}
	for name, variables := range map[string]map[string]string{
		"FanoutLambda":   {"EVENT_BUS_NAME": "!Ref EventBusName", "EVENT_BRIDGE_MAX_ATTEMPT": "!Ref EventBridgeMaxAttempt", "DEAD_LETTER_QUEUE_URL": "!Ref DeadLetters"},
		"ConsumerLambda": {"LEADERBOARD_TABLE": "!Ref Leaderboard", "MACHINES_TABLE": "!Ref Machines", "STREAM_ARN": "!Ref DynamoDBStreamArn"},
		"LeaderGet":      {"LEADERBOARD_TABLE": "!Ref Leaderboard"},
	} {
		f := functionOf(t, from, name)
		require.Equal(t, "go1.x", from.Resources[name].Metadata.BuildMethod)
		require.Equal(t, variables, f.Environment.Variables)
		folder := "functions/" + strings.ToLower(strings.TrimSuffix(name, "Lambda"))
		require.Equal(t, folder, f.CodeURI)
		program, err := os.ReadFile("../" + folder + "/main.go")
		require.NoError(t, err)
		for variable := range variables {
			require.Contains(t, string(program), `os.Getenv("`+variable+`")`)
		}
		require.Equal(t, len(variables), strings.Count(string(program), "os.Getenv("), name)
	}
}

func TestTheBoardIsAtItsURL(t *testing.T) {
	from := readTemplate(t)
	routes := map[string]bool{}
	for _, e := range functionOf(t, from, "LeaderGet").Events {
		require.Equal(t, []string{"HttpApi", "!Ref Api"}, []string{e.Type, e.Properties.ApiId})
		routes[e.Properties.Method+" "+e.Properties.Path] = true
	}
	require.Equal(t, map[string]bool{"GET /leaderBoard": true, "GET /leaderBoard/": true}, routes)
	api := properties[struct {
		StageName            string
		DefaultRouteSettings json.RawMessage
	}](t, from, "Api", "AWS::Serverless::HttpApi")
	require.Equal(t, "Prod", api.StageName)
}

func TestTheOutputsHaveTheirNames(t *testing.T) {
	got := map[string]string{}
	for name, o := range readTemplate(t).Outputs {
		got[name] = o.Value
	}
	require.Equal(t, map[string]string{
		"FanoutDlqUrl": "!Ref DeadLetters", "FanoutLambdaName": "!Ref FanoutLambda", "ConsumerLambdaName": "!Ref ConsumerLambda",
		"LeaderGet": "!GetAtt LeaderGet.Arn", "LeaderGetIamRole": "!GetAtt LeaderGetRole.Arn",
		"LeaderGetApi": "!Sub https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}/Prod/leaderBoard/",
	}, got)
}
