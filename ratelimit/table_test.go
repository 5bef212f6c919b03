package ratelimit_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// faultMixes are the mixes of faults that writes must survive.
var faultMixes = []faults.Rates{
	faults.Standard,
	{LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05, Conflict: 0.15, Stale: 0.30},
	{LostBefore: 0.10, LostAfter: 0.30, Throttled: 0.20, Twice: 0.10, Delayed: 0.05, Stale: 0.25},
}

// Several processes use it under faults. It allows no more than the rate, and it allows
// repeats.
func TestATableIsExact(t *testing.T) {
	t.Parallel()
	for seed := range uint64(faults.Size(20, 3)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, faultMixes[seed%3])
			table, c := dynamotest.Table(t, store.Schema), newClock()
			for round := range 3 {
				user := fmt.Sprint("user ", round)
				var let, refused atomic.Int64
				var group sync.WaitGroup
				for p := range 3 {
					l := newTable(t, c, table, in.Wrap)
					group.Go(func() {
						for i := range 2 {
							a := ratelimit.Attempt{Object: "v", User: user, ID: fmt.Sprint(p, i)}
							var wait time.Duration
							faults.Acknowledged(t, func() (err error) {
								wait, err = l.Take(t.Context(), a)
								return err
							})
							if wait > 0 {
								refused.Add(1)
								continue
							}
							let.Add(1)
							faults.Acknowledged(t, func() (err error) {
								wait, err = l.Take(t.Context(), a)
								return err
							})
							if wait > 0 {
								t.Error("a repeat was refused")
							}
						}
					})
				}
				group.Wait()
				require.EqualValues(t, 3, let.Load(), "of six at once")
				require.EqualValues(t, 3, refused.Load())
			}
			require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice)+in.Count(faults.LostBefore))
		})
	}
}

// Long ids cost no more, nor do the indexes of the features' tables.
func TestTheCostOfATable(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]func(string) *dynamodb.CreateTableInput{"store": store.Schema, "danmu": danmu.Table, "message": message.Table} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			meter := dynamotest.NewMeter()
			c := newClock()
			l := newTable(t, c, dynamotest.Table(t, schema), meter.Wrap)
			long := strings.Repeat("k", 250)
			n := 0
			cost := func(what string, want dynamotest.Cost, wait bool) {
				t.Helper()
				n++
				meter.AtMost(t, what, want, func() {
					require.Equal(t, wait, take(t, l, ratelimit.Attempt{Object: "v", User: "ann", ID: long + fmt.Sprint(n)}) > 0)
				})
			}
			one, two := dynamotest.Cost{Requests: 1, Write: 1}, dynamotest.Cost{Requests: 2, Write: 2}
			cost("first", one, false)
			cost("second", two, false)
			cost("third", two, false)
			cost("refused", one, true)
			for range 20 {
				c.pass(2 * time.Second)
				cost("with 16 others", two, false)
			}
			c.pass(time.Minute)
			cost("after a rest", one, false)
		})
	}
}

func number(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// The damaged item is reported and replaced.
func TestADamagedItemLocksNobodyOut(t *testing.T) {
	t.Parallel()
	c, name := newClock(), dynamotest.Table(t, store.Schema)
	var heard []string
	l, err := ratelimit.NewTable(dynamotest.DB(t), name, ratelimit.Rate{Every: time.Second, Burst: 2}, &ratelimit.Options{
		Now:       c.Now,
		OnCorrupt: func(e *plaza.CorruptError) { heard = append(heard, e.PK+" / "+e.SK) },
	})
	require.NoError(t, err)
	a := ratelimit.Attempt{Object: "v", ID: "0"}
	for i, d := range []dynamo.Item{
		{"full": number("9223372036854775807")},
		{"full": number("99999999999999")},
		{"full": text("soon")},
		{"attempts": number("1")},
		{"attempts": &types.AttributeValueMemberNULL{Value: true}, "full": number("4102444800000")},
		{"ttl": text("never")},
		{"ttl": number("1")},
	} {
		a.User = fmt.Sprint("user ", i)
		require.Zero(t, take(t, l, a))
		for attribute, value := range d {
			damage := dynamotest.DB(t).Table(name).Update("pk", "Q#v#"+a.User).Range("sk", "Q").Set(attribute, value)
			require.NoError(t, damage.Run(t.Context()))
		}
		for n, want := range []time.Duration{0, 0, time.Second} {
			again := a
			again.ID = fmt.Sprint(n + 1)
			require.Equal(t, want, take(t, l, again), "%v", d)
		}
		require.Equal(t, []string{"Q#v#" + a.User + " / Q"}, heard)
		heard = nil
	}
}

func TestTakeNamesItsRequests(t *testing.T) {
	t.Parallel()
	db := dynamotest.DB(t, func(next aws.HTTPClient) aws.HTTPClient { return callstest.Client(t, next) })
	limiter, err := ratelimit.NewTable(db, dynamotest.Table(t, store.Schema), ratelimit.Rate{}, nil)
	require.NoError(t, err)
	type step struct {
		Call string
		Run  func(context.Context) error
	}
	callstest.Run(t, "..", "ratelimit", []step{{"Table.Take", func(ctx context.Context) error {
		return callstest.Failed(limiter.Take(ctx, ratelimit.Attempt{Object: "photo", User: "ann", ID: "1"}))
	}}})
}

// Attempts are stored, so that a repeat after an upgrade is one.
func TestTheDigestOfAnAttemptStaysTheSame(t *testing.T) {
	t.Parallel()
	table := dynamotest.Table(t, store.Schema)
	_, err := newTable(t, newClock(), table).Take(t.Context(), ratelimit.Attempt{Object: "v", User: "ann", ID: "key 1"})
	require.NoError(t, err)
	var item struct {
		Attempts []string `dynamo:"attempts"`
	}
	require.NoError(t, dynamotest.DB(t).Table(table).Get("pk", "Q#v#ann").Range("sk", dynamo.Equal, "Q").One(t.Context(), &item))
	require.Equal(t, []string{"Inul8sbJEJ/lxEoGlvOTNw"}, item.Attempts)
}
