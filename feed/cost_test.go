package feed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// Activities are just under 1 KB, names have up to 16 bytes.
func TestCallsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &feed.Options{}, meter.Wrap)
	chris, jack := w.Outbox("chris-0123456789"), w.Home("jack-01234567890")
	publish := func(a feed.Activity) feed.Activity {
		a, _, err := chris.Publish(t.Context(), a)
		require.NoError(t, err)
		return a
	}
	list := func(l lister, limit, want int) func() {
		return func() {
			page, err := l(t.Context(), cursor.PageRequest{Limit: limit})
			require.NoError(t, err)
			require.Len(t, page.Items, want)
		}
	}

	meter.AtMost(t, "a process's first publish, nobody follows", dynamotest.Cost{Requests: 5, Read: 2, Write: 6}, func() { publish(kilobyte(1)) })
	meter.AtMost(t, "publish, nobody follows", dynamotest.Cost{Requests: 3, Read: 1, Write: 5}, func() { publish(kilobyte(2)) })
	foreign := kilobyte(3)
	foreign.ForeignID = "picture:3"
	meter.AtMost(t, "publish with a foreign id", dynamotest.Cost{Requests: 3, Read: 1, Write: 7}, func() { foreign = publish(foreign) })
	meter.AtMost(t, "repeated publish", dynamotest.Cost{Requests: 2, Read: 1, Write: 6}, func() { publish(foreign) })
	backfill := make([]feed.Activity, 97)
	for n := range backfill {
		backfill[n] = kilobyte(n)
	}
	w.lay(t, "chris-0123456789", backfill)
	meter.AtMost(t, "follow with backfill of 100", dynamotest.Cost{Requests: 7, Read: 27, Write: 110}, func() {
		_, err := jack.Follow(t.Context(), "chris-0123456789", nil)
		require.NoError(t, err)
	})
	meter.AtMost(t, "publish to one follower", dynamotest.Cost{Requests: 5, Read: 2, Write: 6}, func() { publish(kilobyte(100)) })
	meter.AtMost(t, "home page of 20", dynamotest.Cost{Requests: 2, Read: 12}, list(jack.List, 20, 20))
	filtered := w.process(t, &feed.Options{Filter: hideVerb("like", new(int))}, meter.Wrap)
	meter.AtMost(t, "home page of 20 with a filter", dynamotest.Cost{Requests: 2, Read: 12}, list(filtered.Home("jack-01234567890").List, 20, 20))
	reposting := w.process(t, &feed.Options{About: aboutObject}, meter.Wrap)
	meter.AtMost(t, "home page of 20 with reposts", dynamotest.Cost{Requests: 2, Read: 13}, list(reposting.Home("jack-01234567890").List, 20, 20))
	meter.AtMost(t, "trim", dynamotest.Cost{Requests: 1, Write: 1}, func() {
		trimmed, err := jack.Trim(t.Context(), 1)
		require.NoError(t, err)
		require.True(t, trimmed)
	})
	meter.AtMost(t, "outbox page of 20", dynamotest.Cost{Requests: 1, Read: 3}, list(chris.List, 20, 20))
	meter.AtMost(t, "get", dynamotest.Cost{Requests: 1, Read: 0.5}, func() {
		_, err := chris.Get(t.Context(), foreign.ID)
		require.NoError(t, err)
	})
	meter.AtMost(t, "edit that changes nothing", dynamotest.Cost{Requests: 2, Write: 2}, func() {
		_, changed, err := chris.Update(t.Context(), foreign)
		require.NoError(t, err)
		require.False(t, changed)
	})
	meter.AtMost(t, "edit that changes the content", dynamotest.Cost{Requests: 1, Write: 1}, func() {
		foreign.Verb = "put"
		_, changed, err := chris.Update(t.Context(), foreign)
		require.NoError(t, err)
		require.True(t, changed)
	})
	meter.AtMost(t, "remove by foreign id", dynamotest.Cost{Requests: 2, Read: 1, Write: 1}, func() {
		removed, err := chris.RemoveForeign(t.Context(), foreign.ForeignID)
		require.NoError(t, err)
		require.True(t, removed)
	})
	last := publish(kilobyte(101))
	meter.AtMost(t, "remove", dynamotest.Cost{Requests: 1, Write: 1}, func() {
		removed, err := chris.Remove(t.Context(), last.ID)
		require.NoError(t, err)
		require.True(t, removed)
	})
	meter.AtMost(t, "unfollow", dynamotest.Cost{Requests: 3, Read: 1, Write: 11}, func() {
		removed, err := jack.Unfollow(t.Context(), "chris-0123456789", nil)
		require.NoError(t, err)
		require.True(t, removed)
	})
	meter.AtMost(t, "nothing to deliver", dynamotest.Cost{Requests: 5, Read: 2.5}, func() {
		delivered, err := w.Deliver(t.Context())
		require.NoError(t, err)
		require.Zero(t, delivered)
	})
}

// kilobyte is an activity whose item is just under 1 KB.
func kilobyte(n int) feed.Activity {
	a := activity("chris-0123456789", n)
	a.Data = []byte(fmt.Sprintf(`{"message":%q}`, strings.Repeat("x", 750)))
	return a
}

func TestDeliveryCostsOneUnitAFollower(t *testing.T) {
	t.Parallel()
	followers := faults.Size(1_100, 100)
	meter := dynamotest.NewMeter()
	w := newWorld(t, &feed.Options{InlineFollowers: -1}, meter.Wrap)
	w.imported(t, "star", followers)
	_, _, err := w.Outbox("star").Publish(t.Context(), activity("star", 1))
	require.NoError(t, err)
	later := w.later(t, meter.Wrap)
	batches, pages := followers/25, followers/1_000+1
	// The batches, the pages of followers, the counters for walking them, 1
	// checkpoint; the mode; the number of job shards, their queries, the claim and the
	// job's end.
	meter.AtMost(t, "deliver to all", dynamotest.Cost{Requests: batches + pages + 1 + 1 + 8, Read: float64(followers/37 + 5), Write: float64(followers + 3)}, func() {
		delivered, err := later.Deliver(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, delivered)
	})
}
