package store_test

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

// writes start from row "a" of pk "p" and leave rows "a" and "b". The result
// differs if one is applied twice.
var writes = map[string]func(*store.Table) store.Write{
	"put": func(table *store.Table) store.Write {
		return table.Put(row{PK: "p", SK: "b", N: 1}).If("attribute_not_exists(pk)")
	},
	"update": func(table *store.Table) store.Write {
		return table.Update(store.Key{PK: "p", SK: "b"}).Add("n", 1).If("attribute_not_exists(pk)")
	},
	"returning update": func(table *store.Table) store.Write {
		u := table.Update(store.Key{PK: "p", SK: "b"}).Add("n", 1).If("attribute_not_exists(pk)")
		return store.Returning{Update: u, Out: new(row)}
	},
	"transaction": func(table *store.Table) store.Write {
		return table.Tx().
			Put(table.Put(row{PK: "p", SK: "b"}).If("attribute_not_exists(pk)")).
			Update(table.Update(store.Key{PK: "p", SK: "b2"}).Add("n", 1)).
			Delete(table.Delete(store.Key{PK: "p", SK: "a"}).If("attribute_exists(pk)"))
	},
}

// outcome is the content of pk "p" after a write was applied once.
var outcome = map[string][]row{
	"put":              {{PK: "p", SK: "a"}, {PK: "p", SK: "b", N: 1}},
	"update":           {{PK: "p", SK: "a"}, {PK: "p", SK: "b", N: 1}},
	"returning update": {{PK: "p", SK: "a"}, {PK: "p", SK: "b", N: 1}},
	"transaction":      {{PK: "p", SK: "b"}, {PK: "p", SK: "b2", N: 1}},
}

// newWritten returns a table in which pk "p" has row "a".
func newWritten(t *testing.T) (*store.Table, *faults.Injector) {
	t.Helper()
	table, in := newTable(t)
	require.NoError(t, table.Run(t.Context(), table.Put(row{PK: "p", SK: "a"})))
	return table, in
}

// cancelled is the refusal of a transaction of three writes for these reasons.
func cancelled(reasons ...string) faults.Fault {
	return faults.Fault{Kind: faults.Conflict, Reasons: reasons}
}

var (
	conflict  = faults.Fault{Kind: faults.Conflict}
	throttled = faults.Fault{Kind: faults.Throttled}
)

func TestPassingFailuresAreRetried(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]faults.Fault{
		"conflict":                    conflict,
		"throttling":                  throttled,
		"conflict of a later item":    cancelled("None", "TransactionConflict", "None"),
		"throttling inside":           cancelled("None", "ThrottlingError", "TransactionConflict"),
		"throughput exceeded inside":  cancelled("ProvisionedThroughputExceeded", "None", "None"),
		"a conflict beside a verdict": cancelled("ConditionalCheckFailed", "TransactionConflict", "None"),
		"another attempt under way":   {Kind: faults.InProgress},
	} {
		for write, do := range writes {
			if (fault.Reasons != nil || fault.Kind == faults.InProgress) && write != "transaction" {
				continue
			}
			t.Run(name+"/"+write, func(t *testing.T) {
				t.Parallel()
				simulated(t, func(t *testing.T, table *store.Table, in *faults.Injector) {
					sent := next(in, 2, fault)
					require.NoError(t, table.Run(t.Context(), do(table)))
					require.Equal(t, 3, sent())
					require.Equal(t, outcome[write], stored(t, table, "p"))
				})
			})
		}
	}
	for name, call := range others {
		t.Run("throttling/"+name, func(t *testing.T) {
			t.Parallel()
			simulated(t, func(t *testing.T, table *store.Table, in *faults.Injector) {
				sent := next(in, 2, throttled)
				require.NoError(t, call(t.Context(), table))
				require.Equal(t, 3, sent())
			})
		})
	}
}

func TestPermanentFailuresAreNotRetried(t *testing.T) {
	t.Parallel()
	for name, reasons := range map[string][]string{
		"invalid":                   {"None", "ValidationError", "None"},
		"invalid beside a conflict": {"TransactionConflict", "ValidationError", "None"},
		"collection too large":      {"ItemCollectionSizeLimitExceeded", "None", "ThrottlingError"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, in := newWritten(t)
			sent := next(in, always, cancelled(reasons...))
			err := table.Run(t.Context(), writes["transaction"](table))
			var canceled *types.TransactionCanceledException
			require.ErrorAs(t, err, &canceled)
			for _, other := range []error{plaza.ErrBusy, plaza.ErrUnknownOutcome, plaza.ErrTable} {
				require.NotErrorIs(t, err, other)
			}
			require.Equal(t, 1, sent())
		})
	}
}

func TestRetriesEndWithTheContext(t *testing.T) {
	t.Parallel()
	table, in := newWritten(t)
	ctx, cancel := context.WithCancel(t.Context())
	before := in.Requests()
	in.Script(func(_ string, _ []byte, n int) faults.Fault {
		if n == before+2 {
			cancel()
		}
		return conflict
	})
	require.ErrorIs(t, table.Run(ctx, writes["put"](table)), context.Canceled)
	require.Equal(t, before+2, in.Requests())

	require.ErrorIs(t, table.Run(ctx, writes["put"](table)), context.Canceled)
	require.ErrorIs(t, table.PutAll(ctx, items(t, []row{{PK: "p", SK: "c"}}), 1), context.Canceled)
	require.Equal(t, before+2, in.Requests(), "nothing is sent for a context that has ended")
}

func TestALostAnswerIsAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	for write, do := range writes {
		t.Run(write, func(t *testing.T) {
			t.Parallel()
			for _, kind := range []faults.Kind{faults.Hung, faults.KilledAfter} {
				table, in := newWritten(t)
				next(in, 1, faults.Fault{Kind: kind})
				ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
				defer cancel()
				err := table.Run(ctx, do(table))
				require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
				require.Equal(t, kind == faults.Hung, errors.Is(err, context.DeadlineExceeded))

				in.Off()
				if err := table.Run(t.Context(), do(table)); err != nil { // on a slow machine the first attempt may not have been sent
					_, refused := store.AsRefused(err)
					require.True(t, refused, "%v", err)
				}
				require.Equal(t, outcome[write], stored(t, table, "p"))
			}
		})
	}
}

// calls are writes of every kind, which start as writes do, and reads.
func calls(t *testing.T) map[string]func(context.Context, *store.Table) error {
	t.Helper()
	key, put := store.Key{PK: "p", SK: "a"}, items(t, []row{{PK: "p", SK: "b"}})
	calls := map[string]func(context.Context, *store.Table) error{
		"delete":       func(ctx context.Context, table *store.Table) error { return table.Run(ctx, table.Delete(key)) },
		"batch put":    func(ctx context.Context, table *store.Table) error { return table.PutAll(ctx, put, 1) },
		"batch delete": func(ctx context.Context, table *store.Table) error { return table.DeleteAll(ctx, []store.Key{key}) },
		"scan": func(ctx context.Context, table *store.Table) error {
			_, err := store.Scan[row](ctx, table, "a")
			return err
		},
		"verify": func(ctx context.Context, table *store.Table) error {
			return table.Verify(ctx, store.Feature{Schema: store.Schema})
		},
	}
	for name, call := range others {
		if calls[name] == nil {
			calls[name] = call
		}
	}
	for name, write := range writes {
		calls[name] = func(ctx context.Context, table *store.Table) error { return table.Run(ctx, write(table)) }
	}
	return calls
}

var reads = []string{"get", "query", "range query", "batch get", "scan"}

// requireClass checks that err is of one class.
func requireClass(t *testing.T, class, err error) {
	t.Helper()
	for _, other := range []error{plaza.ErrBusy, plaza.ErrUnavailable, plaza.ErrUnknownOutcome} {
		require.Equal(t, other == class, errors.Is(err, other), "%v", err)
	}
}

func TestALostAnswerIsNotForgotten(t *testing.T) {
	t.Parallel()
	for end, c := range map[string]struct {
		kinds []faults.Kind // of the attempts, the last again and again
		class error         // where no answer was lost
		most  int           // requests then; 30 of a transaction: 3 by the SDK, times 10 by this package
	}{
		"throttled":               {[]faults.Kind{faults.Throttled}, plaza.ErrBusy, 3},
		"in conflict":             {[]faults.Kind{faults.Conflict}, plaza.ErrBusy, 10},
		"unprocessed":             {[]faults.Kind{faults.Unprocessed}, plaza.ErrBusy, 10},
		"refused":                 {[]faults.Kind{faults.Refused}, plaza.ErrUnavailable, 10},
		"throttled, then refused": {[]faults.Kind{faults.Throttled, faults.Refused}, plaza.ErrBusy, 10},
		"refused, then throttled": {[]faults.Kind{faults.Refused, faults.Throttled}, plaza.ErrBusy, 10},
		"throttled and stopped":   {[]faults.Kind{faults.Throttled}, plaza.ErrBusy, 1},
	} {
		for name, call := range calls(t) {
			read, stopped, batch := slices.Contains(reads, name), strings.HasSuffix(end, "stopped"), strings.HasPrefix(name, "batch ")
			if name == "verify" || end == "in conflict" && (batch || read) || end == "unprocessed" && !batch {
				continue
			}
			t.Run(name+"/"+end, func(t *testing.T) {
				t.Parallel()
				simulated(t, func(t *testing.T, table *store.Table, in *faults.Injector) {
					for _, lost := range []faults.Kind{faults.None, faults.LostBefore, faults.LostAfter, faults.InProgress} {
						if lost == faults.InProgress && name != "transaction" {
							continue
						}
						kinds, class := c.kinds, c.class
						if lost != faults.None {
							kinds, class = slices.Concat([]faults.Kind{lost}, kinds), plaza.ErrUnknownOutcome
							if read {
								class = plaza.ErrBusy
							}
						}
						if read && stopped {
							class = nil
						}
						in.On()
						ctx, cancel := context.WithCancel(t.Context())
						before := in.Requests()
						in.Script(func(_ string, _ []byte, n int) faults.Fault {
							n = min(n-before, len(kinds))
							if stopped && n == len(kinds) {
								cancel()
							}
							return faults.Fault{Kind: kinds[n-1], Entries: 1}
						})
						err := call(ctx, table)
						cancel()
						requireClass(t, class, err)
						require.Equal(t, stopped, errors.Is(err, context.Canceled))
						in.Off()
						if lost == faults.None {
							if name != "transaction" {
								require.LessOrEqual(t, in.Requests()-before, c.most)
							}
							require.LessOrEqual(t, in.Requests()-before, 30)
							require.Equal(t, []row{{PK: "p", SK: "a"}}, stored(t, table, "p"))
						}
					}
				})
			})
		}
	}
}

// A call whose requests cannot leave the process says where they should have gone.
func TestACallThatCannotBeSentIsUnavailable(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	const region = "eu-west-1"
	for name, o := range map[string]dynamodb.Options{
		"nobody listens": {BaseEndpoint: aws.String("http://" + closed.Addr().String())},
		"no such host":   {BaseEndpoint: aws.String("http://plaza.invalid")},
		"no scheme":      {BaseEndpoint: aws.String("localhost:8000")},
		"no host":        {BaseEndpoint: aws.String("http:///localhost")},
		"no URL":         {BaseEndpoint: aws.String("http://a b")},
		"no region":      {Region: "no region"},
		"no role": {Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{}, &smithyhttp.ResponseError{
				Response: &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusForbidden}},
				Err:      &smithy.GenericAPIError{Code: "AccessDeniedException"},
			}
		})},
		"no credentials": {Credentials: aws.NewCredentialsCache(aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{}, errors.New("none")
		}))},
	} {
		o.Region, o.Retryer = cmp.Or(o.Region, region), aws.NopRetryer{}
		if o.Credentials == nil {
			o.Credentials = credentials.NewStaticCredentialsProvider("id", "secret", "")
		}
		table, err := store.Open(dynamo.NewFromIface(dynamodb.New(o)), "t", nil, true)
		require.NoError(t, err)
		for what, call := range calls(t) {
			err := call(t.Context(), table)
			requireClass(t, plaza.ErrUnavailable, err)
			require.ErrorContains(t, err, cmp.Or(aws.ToString(o.BaseEndpoint), o.Region), "%s: %s", name, what)
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			err = call(ended, table)
			requireClass(t, nil, err)
			require.ErrorIs(t, err, context.Canceled)
		}
	}
}

// silent answers no request.
type silent struct{}

func (silent) Do(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestATransactionIsNotSentAgainOnceItsTokenMayBeForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, err := store.Open(dynamo.NewFromIface(dynamodb.New(dynamodb.Options{
			Region: "eu-west-1", HTTPClient: silent{}, Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
		})), "t", nil, true)
		require.NoError(t, err)
		begun := time.Now()
		requireClass(t, plaza.ErrUnknownOutcome, table.Run(t.Context(), writes["transaction"](table)))
		require.Less(t, time.Since(begun), 10*time.Minute)
	})
}

func TestLostAnswersAreRepeatedHarmlessly(t *testing.T) {
	t.Parallel()
	for write, do := range writes {
		t.Run(write, func(t *testing.T) {
			t.Parallel()
			for _, kind := range []faults.Kind{faults.LostBefore, faults.LostAfter, faults.Twice} {
				table, in := newWritten(t)
				next(in, 1, faults.Fault{Kind: kind})
				err := table.Run(t.Context(), do(table))
				if refused, ok := store.AsRefused(err); ok { // refused because of the item that the first attempt wrote
					standing, _ := refused.At(0)
					require.Equal(t, item(t, outcome[write][1]), standing)
					err = nil
				}
				require.NoError(t, err, kind)
				require.Equal(t, outcome[write], stored(t, table, "p"), kind)
			}
		})
	}
}

func TestATransactionIsAppliedOnceHoweverItsAttemptsEnd(t *testing.T) {
	t.Parallel()
	for range 8 { // the driver writes additions in random order
		table, in := newTable(t)
		in.Script(func(_ string, _ []byte, n int) faults.Fault {
			return []faults.Fault{
				{Kind: faults.LostAfter},
				{Kind: faults.InProgress}, {Kind: faults.InProgress}, // the SDK gives up
				{Kind: faults.InProgress},
				{Kind: faults.Conflict, Reasons: []string{"None", "ThrottlingError"}},
				{},
			}[min(n, 6)-1]
		})
		key := store.Key{PK: "p", SK: "a"}
		require.NoError(t, table.Run(t.Context(), table.Tx().
			Update(table.Update(key).Add("n", 1).Add("m", 1).Add("l", 1)).
			Delete(table.Delete(store.Key{PK: "p", SK: "b"}))))
		require.Equal(t, 6, in.Requests())
		require.Equal(t, []row{{PK: "p", SK: "a", N: 1}}, stored(t, table, "p"))
	}
}

func TestRefusedHasTheStoredItem(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	standing := row{PK: "p", SK: "a", N: 7}
	require.NoError(t, table.Run(t.Context(), table.Put(standing)))
	nothing := store.Key{PK: "p", SK: "nothing"}

	type verdict struct {
		failed bool
		item   *row
	}
	for name, c := range map[string]struct {
		write store.Write
		want  []verdict
	}{
		"put over another":           {table.Put(row{PK: "p", SK: "a"}).If("attribute_not_exists(pk)"), []verdict{{true, &standing}}},
		"update under another value": {table.Update(standing.key()).Set("n", 8).If("n = ?", 6), []verdict{{true, &standing}}},
		"delete of another value":    {table.Delete(standing.key()).If("n = ?", 6), []verdict{{true, &standing}}},
		"update of nothing":          {table.Update(nothing).Set("n", 8).If("attribute_exists(pk)"), []verdict{{true, nil}}},
		"transaction": {
			table.Tx().
				Put(table.Put(row{PK: "p", SK: "new"}).If("attribute_not_exists(pk)")).
				Put(table.Put(row{PK: "p", SK: "a"}).If("attribute_not_exists(pk)")).
				Delete(table.Delete(nothing).If("attribute_exists(pk)")),
			[]verdict{{false, nil}, {true, &standing}, {true, nil}},
		},
	} {
		refused, ok := store.AsRefused(table.Run(t.Context(), c.write))
		require.True(t, ok, name)
		for i, want := range append(c.want, verdict{}) {
			got, failed := refused.At(i)
			require.Equal(t, want.failed, failed, "%s: write %d", name, i)
			if want.item == nil {
				require.Nil(t, got, "%s: write %d", name, i)
			} else {
				require.Equal(t, item(t, *want.item), got, "%s: write %d", name, i)
			}
		}
		require.Equal(t, []row{standing}, stored(t, table, "p"), name)
	}

	_, ok := store.AsRefused(errors.New("something else"))
	require.False(t, ok)
}

// Only a lost answer leaves a doubt. A throttled attempt was not applied, nor was a
// transaction that is refused.
func TestARefusalIsDoubtfulAfterALostAnswer(t *testing.T) {
	t.Parallel()
	for kind, doubtful := range map[faults.Kind]bool{
		faults.None: false, faults.LostBefore: true, faults.LostAfter: true, faults.Throttled: false, faults.Conflict: false,
	} {
		table, in := newTable(t)
		a := row{PK: "p", SK: "a"}
		require.NoError(t, table.Run(t.Context(), table.Put(a)))
		var whole row
		for what, write := range map[string]store.Write{
			"put":       table.Put(a).If("attribute_not_exists(pk)"),
			"update":    table.Update(a.key()).Set("n", 1).If("attribute_not_exists(pk)"),
			"returning": store.Returning{Update: table.Update(a.key()).Set("n", 1).If("attribute_not_exists(pk)"), Out: &whole},
			"delete":    table.Delete(a.key()).If("attribute_not_exists(pk)"),
			"tx":        table.Tx().Update(table.Update(a.key()).Set("n", 1).If("attribute_not_exists(pk)")),
		} {
			next(in, 1, faults.Fault{Kind: kind})
			refused, ok := store.AsRefused(table.Run(t.Context(), write))
			require.True(t, ok, "%s, %v", what, kind)
			require.Equal(t, doubtful && what != "tx", refused.Doubtful(), "%s, %v", what, kind)
		}
	}
}

func TestReturningGivesTheWholeItemAfterOrBefore(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	require.NoError(t, table.Run(t.Context(), table.Put(row{PK: "p", SK: "a", N: 7, Text: "kept"})))
	key := store.Key{PK: "p", SK: "a"}
	var after, before row
	require.NoError(t, table.Run(t.Context(), store.Returning{Update: table.Update(key).Add("n", 1), Out: &after}))
	require.Equal(t, row{PK: "p", SK: "a", N: 8, Text: "kept"}, after)
	require.NoError(t, table.Run(t.Context(), store.Returning{Update: table.Update(key).Add("n", 1), Out: &before, Before: true}))
	require.Equal(t, after, before)
}
