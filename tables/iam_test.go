package tables_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/tables"
)

// template is what these tests read of the text of CloudFormation.
type template struct {
	Resources map[string]struct {
		Type           string
		DeletionPolicy string
		Properties     json.RawMessage
	}
	Outputs map[string]struct{ Value json.RawMessage }
}

// templateOf returns the template, and the properties of its tables, which must be
// those that P has.
func templateOf(t testing.TB, ts []tables.Table, opts *tables.Options) template {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, tables.CloudFormation(&text, ts, opts))
	var read template
	require.NoError(t, json.Unmarshal(text.Bytes(), &read))
	return read
}

// properties reads those of a resource, which must have no others than P.
func properties[P any](t testing.TB, from template, name, kind string) P {
	t.Helper()
	require.Equal(t, kind, from.Resources[name].Type, name)
	d := json.NewDecoder(bytes.NewReader(from.Resources[name].Properties))
	d.DisallowUnknownFields()
	var p P
	require.NoError(t, d.Decode(&p), name)
	return p
}

// theStream stands for the name of an index where an action is on a table's stream.
const theStream = "(stream)"

// policy returns what a managed policy of the template allows.
func (from template) policy(t testing.TB, name string) map[wire.Access]bool {
	t.Helper()
	made := properties[struct {
		Description    string
		PolicyDocument struct {
			Version   string
			Statement []struct {
				Effect   string
				Action   []string
				Resource map[string]json.RawMessage
			}
		}
	}](t, from, name, "AWS::IAM::ManagedPolicy")
	require.Equal(t, "2012-10-17", made.PolicyDocument.Version)
	require.NotEmpty(t, made.Description)
	allowed := map[wire.Access]bool{}
	for _, s := range made.PolicyDocument.Statement {
		require.Equal(t, "Allow", s.Effect)
		on := from.resource(t, s.Resource)
		for _, action := range s.Action {
			service, name, _ := strings.Cut(action, ":")
			require.Equal(t, "dynamodb", service)
			on.Action = name
			require.False(t, allowed[on], "%v twice", on)
			allowed[on] = true
		}
	}
	return allowed
}

// resource resolves {"Fn::GetAtt": ["Feed", "Arn"]} and
// {"Fn::Sub": "${Feed.Arn}/index/name"}.
func (from template) resource(t testing.TB, r map[string]json.RawMessage) wire.Access {
	t.Helper()
	require.Len(t, r, 1)
	table := func(id string) string {
		return properties[tableProperties](t, from, id, "AWS::DynamoDB::Table").TableName
	}
	if text, ok := r["Fn::Sub"]; ok {
		var arn string
		require.NoError(t, json.Unmarshal(text, &arn))
		id, index, ok := strings.Cut(strings.TrimPrefix(arn, "${"), ".Arn}/index/")
		require.True(t, ok, arn)
		return wire.Access{Table: table(id), Index: index}
	}
	var of []string
	require.NoError(t, json.Unmarshal(r["Fn::GetAtt"], &of))
	require.Len(t, of, 2)
	if of[1] == "StreamArn" {
		return wire.Access{Table: table(of[0]), Index: theStream}
	}
	require.Equal(t, "Arn", of[1])
	return wire.Access{Table: table(of[0])}
}

// iam lets through what a policy allows, as AWS would. DynamoDB Local allows all.
type iam struct {
	next    aws.HTTPClient
	allowed map[wire.Access]bool

	mu     sync.Mutex
	used   map[wire.Access]bool
	calls  map[string]bool
	onCall map[string]func()
}

// once calls f when the operation sends its next request.
func (i *iam) once(operation string, f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.onCall[operation] = f
}

func (i *iam) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	accesses, err := req.Accesses()
	if err != nil {
		return nil, err
	}
	if !i.allows(r, accesses) {
		return req.Denied(accesses[0]), nil
	}
	return i.next.Do(req.Again())
}

func (i *iam) allows(r *http.Request, accesses []wire.Access) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	operation := plaza.Operation(r.Context())
	i.calls[operation] = true
	if f, ok := i.onCall[operation]; ok {
		f()
	}
	for _, a := range accesses {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "DynamoDBStreams") {
			a = wire.Access{Action: a.Action, Table: tableOf(a.Table), Index: theStream}
		}
		if !i.allowed[a] {
			return false
		}
		i.used[a] = true
	}
	return true
}

// tableOf returns the table of a stream's ARN, which DynamoDB's iterators begin with, or of
// dynoxide's iterator.
func tableOf(stream string) string {
	var iterator struct {
		Table string `json:"table_name"`
	}
	if text, err := base64.StdEncoding.DecodeString(stream); err == nil && json.Unmarshal(text, &iterator) == nil {
		return iterator.Table
	}
	_, table, _ := strings.Cut(stream, ":table/")
	table, _, _ = strings.Cut(table, "/")
	return table
}

// world is every table, created from the text of CloudFormation, and its policies.
type world struct {
	*clock
	names    tables.Names
	template template
}

func newWorld(t *testing.T) *world {
	t.Helper()
	// Two runs may share an engine.
	prefix := "t" + ids.At(time.Now()).String() + "-"
	ts := tables.All(prefix)
	for i := range ts {
		if ts[i].Feature == "follow" || ts[i].Feature == "leaderboard" {
			ts[i] = ts[i].WithStream()
		}
	}
	w := &world{clock: &clock{now: time.Now()}, names: tables.NamesOf(prefix), template: templateOf(t, ts, nil)}
	e := dynamotest.Engine(t)
	client := dynamodb.NewFromConfig(e.Config())
	for id, r := range w.template.Resources {
		if r.Type == "AWS::DynamoDB::Table" {
			create(t, client, properties[tableProperties](t, w.template, id, r.Type))
		}
	}
	return w
}

// at returns w with a clock of its own.
func (w *world) at(now time.Time) *world {
	own := *w
	own.clock = &clock{now: now}
	return &own
}

// create does what CloudFormation would.
func create(t testing.TB, client *dynamodb.Client, p tableProperties) {
	t.Helper()
	in := p.input()
	_, err := client.CreateTable(t.Context(), in)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: in.TableName})
		require.NoError(t, err)
	})
	if ttl := p.expiry(); ttl != nil {
		_, err := client.UpdateTimeToLive(t.Context(), ttl)
		require.NoError(t, err)
	}
}

// caller is somebody who has one policy.
type caller struct {
	*iam
	db *dynamo.DB
}

// as returns a caller in a role of a feature.
func (w *world) as(t testing.TB, feature string, role tables.Role) caller {
	t.Helper()
	name := strings.ToUpper(feature[:1]) + feature[1:] + strings.ToUpper(string(role[:1])) + string(role[1:]) + "Policy"
	i := &iam{allowed: w.template.policy(t, name), used: map[wire.Access]bool{}, calls: map[string]bool{}, onCall: map[string]func(){}}
	return caller{i, dynamotest.DB(t, func(next aws.HTTPClient) aws.HTTPClient {
		i.next = next
		return i
	})}
}

// streams returns a client of DynamoDB Streams with the policy of c.
func (c caller) streams(t testing.TB) *dynamodbstreams.Client {
	t.Helper()
	e := dynamotest.Engine(t)
	return dynamodbstreams.NewFromConfig(e.Config(), func(o *dynamodbstreams.Options) {
		o.HTTPClient = c.iam
	})
}

// clock is the time of a test, and makes ids with it.
type clock struct {
	mu  sync.Mutex
	now time.Time
	n   atomic.Uint64
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) Next(context.Context) (ids.ID, error) {
	return ids.At(c.Now()) + ids.ID(c.n.Add(1)), nil
}
