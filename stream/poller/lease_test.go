package poller

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

const testARN = "arn:aws:dynamodb:us-east-1:123456789012:table/source/stream/2026-01-02T03:04:05.678"

func newTestLeases(t testing.TB, table string, wrap ...func(aws.HTTPClient) aws.HTTPClient) leases {
	t.Helper()
	opened, err := store.Open(dynamotest.DB(t, wrap...), table, nil, true)
	require.NoError(t, err)
	return newLeases(opened, "group", testARN)
}

func (l leases) stored(t testing.TB, shard string) leaseItem {
	t.Helper()
	shards, _, err := l.all(t.Context())
	require.NoError(t, err)
	require.Contains(t, shards, shard)
	return shards[shard]
}

func TestALeaseHasOneOwner(t *testing.T) {
	t.Parallel()
	l := newTestLeases(t, dynamotest.Table(t, Table))
	seen, err := l.add(t.Context(), shard{id: "s"})
	require.NoError(t, err)
	for gen := range int64(3) {
		require.Equal(t, gen, seen.Gen)
		var tries errgroup.Group
		won := make(chan leaseItem, 16)
		for n := range 16 {
			tries.Go(func() error {
				name := fmt.Sprint("worker-", n)
				stored, err := l.acquire(t.Context(), seen, name)
				if stored.Owner == name {
					won <- stored
				}
				return err
			})
		}
		require.NoError(t, tries.Wait())
		require.Len(t, won, 1)
		seen = <-won
		require.Equal(t, seen, l.stored(t, "s"))
	}
}

func TestAFrozenOwnerCannotWrite(t *testing.T) {
	t.Parallel()
	l := newTestLeases(t, dynamotest.Table(t, Table))
	seen, err := l.add(t.Context(), shard{id: "s", parent: "p"})
	require.NoError(t, err)
	ann, err := l.acquire(t.Context(), seen, "ann")
	require.NoError(t, err)
	owned, err := l.checkpoint(t.Context(), &ann, "5")
	require.NoError(t, err)
	require.True(t, owned)

	bob, err := l.acquire(t.Context(), ann, "bob")
	require.NoError(t, err)
	require.Equal(t, "5", bob.Seq, "it goes on from there")
	for range 2 { // even if she had the name that is stored
		owned, err = l.checkpoint(t.Context(), &ann, "6")
		require.NoError(t, err)
		require.False(t, owned)
		owned, err = l.end(t.Context(), ann)
		require.NoError(t, err)
		require.False(t, owned)
		require.NoError(t, l.release(t.Context(), ann))
		require.Equal(t, bob, l.stored(t, "s"))
		ann.Owner = "bob"
	}
	owned, err = l.end(t.Context(), bob)
	require.NoError(t, err)
	require.True(t, owned)
	owned, err = l.end(t.Context(), bob)
	require.NoError(t, err)
	require.True(t, owned, "a repeat")
	again, err := l.acquire(t.Context(), l.stored(t, "s"), "ann")
	require.NoError(t, err)
	require.Empty(t, again.Owner, "an ended shard has no owner")
}

func TestALateCheckpointUndoesNothing(t *testing.T) {
	t.Parallel()
	var hold atomic.Bool
	late := &faults.Late{Holds: func(string, []byte) bool { return hold.Load() }}
	l := newTestLeases(t, dynamotest.Table(t, Table), late.Wrap)
	seen, err := l.add(t.Context(), shard{id: "s"})
	require.NoError(t, err)
	held, err := l.acquire(t.Context(), seen, "ann")
	require.NoError(t, err)
	for _, step := range []struct{ lost, next string }{{"10", "20"}, {"30", "40"}} {
		hold.Store(true)
		owned, err := l.checkpoint(t.Context(), &held, step.lost)
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
		require.True(t, owned, "for all that is known")
		hold.Store(false)
		owned, err = l.checkpoint(t.Context(), &held, step.next)
		require.NoError(t, err)
		require.True(t, owned)
		late.Arrive(t)
		require.Equal(t, step.next, l.stored(t, "s").Seq)
	}
}

func TestACheckpointWhoseAnswerIsLostHolds(t *testing.T) {
	t.Parallel()
	for _, lost := range []int{1, 3} { // the SDK tries three times
		in := faults.New(t, 1, faults.Rates{})
		l := newTestLeases(t, dynamotest.Table(t, Table), in.Wrap)
		seen, err := l.add(t.Context(), shard{id: "s"})
		require.NoError(t, err)
		held, err := l.acquire(t.Context(), seen, "ann")
		require.NoError(t, err)
		begun := in.Requests()
		in.Script(func(_ string, _ []byte, n int) faults.Fault {
			if n > begun && n <= begun+lost {
				return faults.Fault{Kind: faults.LostAfter}
			}
			return faults.Fault{}
		})
		owned, err := l.checkpoint(t.Context(), &held, "10")
		require.True(t, owned)
		require.Equal(t, lost == 3, err != nil)
		owned, err = l.checkpoint(t.Context(), &held, "20")
		require.NoError(t, err)
		require.True(t, owned)
		require.Equal(t, held, l.stored(t, "s"))
	}
}

func TestQuotasShareAllShardsEvenly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		shares := map[string]int{}
		held := 0
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 5), 1, 9).Draw(t, "shares") {
			shares[fmt.Sprint("worker-", len(shares))] = n
			held += n
		}
		n := held + rapid.IntRange(0, 5).Draw(t, "free")
		sum, least, most := 0, n, 0
		for name := range shares {
			q := quota(name, shares, n)
			sum, least, most = sum+q, min(least, q), max(most, q)
		}
		require.Equal(t, n, sum)
		require.LessOrEqual(t, most-least, 1)
		for name, has := range shares { // no lease moves if they are even already
			if even := n / len(shares); held == n && allWithin(shares, even) {
				require.Equal(t, has, quota(name, shares, n))
			}
		}
	})
}

func allWithin(shares map[string]int, even int) bool {
	for _, n := range shares {
		if n != even && n != even+1 {
			return false
		}
	}
	return true
}
