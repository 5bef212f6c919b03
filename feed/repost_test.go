package feed_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// A repost is hidden because of the entries below it, wherever a page or a read
// ends.
func TestPagesOfEverySizeHideTheSameReposts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	as := make([]feed.Activity, 12)
	for i := range as {
		as[i] = activity("chris", i/2) // each two are about the same object
	}
	w.lay(t, "chris", as)
	var entries []entry
	for i := range as {
		for edge := range ids.ID(1 + i%4*5) {
			entries = append(entries, entryOf(as[i], "chris", edge+1))
		}
	}
	w.hideEdges(t, "chris", 3) // hides rows of one entry
	w.putEntries(t, entries)
	for window := 1; window <= 20; window += faults.Size(6, 12) {
		opts := feed.Options{About: aboutObject, RepostWindow: window}
		whole, err := counted(t, w, opts)(t.Context(), cursor.PageRequest{Limit: 100})
		require.NoError(t, err)
		var want []feed.CacheKey
		for i, a := range slices.Backward(as) {
			below := entriesBelow(entries, a, window)
			repeats := slices.ContainsFunc(below, func(e entry) bool { return e.About == a.Object.String() && notHidden(e) })
			if i%4 != 0 && !repeats {
				want = append(want, owned([]feed.Activity{a})...)
			}
		}
		require.Equal(t, want, owned(whole.Items), "window %d", window)
		for _, limit := range faults.Some(1, 2, 8, 1, 3) {
			requireWalk(t, counted(t, w, opts), limit, want)
		}
	}
}

// notHidden reports whether an ending of edges up to 3 does not hide the entry.
func notHidden(e entry) bool { return keys.Split(e.SK)[2] > ids.ID(3).String() }

func TestARepostNearItsOriginalDoesNotShow(t *testing.T) {
	t.Parallel()
	window := faults.Size(5, 2)
	opts := &feed.Options{Consistent: true, About: aboutObject, RepostWindow: window}
	for between := range window + 2 {
		if between != window-1 && between != window && !faults.Full() {
			continue
		}
		t.Run(fmt.Sprint(between, " between"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.subscribe(t, "jack", "chris")
			w.subscribe(t, "jack", "ann")
			want := w.publish(t, "chris", 1)
			original := want[0]
			for n := range between {
				want = append(want, w.send(t, "chris", activity("chris", 100+n)))
			}
			repost := activity("ann", 1)
			repost.Verb = "share"
			repost = w.send(t, "ann", repost)
			if between >= window {
				want = append(want, repost)
			}
			w.subscribe(t, "late", "chris")
			w.subscribe(t, "late", "ann")
			requireSizes(t, w.Home("jack").List, inHome(want), faults.Some(1, 2, 1, 5))
			require.Equal(t, newestFirst(want), all(t, w.Home("late").List, 3), "copied entries agree")

			require.True(t, w.remove(t, "chris", original.ID))
			require.Contains(t, all(t, w.Home("jack").List, 3), repost.ID, "its original is no longer in the home")
		})
	}
}

func aboutObject(a feed.Activity) feed.Ref { return a.Object }

func TestAnInvalidAboutIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, About: func(feed.Activity) feed.Ref { return feed.Ref{Kind: "repost"} }})
	plain := w.process(t, nil)
	done := plain.publish(t, "chris", 1)
	_, _, err := w.Outbox("chris").Publish(t.Context(), activity("chris", 2))
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "Options.About.ID", invalid.Field)
	w.subscribe(t, "jack", "chris")
	require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 10), "copied entries repeat nothing")
}
