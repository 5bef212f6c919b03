package feed_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

func addressed(actor string, n int, to ...string) feed.Activity {
	a := activity(actor, n)
	a.To = to
	return a
}

func TestAnActivityReachesTheOutboxesItIsAddressedTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	w.subscribe(t, "ann", "birds")
	a, err := w.Outbox("chris").Publish(t.Context(), addressed("chris", 1, "birds", "paris"))
	require.NoError(t, err)
	want := []ids.ID{a.ID}
	for name, list := range map[string]lister{
		"the author's outbox":   w.Outbox("chris").List,
		"a topic's outbox":      w.Outbox("birds").List,
		"a place's outbox":      w.Outbox("paris").List,
		"the author's follower": w.Home("jack").List,
		"the topic's follower":  w.Home("ann").List,
	} {
		require.Equal(t, want, all(t, list, 10), name)
	}
	w.subscribe(t, "late", "paris")
	require.Equal(t, want, all(t, w.Home("late").List, 10), "copied from the reference")

	got, err := w.Outbox("birds").Get(t.Context(), a.ID)
	require.NoError(t, err)
	require.Equal(t, a, got)

	edit := a
	edit.Data = []byte(`{"message":"better"}`)
	edit, err = w.Outbox("chris").Update(t.Context(), edit)
	require.NoError(t, err)
	for _, list := range []lister{w.Outbox("birds").List, w.Home("ann").List} {
		page, err := list(t.Context(), cursor.PageRequest{})
		require.NoError(t, err)
		require.Equal(t, []feed.Activity{edit}, page.Items)
	}

	_, err = w.Outbox("birds").Update(t.Context(), edit)
	require.ErrorIs(t, err, plaza.ErrInvalid, "it is chris's")
	edit.Owner = ""
	_, err = w.Outbox("birds").Update(t.Context(), edit)
	require.ErrorIs(t, err, plaza.ErrNotFound, "it is changed where it was published")
	removed, err := w.Outbox("birds").Remove(t.Context(), a.ID)
	require.NoError(t, err)
	require.False(t, removed)

	removed, err = w.Outbox("chris").Remove(t.Context(), a.ID)
	require.NoError(t, err)
	require.True(t, removed)
	for _, list := range []lister{w.Outbox("birds").List, w.Home("ann").List, w.Home("jack").List, w.Home("late").List} {
		require.Empty(t, all(t, list, 10))
	}
	_, err = w.Outbox("birds").Get(t.Context(), a.ID)
	require.ErrorIs(t, err, plaza.ErrNotFound)
}

func TestWhatIsOwedTwiceShowsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	w.subscribe(t, "jack", "birds")
	var done []feed.Activity
	for n := range 12 {
		a, err := w.Outbox("chris").Publish(t.Context(), addressed("chris", n, "birds"))
		require.NoError(t, err)
		done = append(done, a)
	}
	for limit := 1; limit <= 13; limit++ {
		require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, limit), "by %d", limit)
	}
	_, err := w.Home("jack").Unfollow(t.Context(), "birds", nil)
	require.NoError(t, err)
	require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 5), "the author still brings it")
	_, err = w.Home("jack").Unfollow(t.Context(), "chris", nil)
	require.NoError(t, err)
	require.Empty(t, all(t, w.Home("jack").List, 5))
}

func TestTo(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	_, err := w.Outbox("chris").Publish(t.Context(), activity("chris", 0))
	require.NoError(t, err)
	var twenty []string
	for n := range 20 {
		twenty = append(twenty, fmt.Sprint("topic-", n))
	}
	t.Run("costs 2 WCU each, and a walk over their followers", func(t *testing.T) {
		meter.AtMost(t, "publish to 20", dynamotest.Cost{Requests: 1 + 21 + 1, Read: 21, Write: 5 + 2*20}, func() {
			_, err := w.Outbox("chris").Publish(t.Context(), addressed("chris", 1, twenty...))
			require.NoError(t, err)
		})
	})
	t.Run("is checked before any request", func(t *testing.T) {
		meter.Take()
		for field, to := range map[string][]string{
			"To":    append(twenty, "one more"),
			"To[1]": {"birds", ""},
			"To[2]": {"birds", "paris", "birds"},
		} {
			_, err := w.Outbox("chris").Publish(t.Context(), addressed("chris", 1, to...))
			var invalid *plaza.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, field, invalid.Field)
		}
		_, err := w.Outbox("chris").Publish(t.Context(), addressed("chris", 1, "chris"))
		require.ErrorIs(t, err, plaza.ErrInvalid, "its own outbox")
		require.Zero(t, meter.Take().Requests)
	})
	t.Run("belongs to the identity", func(t *testing.T) {
		a, err := w.Outbox("chris").Publish(t.Context(), addressed("chris", 1, "birds"))
		require.NoError(t, err)
		again, err := w.Outbox("chris").Publish(t.Context(), a)
		require.NoError(t, err)
		require.Equal(t, a, again)
		a.To = []string{"paris"}
		_, err = w.Outbox("chris").Publish(t.Context(), a)
		require.ErrorIs(t, err, plaza.ErrConflict)
		require.Empty(t, all(t, w.Outbox("paris").List, 10))
	})
}
