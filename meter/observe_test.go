package meter_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go/middleware"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/localmeter"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/meter"
)

// answering is a Config whose clients always get this answer.
func answering(status int, body string) aws.Config {
	return sinktest.NewScript(func(sinktest.Request) sinktest.Answer { return sinktest.Answer{Status: status, Body: body} }).Config()
}

// watched collects calls.
type watched struct {
	mu    sync.Mutex
	calls []meter.Call
}

func (w *watched) add(_ context.Context, c meter.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, c)
}

const oneRead = `{"ConsumedCapacity":{"TableName":"t","CapacityUnits":0.5}}`

func getItem(ctx context.Context, cfg aws.Config) error {
	_, err := dynamodb.NewFromConfig(cfg).GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String("t"), Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}},
	})
	return err
}

func TestEachAttemptIsARequestAndOnlyTheAnsweredOneHasUnits(t *testing.T) {
	t.Parallel()
	gone := errors.New("connection reset")
	throttled := sinktest.Refusal(http.StatusBadRequest, "ThrottlingException")
	fault := sinktest.Refusal(http.StatusInternalServerError, "InternalServerError")
	lost := sinktest.Answer{Err: temporary{gone}}
	for name, c := range map[string]struct {
		answers []sinktest.Answer // and then success
		failed  bool
	}{
		"at once":            {nil, false},
		"throttled once":     {[]sinktest.Answer{throttled}, false},
		"a fault of theirs":  {[]sinktest.Answer{fault, fault}, false},
		"no answer":          {[]sinktest.Answer{lost}, false},
		"no answer, to none": {[]sinktest.Answer{lost, lost, lost}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			cfg := sinktest.NewScript(func(sinktest.Request) sinktest.Answer {
				asked++
				if asked > len(c.answers) {
					return sinktest.Answer{Body: oneRead}
				}
				return c.answers[asked-1]
			}).Config()
			m, w := meter.New(), new(watched)
			m.Attach(&cfg)
			meter.Observe(&cfg, w.add)
			err := getItem(plaza.WithOperation(t.Context(), "feed.Home.List"), cfg)
			want := meter.Cost{Requests: len(c.answers)}
			if c.failed {
				require.ErrorIs(t, err, gone)
			} else {
				require.NoError(t, err)
				want = want.Plus(meter.Cost{Requests: 1, Read: 0.5})
			}
			require.Equal(t, map[string]meter.Cost{"feed.Home.List": want}, m.ByOperation())
			require.Len(t, w.calls, want.Requests)
			for i, call := range w.calls {
				require.Equal(t, "feed.Home.List GetItem t", call.Operation+" "+call.Action+" "+call.Table)
				require.Equal(t, i < len(c.answers), call.Err != nil)
			}
		})
	}
}

// temporary is an error after which the SDK tries again.
type temporary struct{ error }

func (t temporary) Unwrap() error       { return t.error }
func (temporary) ConnectionReset() bool { return true }
func (temporary) RetryableError() bool  { return true }

func TestRequestsThatAreNotSentAreNotCounted(t *testing.T) {
	t.Parallel()
	cfg := answering(http.StatusOK, oneRead)
	m := meter.New()
	m.Attach(&cfg)
	_, err := dynamodb.NewFromConfig(cfg).GetItem(t.Context(), &dynamodb.GetItemInput{}) // without a table
	require.Error(t, err)
	cfg.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("none")
	})
	require.Error(t, getItem(t.Context(), cfg))
	require.Empty(t, m.ByOperation())
}

func TestOtherServicesAreNotCounted(t *testing.T) {
	t.Parallel()
	cfg := answering(http.StatusOK, `{"Streams":[]}`)
	m := meter.New()
	m.Attach(&cfg)
	_, err := dynamodbstreams.NewFromConfig(cfg).ListStreams(t.Context(), &dynamodbstreams.ListStreamsInput{})
	require.NoError(t, err)
	require.Empty(t, m.ByOperation())
}

// The caller may use its input in other goroutines meanwhile.
func TestTheCallersInputStaysAsItIs(t *testing.T) {
	t.Parallel()
	for given, sent := range map[types.ReturnConsumedCapacity]string{
		"": "TOTAL", types.ReturnConsumedCapacityNone: "TOTAL", types.ReturnConsumedCapacityTotal: "TOTAL",
		types.ReturnConsumedCapacityIndexes: "INDEXES",
	} {
		script := sinktest.NewScript(func(sinktest.Request) sinktest.Answer { return sinktest.Answer{Body: oneRead} })
		cfg := script.Config()
		meter.New().Attach(&cfg)
		in := &dynamodb.QueryInput{TableName: aws.String("t"), ReturnConsumedCapacity: given}
		_, err := dynamodb.NewFromConfig(cfg).Query(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, &dynamodb.QueryInput{TableName: aws.String("t"), ReturnConsumedCapacity: given}, in)
		require.Len(t, script.Requests(), 1)
		require.Contains(t, string(script.Requests()[0].Body), `"ReturnConsumedCapacity":"`+sent+`"`)
	}
}

func TestAMeterCountsOnceAndSeveralCountEach(t *testing.T) {
	t.Parallel()
	cfg := answering(http.StatusOK, oneRead)
	cfg.APIOptions = append(make([]func(*middleware.Stack) error, 0, 10), cfg.APIOptions...)
	other := cfg // with room behind its options, which both could write
	first, second, third := meter.New(), meter.New(), meter.New()
	first.Attach(&cfg)
	first.Attach(&cfg)
	second.Attach(&cfg)
	third.Attach(&other)
	require.NoError(t, getItem(t.Context(), cfg))
	one := map[string]meter.Cost{"": {Requests: 1, Read: 0.5}}
	require.Equal(t, one, first.ByOperation())
	require.Equal(t, one, second.ByOperation())
	require.Empty(t, third.ByOperation())
	require.NoError(t, getItem(t.Context(), other))
	require.Equal(t, one, first.ByOperation())
	require.Equal(t, one, third.ByOperation())
}

func TestACallSaysItsTableAndHowLongItTook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := sinktest.NewScript(func(sinktest.Request) sinktest.Answer {
			time.Sleep(3 * time.Second)
			return sinktest.Answer{Body: "{}"}
		}).Config()
		w := new(watched)
		meter.Observe(&cfg, w.add)
		db := dynamodb.NewFromConfig(cfg)
		key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}
		name := aws.String
		for table, call := range map[string]func(ctx context.Context) error{
			"a": func(ctx context.Context) error {
				return callstest.Failed(db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
					"b": {Keys: []map[string]types.AttributeValue{key}}, "a": {Keys: []map[string]types.AttributeValue{key}},
				}}))
			},
			"c": func(ctx context.Context) error {
				return callstest.Failed(db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
					"c": {{DeleteRequest: &types.DeleteRequest{Key: key}}},
				}}))
			},
			"d": func(ctx context.Context) error {
				return callstest.Failed(db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
					{Get: &types.Get{TableName: name("e"), Key: key}}, {Get: &types.Get{TableName: name("d"), Key: key}},
				}}))
			},
			"f": func(ctx context.Context) error {
				return callstest.Failed(db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
					{Put: &types.Put{TableName: name("g"), Item: key}}, {Delete: &types.Delete{TableName: name("h"), Key: key}},
					{Update: &types.Update{TableName: name("f"), Key: key, UpdateExpression: name("SET a = b")}},
					{ConditionCheck: &types.ConditionCheck{TableName: name("i"), Key: key, ConditionExpression: name("a = b")}},
				}}))
			},
			"z": func(ctx context.Context) error {
				return callstest.Failed(db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: name("z")}))
			},
			"": func(ctx context.Context) error {
				return callstest.Failed(db.ListTables(ctx, &dynamodb.ListTablesInput{}))
			},
		} {
			w.calls = nil
			require.NoError(t, call(t.Context()), table)
			require.Len(t, w.calls, 1)
			require.Equal(t, table, w.calls[0].Table)
			require.Equal(t, 3*time.Second, w.calls[0].Duration)
			require.Equal(t, meter.Cost{Requests: 1}, w.calls[0].Cost)
		}
	})
}

// Both sides count the same, whatever runs at once.
func TestConcurrentCallsAreCountedByTheirOwnOperation(t *testing.T) {
	t.Parallel()
	for side, attach := range map[string]func(*meter.Meter, *aws.Config){
		"AWS": (*meter.Meter).Attach,
		"Local": func(m *meter.Meter, cfg *aws.Config) {
			cfg.HTTPClient = localmeter.New(m, http.DefaultTransport, nil).Wrap(cfg.HTTPClient)
		},
	} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			m, cfg := meter.New(), config(t)
			attach(m, &cfg)
			table := dynamo.New(cfg).Table(dynamotest.Table(t, store.Schema))
			var running sync.WaitGroup
			for _, operation := range []string{"a", "b", "c", "d"} {
				running.Go(func() {
					ctx := plaza.WithOperation(t.Context(), operation)
					for range 10 {
						if err := table.Put(row{PK: operation, SK: "1"}).Run(ctx); err != nil {
							t.Error(err)
						}
					}
				})
			}
			running.Wait()
			ten := meter.Cost{Requests: 10, Write: 10}
			require.Equal(t, map[string]meter.Cost{"a": ten, "b": ten, "c": ten, "d": ten}, m.ByOperation())
		})
	}
}

// Refusing damaged answers is left to the SDK.
func TestAnswersWithoutSenseHaveNoUnits(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{`{}`, `{"ConsumedCapacity":null}`, `{"ConsumedCapacity":{}}`, `null`, `{`, `<html>`} {
		cfg := answering(http.StatusOK, answer)
		m := meter.New()
		m.Attach(&cfg)
		_ = getItem(t.Context(), cfg)
		total := m.Total()
		require.NotZero(t, total.Requests, answer)
		require.Equal(t, meter.Cost{Requests: total.Requests}, total, answer)
	}
	cancelled := `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":[]}`
	cfg := answering(http.StatusBadRequest, cancelled)
	m := meter.New()
	m.Attach(&cfg)
	key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}
	db := dynamodb.NewFromConfig(cfg)
	_, err := db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Delete: &types.Delete{TableName: aws.String("t"), Key: key}},
	}})
	require.Error(t, err)
	require.Equal(t, meter.Cost{Requests: 1, Write: 2}, m.Total())
	m.Reset()
	_, err = db.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: aws.String("t"), Key: key}},
	}})
	require.Error(t, err)
	require.Equal(t, meter.Cost{Requests: 1, Read: 2}, m.Total())
}
