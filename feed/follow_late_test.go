package feed_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// Each write of a follow in turn is late: the caller gives up, repeats the follow, undoes
// it, and then the write arrives.
func TestALateFollowAfterAnUnfollowIsRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range faults.Sample(2, map[string]struct {
		mode  feed.Mode
		op    string
		undo  feed.UnfollowOptions
		named bool // the Unfollow names the edge, which is not there yet
	}{
		"the edge":                       {feed.Pushed, "TransactWriteItems", feed.UnfollowOptions{}, false},
		"the edge, named":                {feed.Pushed, "TransactWriteItems", feed.UnfollowOptions{}, true},
		"the copies":                     {feed.Pushed, "BatchWriteItem", feed.UnfollowOptions{}, false},
		"the edge to a Pulled one":       {feed.Pulled, "TransactWriteItems", feed.UnfollowOptions{}, false},
		"the edge to a Pulled one, kept": {feed.Pulled, "TransactWriteItems", feed.UnfollowOptions{KeepHistory: true}, false},
		"the pull":                       {feed.Pulled, "UpdateItem", feed.UnfollowOptions{}, false},
		"the pull, kept":                 {feed.Pulled, "UpdateItem", feed.UnfollowOptions{KeepHistory: true}, false},
	}, "the pull") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.lay(t, "chris", activities("chris", 2))
			if tc.mode == feed.Pulled {
				w.switchTo(t, "chris", feed.Pulled)
			}
			jack := w.Home("jack")
			opts := &feed.FollowOptions{ID: w.mint(t)}
			late := &faults.Late{Holds: func(on string, _ []byte) bool { return on == tc.op }}
			_, err := w.process(t, nil, late.Wrap).Home("jack").Follow(t.Context(), "chris", opts)
			require.Error(t, err)
			if tc.named {
				tc.undo.ID = opts.ID
			} else {
				created, err := jack.Follow(t.Context(), "chris", opts)
				require.NoError(t, err)
				require.True(t, created)
			}
			_, err = jack.Unfollow(t.Context(), "chris", &tc.undo)
			require.NoError(t, err)
			before := headerItem(t, w, "jack")
			late.Arrive(t)
			require.Equal(t, before, headerItem(t, w, "jack"))
			requireNotFollowing(t, w, "jack", "chris")
			w.publish(t, "chris", 1)
			if tc.undo.KeepHistory {
				require.Len(t, all(t, jack.List, 10), 2)
			} else {
				require.Empty(t, all(t, jack.List, 10))
			}
			_, err = jack.Follow(t.Context(), "chris", opts)
			require.ErrorIs(t, err, plaza.ErrRemoved)
			w.subscribe(t, "jack", "chris")
			require.Len(t, all(t, jack.List, 10), 3)
		})
	}
}

// Each request of an unfollow in turn arrives after the source was followed
// again.
func TestALateUnfollowKeepsANewerEdge(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"UpdateItem", "TransactWriteItems"} {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.subscribe(t, "jack", "chris")
			done := w.publish(t, "chris", 2)
			late := &faults.Late{Holds: func(on string, _ []byte) bool { return on == op }}
			_, err := w.process(t, nil, late.Wrap).Home("jack").Unfollow(t.Context(), "chris", nil)
			require.Error(t, err)
			w.unfollow(t, "jack", "chris", nil)
			w.subscribe(t, "jack", "chris")
			// The ending of a second unfollow is greater than the first.
			w.unfollow(t, "jack", "chris", nil)
			late.Arrive(t)
			require.Empty(t, all(t, w.Home("jack").List, 10))
			w.subscribe(t, "jack", "chris")
			require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 10))
		})
	}
}

func requireNotFollowing(t testing.TB, w world, reader, source string) {
	t.Helper()
	_, err := w.follows.Get(t.Context(), followEdge(reader, source))
	require.ErrorIs(t, err, plaza.ErrNotFound)
}

func TestAnUnfollowByIDLeavesAnotherEdge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	first := w.mint(t)
	_, err := w.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{ID: first})
	require.NoError(t, err)
	w.unfollow(t, "jack", "chris", &feed.UnfollowOptions{ID: first})
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 1)
	require.False(t, w.unfollow(t, "jack", "chris", &feed.UnfollowOptions{ID: first}))
	require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 10))
	edge, err := w.follows.Get(t.Context(), followEdge("jack", "chris"))
	require.NoError(t, err)
	require.True(t, w.unfollow(t, "jack", "chris", &feed.UnfollowOptions{ID: edge.ID}))
	require.Empty(t, all(t, w.Home("jack").List, 10))
}

func TestUnfollowKeepsAConcurrentFollow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.unfollow(t, "jack", "chris", nil)
	// The id comes from a machine whose clock is behind.
	id, err := ids.Backdate(time.Now().Add(-9*time.Second), "jack/chris")
	require.NoError(t, err)
	created, err := w.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{ID: id})
	require.NoError(t, err)
	require.True(t, created)
	done := w.publish(t, "chris", 1)
	require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 10))
}

// The follow arrives and copies an entry while its unfollow is in progress.
func TestUnfollowByIDHidesConcurrentDeliveries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	id := w.mint(t)
	late := w.process(t, nil, held(t, writing("E#jack"), func() {
		_, _, err := w.follows.Follow(t.Context(), follow.Edge{Follower: "jack", Followee: "chris", ID: id})
		require.NoError(t, err)
		w.publish(t, "chris", 1)
	}))
	require.True(t, late.unfollow(t, "jack", "chris", &feed.UnfollowOptions{ID: id}))
	require.Empty(t, all(t, w.Home("jack").List, 10))
}
