package feed_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
)

// harsh is faults.Standard with other failures that may pass.
var harsh = faults.Rates{
	LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05,
	Conflict: 0.05, Unprocessed: 0.10, Stale: 0.20,
}

// retried repeats a call until it succeeds.
func retried[T any](t testing.TB, call func() (T, error)) (got T) {
	t.Helper()
	for range 100 {
		var err error
		if got, err = call(); !faults.Passing(err) {
			assert.NoError(t, err, "it does not pass")
			return got
		}
	}
	t.Errorf("no answer in 100 calls")
	return got
}

// deliverAll finishes all deliveries. The clock of later must be past every
// lease.
func deliverAll(t testing.TB, later world) {
	t.Helper()
	for {
		if later.deliver(t) == 0 {
			return
		}
	}
}

var people = []string{"ann", "bob", "chris", "dora", "eve"}

// Three readers follow a source and leave it, which publishes and removes, while others use
// up what their keys may take. The stream delivers late and twice. In the end a home has
// everything or nothing.
func TestNothingIsLostOrDoubledWhereKeysAreHot(t *testing.T) {
	t.Parallel()
	buckets, records := &faults.Buckets{PerSecond: 200}, faults.NewRecords(1)
	var clock clock
	tables := world{feedTable: dynamotest.Table(t, streamtest.Streamed(feed.Table)), followTable: dynamotest.Table(t, follow.Table)}
	changes := streamtest.WatchTwice(t, tables.feedTable, feed.Changes, records)
	clean := tables.timed(t, &clock, feed.Options{Consistent: true})
	w := tables.timed(t, &clock, feed.Options{Consistent: true, InlineFollowers: 1}, buckets.Wrap)
	star, ctx := w.Outbox("star"), t.Context()
	persist := func(call func() error) {
		t.Helper()
		faults.Acknowledged(t, func() error {
			err := call()
			if err == nil {
				return nil
			}
			require.ErrorIs(t, err, plaza.ErrBusy)
			clock.advance(31 * time.Second)
			for range 60 { // of others: a batch needs 25 units at once
				_, err := w.Home("another").List(ctx, cursor.PageRequest{})
				require.NoError(t, err)
			}
			return err
		})
	}
	random := rand.New(rand.NewPCG(1, 1))
	var posts []ids.ID
	follows, listed := map[string]bool{}, map[ids.ID]bool{}
	for steps := 0; buckets.Throttled() < 50 || records.Twice() < 20; steps++ {
		require.Less(t, steps, 500, "%d throttled, %d twice", buckets.Throttled(), records.Twice())
		home, name := w.Home(reader(steps%3)), reader(steps%3)
		switch random.IntN(6) {
		case 0, 1:
			a := activity("star", steps)
			a.ID = w.mint(t)
			persist(func() error { _, _, err := star.Publish(ctx, a); return err })
			if posts = append(posts, a.ID); len(posts) > 30 {
				persist(func() error { _, err := star.Remove(ctx, posts[0]); return err })
				posts = posts[1:]
			}
		case 2, 3:
			persist(func() error { _, err := home.Follow(ctx, "star", nil); return err })
			follows[name] = true
		case 4:
			persist(func() error { _, err := home.Unfollow(ctx, "star", nil); return err })
			follows[name] = false
		case 5:
			persist(func() error { _, err := w.Deliver(ctx); return err })
		}
		for _, c := range changes.Next(t) {
			if listed[c.Activity.ID] = true; c.Kind != feed.Published {
				delete(listed, c.Activity.ID)
			}
		}
	}
	require.Len(t, listed, len(posts))
	clean.settle(t, &clock)
	for i := range 3 {
		var want []ids.ID
		for _, id := range slices.Backward(posts) {
			if require.True(t, listed[id]); follows[reader(i)] {
				want = append(want, id)
			}
		}
		require.Equal(t, want, all(t, clean.Home(reader(i)).List, 10))
	}
}
