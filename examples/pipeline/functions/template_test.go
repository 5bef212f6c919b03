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
	require.JSONEq(t, `{"EventSourceArn":"!Ref DynamoDBStreamArn","FunctionName":"!Ref FanoutLambda","StartingPosition":"TRIM_HORIZON","BatchSize":100,
		"FunctionResponseTypes":["ReportBatchItemFailures"],"BisectBatchOnFunctionError":true,
		"MaximumRetryAttempts":10,"MaximumRecordAgeInSeconds":43200,"DestinationConfig":{"OnFailure":{"Destination":"!GetAtt DeadLetters.Arn"}}}`,
		string(readTemplate(t).Resources["FanoutSource"].Properties))
}

type functionProperties struct {
	CodeURI           string `json:"CodeUri"`
	Timeout           int
	Environment       struct{ Variables map[string]string }
	Policies          []struct{ Statement []statement }
	EventInvokeConfig json.RawMessage
	Events            map[string]struct {
		Type       string
		Properties struct{ ApiId, Method, Path string } //nolint:revive // the template's name
	}
}

type statement struct {
	Effect   string
	Action   oneOrMany
	Resource string
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

func functionOf(t *testing.T, from template, name string) functionProperties {
	t.Helper()
	return properties[functionProperties](t, from, name, "AWS::Serverless::Function")
}

// A bus invokes the consumer asynchronously: without a destination its events
// would be dropped after the last attempt.
func TestAnEventThatTheConsumerGivesUpOnIsADeadLetter(t *testing.T) {
	require.JSONEq(t, `{"MaximumRetryAttempts":2,"MaximumEventAgeInSeconds":3600,"DestinationConfig":{"OnFailure":{"Type":"SQS","Destination":"!GetAtt DeadLetters.Arn"}}}`,
		string(functionOf(t, readTemplate(t), "ConsumerLambda").EventInvokeConfig))
}

func TestTheRulesTakeTheSourcesOfTheFanOut(t *testing.T) {
	from := readTemplate(t)
	for name, c := range map[string]struct{ source, target string }{
		"UpdateRule":     {hackathon.UpdateSource, `"Id":"consumer","Arn":"!GetAtt ConsumerLambda.Arn"`},
		"OperationsRule": {hackathon.OperationsSource, `"Id":"archive","Arn":"!GetAtt Archive.Arn","RoleArn":"!GetAtt OperationsRuleRole.Arn","InputPath":"$.detail"`},
	} {
		rule := properties[map[string]json.RawMessage](t, from, name, "AWS::Events::Rule")
		require.JSONEq(t, `{"source":["`+c.source+`"]}`, string(rule["EventPattern"]))
		require.JSONEq(t, `{"!If":["CreatesEventBus","!Ref Bus","!Ref EventBusName"]}`, string(rule["EventBusName"]))
		require.JSONEq(t, `[{`+c.target+`,"RetryPolicy":{"MaximumRetryAttempts":20,"MaximumEventAgeInSeconds":3600},
			"DeadLetterConfig":{"Arn":"!GetAtt DeadLetters.Arn"}}]`, string(rule["Targets"]))
	}
}

func TestOnlyTheRulesMayInvokeTheConsumerAndWriteToTheQueue(t *testing.T) {
	from := readTemplate(t)
	require.JSONEq(t, `{"Action":"lambda:InvokeFunction","FunctionName":"!Ref ConsumerLambda","Principal":"events.amazonaws.com","SourceArn":"!GetAtt UpdateRule.Arn"}`,
		string(from.Resources["ConsumerPermission"].Properties))
	require.JSONEq(t, `{"Queues":["!Ref DeadLetters"],"PolicyDocument":{"Version":"2012-10-17","Statement":[{
		"Effect":"Allow","Action":"sqs:SendMessage","Resource":"!GetAtt DeadLetters.Arn","Principal":{"Service":"events.amazonaws.com"},
		"Condition":{"ArnEquals":{"aws:SourceArn":["!GetAtt UpdateRule.Arn","!GetAtt OperationsRule.Arn"]}}}]}}`,
		string(from.Resources["DeadLettersPolicy"].Properties))
}

func TestTheBusIsCreatedUnlessItExists(t *testing.T) {
	from := readTemplate(t)
	require.Equal(t, "fanoutBus", from.Parameters["EventBusName"].Default)
	require.Equal(t, "CreatesEventBus", from.Resources["Bus"].Condition)
	require.JSONEq(t, `{"!And":[{"!Equals":["!Ref CreateEventBus","true"]},{"!Not":[{"!Equals":["!Ref EventBusName","default"]}]}]}`,
		string(from.Conditions["CreatesEventBus"]))
	require.JSONEq(t, `{"Name":"!Ref EventBusName"}`, string(from.Resources["Bus"].Properties))
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
	from := readTemplate(t)
	for name, c := range map[string]struct{ service, policy, may string }{
		"OperationsRuleRole": {"events", "archive", `{"Effect":"Allow","Action":["firehose:PutRecord","firehose:PutRecordBatch"],"Resource":"!GetAtt Archive.Arn"}`},
		"ArchiveRole": {"firehose", "bucket", `
			{"Effect":"Allow","Action":["s3:GetBucketLocation","s3:ListBucket","s3:ListBucketMultipartUploads"],"Resource":"!GetAtt ArchiveBucket.Arn"},
			{"Effect":"Allow","Action":["s3:AbortMultipartUpload","s3:GetObject","s3:PutObject"],"Resource":"!Sub ${ArchiveBucket.Arn}/*"}`},
	} {
		require.JSONEq(t, `{"AssumeRolePolicyDocument":{"Version":"2012-10-17","Statement":[{
				"Effect":"Allow","Action":"sts:AssumeRole","Principal":{"Service":"`+c.service+`.amazonaws.com"},
				"Condition":{"StringEquals":{"aws:SourceAccount":"!Ref AWS::AccountId"}}}]},
			"Policies":[{"PolicyName":"`+c.policy+`","PolicyDocument":{"Version":"2012-10-17","Statement":[`+c.may+`]}}]}`,
			string(from.Resources[name].Properties), name)
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
	require.Contains(t, string(from.Resources["Api"].Properties), `"StageName":"Prod"`)
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
