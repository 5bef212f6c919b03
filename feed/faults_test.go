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

// A source publishes and removes; then readers follow it and leave it, too. Others use up
// what the keys may take. The stream delivers late and twice. A home has everything or
// nothing.
func TestNothingIsLostOrDoubledWhereKeysAreHot(t *testing.T) {
	t.Parallel()
	buckets, records := &faults.Buckets{PerSecond: 600}, faults.NewRecords(1)
	var clock clock
	tables := world{feedTable: dynamotest.Table(t, streamtest.Streamed(feed.Table)), followTable: dynamotest.Table(t, follow.Table)}
	changes := streamtest.WatchTwice(t, tables.feedTable, feed.Changes, records)
	clean := tables.timed(t, &clock, feed.Options{Consistent: true})
	w := tables.timed(t, &clock, feed.Options{Consistent: true, InlineFollowers: 2}, buckets.Wrap)
	star, ctx, random := w.Outbox("star"), t.Context(), rand.New(rand.NewPCG(1, 1))
	persist := func(call func() error) {
		t.Helper()
		faults.Acknowledged(t, func() error {
			err := call()
			if err == nil {
				return nil
			}
			require.ErrorIs(t, err, plaza.ErrBusy)
			clock.advance(31 * time.Second) // past a lease
			for range 200 {                 // others' requests: a batch needs up to 25 units at once
				_, err := w.Home("another").List(ctx, cursor.PageRequest{})
				require.NoError(t, err)
			}
			return err
		})
	}
	var posts []ids.ID
	follows, listed := map[string]bool{}, map[ids.ID]bool{}
	check := func() {
		for _, c := range changes.Next(t) {
			if listed[c.Activity.ID] = true; c.Kind != feed.Published {
				delete(listed, c.Activity.ID)
			}
		}
		require.Len(t, listed, len(posts))
		clean.settle(t, &clock)
		for name, follows := range follows {
			want := []ids.ID(nil)
			if follows {
				want = slices.Clone(posts)
				slices.Reverse(want)
			}
			require.Equal(t, want, all(t, clean.Home(name).List, 10), name)
		}
	}
	for steps := 0; buckets.Throttled() < 200 || records.Twice() < 20; steps++ {
		require.Less(t, steps, 500, "%d throttled, %d twice", buckets.Throttled(), records.Twice())
		name, act := reader(random.IntN(3)), random.IntN(6)
		if buckets.Throttled() < 30 {
			act = 0
		}
		switch act {
		case 0, 1:
			a := activity("star", steps)
			a.ID = w.mint(t)
			persist(func() error { _, _, err := star.Publish(ctx, a); return err })
			if posts = append(posts, a.ID); len(posts) > 30 {
				persist(func() error { _, err := star.Remove(ctx, posts[0]); return err })
				posts = posts[1:]
			}
		case 2, 3:
			persist(func() error { _, err := w.Home(name).Follow(ctx, "star", nil); return err })
			follows[name] = true
		case 4:
			persist(func() error { _, err := w.Home(name).Unfollow(ctx, "star", nil); return err })
			follows[name] = false
		case 5:
			persist(func() error { _, err := w.Deliver(ctx); return err })
		}
		if steps%4 == 0 {
			check()
		}
	}
	check()
}
