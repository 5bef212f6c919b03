package faults_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/logging"
	"github.com/guregu/dynamo/v2/dynamodbiface"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

type item = map[string]types.AttributeValue

// bench is a table with a counter, a client through the injector that tries only
// once, and a client without faults.
type bench struct {
	*faults.Injector
	t     *testing.T
	ctx   context.Context
	table *string
	c     dynamodbiface.DynamoDBAPI
	truth dynamodbiface.DynamoDBAPI
	sent  int // number of requests that passed the injector
}

type clientFunc func(*http.Request) (*http.Response, error)

func (f clientFunc) Do(r *http.Request) (*http.Response, error) { return f(r) }

func counting(n *int) func(aws.HTTPClient) aws.HTTPClient {
	return func(next aws.HTTPClient) aws.HTTPClient {
		return clientFunc(func(r *http.Request) (*http.Response, error) {
			*n++
			return next.Do(r)
		})
	}
}

func newBench(t *testing.T, seed uint64, rates faults.Rates) *bench {
	t.Helper()
	b := &bench{Injector: faults.New(t, seed, rates), t: t, ctx: t.Context()}
	b.table = aws.String(dynamotest.Table(t, store.Schema))
	b.truth = dynamotest.DB(t).Client()
	e := dynamotest.Engine(t)
	b.c = dynamodb.NewFromConfig(e.Config(), func(o *dynamodb.Options) {
		o.HTTPClient = b.Wrap(counting(&b.sent)(http.DefaultClient))
		o.Retryer = aws.NopRetryer{}
		// The check of checksums stays on, and only logs: answers must pass it.
		o.Logger = logging.LoggerFunc(func(_ logging.Classification, format string, v ...any) {
			t.Errorf(format, v...)
		})
	})
	return b
}

func (b *bench) add() error {
	_, err := b.c.UpdateItem(b.ctx, &dynamodb.UpdateItemInput{
		TableName: b.table, Key: key("n"), UpdateExpression: aws.String("ADD n :one"),
		ExpressionAttributeValues: item{":one": &types.AttributeValueMemberN{Value: "1"}},
	})
	return err
}

func (b *bench) count() string {
	b.t.Helper()
	out, err := b.truth.GetItem(b.ctx, &dynamodb.GetItemInput{TableName: b.table, Key: key("n"), ConsistentRead: aws.Bool(true)})
	require.NoError(b.t, err)
	if n, ok := out.Item["n"].(*types.AttributeValueMemberN); ok {
		return n.Value
	}
	return "0"
}

func (b *bench) transact(pks ...string) error {
	in := &dynamodb.TransactWriteItemsInput{}
	for _, pk := range pks {
		in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Put: &types.Put{TableName: b.table, Item: key(pk)}})
	}
	_, err := b.c.TransactWriteItems(b.ctx, in)
	return err
}

func (b *bench) stored() int {
	b.t.Helper()
	out, err := b.truth.Scan(b.ctx, &dynamodb.ScanInput{TableName: b.table, ConsistentRead: aws.Bool(true)})
	require.NoError(b.t, err)
	return len(out.Items)
}

func key(pk string) item {
	return item{"pk": &types.AttributeValueMemberS{Value: pk}, "sk": &types.AttributeValueMemberS{Value: "sk"}}
}

func codes(t *testing.T, err error) (codes []string) {
	t.Helper()
	var cancelled *types.TransactionCanceledException
	require.ErrorAs(t, err, &cancelled)
	for _, r := range cancelled.CancellationReasons {
		codes = append(codes, *r.Code)
	}
	return codes
}

func TestLostAndDoubledWrites(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]struct {
		rates faults.Rates
		count string
		kind  faults.Kind
		err   error
	}{
		"lost before": {faults.Rates{LostBefore: 1}, "0", faults.LostBefore, syscall.ECONNRESET},
		"lost after":  {faults.Rates{LostAfter: 1}, "1", faults.LostAfter, syscall.ECONNRESET},
		"twice":       {faults.Rates{Twice: 1}, "2", faults.Twice, nil},
		"delayed":     {faults.Rates{Delayed: 1}, "1", faults.Delayed, nil},
	} {
		b := newBench(t, 1, want.rates)
		require.ErrorIs(t, b.add(), want.err, kind)
		require.Equal(t, want.count, b.count(), kind)
		require.Equal(t, 1, b.Count(want.kind), kind)
		require.Equal(t, 1, b.Writes(), kind)
	}
}

func TestThrottledRequestsAreNotApplied(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1, faults.Rates{Throttled: 1})
	seen := make(map[string]bool)
	for range 40 {
		var api interface{ ErrorCode() string }
		require.ErrorAs(t, b.add(), &api)
		seen[api.ErrorCode()] = true

		err := b.transact("a", "b", "c")
		require.ErrorAs(t, err, &api)
		if api.ErrorCode() == "TransactionCanceledException" {
			require.ElementsMatch(t, []string{"None", "None", "ThrottlingError"}, codes(t, err))
		}
		seen["tx "+api.ErrorCode()] = true
	}
	require.Zero(t, b.sent)
	for _, want := range []string{
		"ThrottlingException", "ProvisionedThroughputExceededException", "tx TransactionCanceledException",
	} {
		require.Contains(t, seen, want)
	}
}

func TestAConflictRefusesTheWholeWrite(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1, faults.Rates{Conflict: 1})
	var single *types.TransactionConflictException
	require.ErrorAs(t, b.add(), &single)
	places := make(map[string]bool)
	for range 20 {
		got := codes(t, b.transact("a", "b"))
		require.ElementsMatch(t, []string{"None", "TransactionConflict"}, got)
		places[got[0]] = true
	}
	require.Len(t, places, 2)
	_, err := b.c.TransactGetItems(b.ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: b.table, Key: key("a")}},
	}})
	require.Equal(t, []string{"TransactionConflict"}, codes(t, err))
	require.Zero(t, b.sent)

	b.Script(func(string, []byte, int) faults.Fault {
		return faults.Fault{Kind: faults.Conflict, Reasons: []string{"ValidationError", "TransactionConflict"}}
	})
	require.Equal(t, []string{"ValidationError", "TransactionConflict"}, codes(t, b.transact("a", "b")))
}

func (b *bench) putAll(n int) *dynamodb.BatchWriteItemOutput {
	b.t.Helper()
	var list []types.WriteRequest
	for i := range n {
		list = append(list, types.WriteRequest{PutRequest: &types.PutRequest{Item: key(fmt.Sprint(i))}})
	}
	out, err := b.c.BatchWriteItem(b.ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{*b.table: list},
	})
	require.NoError(b.t, err)
	return out
}

func TestUnprocessedPartOfABatchIsNotWritten(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1, faults.Rates{Unprocessed: 1})
	left := b.putAll(25).UnprocessedItems[*b.table]
	require.NotEmpty(t, left)
	require.Equal(t, 25-len(left), b.stored())
	for _, w := range left {
		out, err := b.truth.GetItem(b.ctx, &dynamodb.GetItemInput{TableName: b.table, Key: w.PutRequest.Item})
		require.NoError(t, err)
		require.Empty(t, out.Item)
	}

	b.Script(func(string, []byte, int) faults.Fault { return faults.Fault{Kind: faults.Unprocessed, Entries: 99} })
	sent := b.sent
	require.Len(t, b.putAll(25).UnprocessedItems[*b.table], 25, "as many as there are")
	require.Equal(t, sent, b.sent)
}

func (b *bench) getAll(consistent bool, pks ...string) *dynamodb.BatchGetItemOutput {
	b.t.Helper()
	ask := types.KeysAndAttributes{ConsistentRead: &consistent}
	for _, pk := range pks {
		ask.Keys = append(ask.Keys, key(pk))
	}
	out, err := b.c.BatchGetItem(b.ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{*b.table: ask}})
	require.NoError(b.t, err)
	return out
}

func TestUnprocessedPartOfABatchIsNotRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1, faults.Rates{})
	b.putAll(3)
	b.Script(func(string, []byte, int) faults.Fault {
		return faults.Fault{Kind: faults.Unprocessed, Entries: 2}
	})
	out := b.getAll(true, "0", "1", "2")
	require.Len(t, out.Responses[*b.table], 1)
	left := out.UnprocessedKeys[*b.table]
	require.Len(t, left.Keys, 2)
	require.True(t, *left.ConsistentRead)
	require.NotContains(t, left.Keys, out.Responses[*b.table][0])
}

func TestAStaleReadReturnsAnEarlierAnswer(t *testing.T) {
	t.Parallel()
	stale := false
	b := newBench(t, 1, faults.Rates{})
	b.Script(func(op string, _ []byte, _ int) faults.Fault {
		if stale {
			return faults.Fault{Kind: faults.Stale}
		}
		return faults.Fault{}
	})
	get := func() int {
		out, err := b.c.GetItem(b.ctx, &dynamodb.GetItemInput{TableName: b.table, Key: key("0")})
		require.NoError(t, err)
		return min(len(out.Item), 1)
	}
	query := func() int {
		out, err := b.c.Query(b.ctx, &dynamodb.QueryInput{
			TableName: b.table, KeyConditionExpression: aws.String("pk = :p"),
			ExpressionAttributeValues: item{":p": &types.AttributeValueMemberS{Value: "0"}},
		})
		require.NoError(t, err)
		require.Equal(t, int(out.Count), len(out.Items))
		return len(out.Items)
	}
	scan := func() int {
		out, err := b.c.Scan(b.ctx, &dynamodb.ScanInput{TableName: b.table})
		require.NoError(t, err)
		return len(out.Items)
	}
	batch := func() int { return len(b.getAll(false, "0", "1").Responses[*b.table]) }

	b.putAll(1)
	for name, read := range map[string]func() int{"get": get, "query": query, "scan": scan, "batch": batch} {
		stale = true
		require.Zero(t, read(), name)
		stale = false
		require.Equal(t, 1, read(), name)
		stale = true
		require.Equal(t, 1, read(), name)
	}
	stale = false
	b.putAll(2)
	stale = true
	require.Equal(t, 1, scan())
	require.Equal(t, 1, batch())
	stale = false
	require.Equal(t, 2, scan())
	require.Equal(t, 2, batch())
}

func TestConsistentReadsAreNeverStale(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1, faults.Rates{Stale: 1})
	b.putAll(2)
	require.Empty(t, b.getAll(false, "0").Responses[*b.table])
	require.Len(t, b.getAll(true, "0").Responses[*b.table], 1)
	out, err := b.c.GetItem(b.ctx, &dynamodb.GetItemInput{TableName: b.table, Key: key("0"), ConsistentRead: aws.Bool(true)})
	require.NoError(t, err)
	require.NotEmpty(t, out.Item)

	other := dynamotest.Table(t, store.Schema)
	_, err = b.truth.PutItem(b.ctx, &dynamodb.PutItemInput{TableName: &other, Item: key("0")})
	require.NoError(t, err)
	both, err := b.c.BatchGetItem(b.ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		*b.table: {Keys: []map[string]types.AttributeValue{key("0")}},
		other:    {Keys: []map[string]types.AttributeValue{key("0")}, ConsistentRead: aws.Bool(true)},
	}})
	require.NoError(t, err)
	require.Empty(t, both.Responses[*b.table])
	require.Len(t, both.Responses[other], 1)
}

func TestHungIsAppliedAndEndsWithTheContext(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1, faults.Rates{})
	b.Script(func(string, []byte, int) faults.Fault { return faults.Fault{Kind: faults.Hung} })
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	b.ctx = ctx
	require.ErrorIs(t, b.add(), context.DeadlineExceeded)
	b.ctx = t.Context()
	require.Equal(t, "1", b.count())
}

func TestAKilledProcessSendsNothingMore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kill    func(*faults.Injector, int)
		applied string
	}{
		"applied":     {(*faults.Injector).KillAt, "3"},
		"not applied": {(*faults.Injector).KillBefore, "2"},
	} {
		b := newBench(t, 1, faults.Rates{})
		c.kill(b.Injector, 3)
		require.NoError(t, b.add())
		b.getAll(true, "0")
		require.NoError(t, b.add())
		require.ErrorIs(t, b.add(), faults.ErrKilled)
		require.ErrorIs(t, b.add(), faults.ErrKilled)
		_, err := b.c.Scan(b.ctx, &dynamodb.ScanInput{TableName: b.table})
		require.ErrorIs(t, err, faults.ErrKilled)
		require.Equal(t, c.applied, b.count(), name)
		require.Equal(t, 3, b.Writes())

		b.Off()
		require.NoError(t, b.add())
		b.On()
		require.ErrorIs(t, b.add(), faults.ErrKilled)
	}
}

func TestTheSDKRepeatsLostButNotKilledRequests(t *testing.T) {
	t.Parallel()
	calls := 0
	in := faults.New(t, 1, faults.Rates{})
	table := dynamotest.Table(t, store.Schema)
	c := dynamotest.DB(t, in.Wrap, counting(&calls)).Client()
	put := func() error {
		_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: key("a")})
		return err
	}
	in.Script(func(_ string, _ []byte, n int) faults.Fault {
		return faults.Fault{Kind: []faults.Kind{faults.LostBefore, faults.Throttled, faults.None}[n-1]}
	})
	require.NoError(t, put())
	require.Equal(t, 3, calls)

	in.Script(nil)
	in.KillAt(4)
	require.ErrorIs(t, put(), faults.ErrKilled)
	require.Equal(t, 4, calls)
}

func TestSameSeedSameFaults(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) string {
		b := newBench(t, seed, faults.Rates{
			LostBefore: 0.1, LostAfter: 0.1, Twice: 0.1, Throttled: 0.1, Delayed: 0.1, Conflict: 0.1, Unprocessed: 0.1, Stale: 0.1,
		})
		var log strings.Builder
		for range 30 {
			before := b.String()
			out, err := b.c.BatchWriteItem(b.ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
				*b.table: {{PutRequest: &types.PutRequest{Item: key("0")}}, {PutRequest: &types.PutRequest{Item: key("1")}}},
			}})
			left := 0
			if err == nil {
				left = len(out.UnprocessedItems[*b.table])
			}
			fmt.Fprintln(&log, before, left, b.transact("a", "b") != nil, b.add() != nil)
		}
		return log.String()
	}
	require.Equal(t, run(7), run(7))
	require.NotEqual(t, run(7), run(8))
}

func TestStandardRatesAreMet(t *testing.T) {
	t.Parallel()
	b := newBench(t, 3, faults.Standard)
	const n = 400
	acknowledged := 0
	for range n {
		if b.add() == nil {
			acknowledged++
		}
	}
	for kind, rate := range map[faults.Kind]float64{
		faults.LostBefore: 0.05, faults.LostAfter: 0.10, faults.Throttled: 0.05, faults.Twice: 0.05,
	} {
		require.InDelta(t, n*rate, b.Count(kind), 20, kind)
	}
	require.Equal(t, n-b.Count(faults.LostBefore)-b.Count(faults.LostAfter)-b.Count(faults.Throttled), acknowledged)
	require.Equal(t, fmt.Sprint(acknowledged+b.Count(faults.LostAfter)+b.Count(faults.Twice)), b.count())
}

func TestTableCallsAndOffHaveNoFaults(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{LostBefore: 1})
	c := dynamotest.DB(t, in.Wrap).Client()
	table := dynamotest.Table(t, store.Schema)
	_, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &table})
	require.NoError(t, err)
	in.Off()
	_, err = c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: key("a")})
	require.NoError(t, err)
	require.Zero(t, in.Requests())
}

type failing struct {
	testing.TB
	cleanup func()
	log     string
}

func (f *failing) Cleanup(c func())                { f.cleanup = c }
func (f *failing) Failed() bool                    { return true }
func (f *failing) Logf(format string, args ...any) { f.log = fmt.Sprintf(format, args...) }

func TestSeedIsLoggedWhenATestFails(t *testing.T) {
	t.Parallel()
	f := &failing{TB: t}
	faults.New(f, 4711, faults.Standard)
	f.cleanup()
	require.Contains(t, f.log, "4711")
}
