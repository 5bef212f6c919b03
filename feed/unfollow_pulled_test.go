package feed_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// pulled is a world in which jack follows chris, who is Pulled and has published
// n activities.
func pulled(t testing.TB, n int) (w world, done []feed.Activity) {
	t.Helper()
	w = newWorld(t, nil)
	w.switchTo(t, "chris", feed.Pulled)
	w.subscribe(t, "jack", "chris")
	return w, w.publish(t, "chris", n)
}

func TestAnUnfollowRemovesThePullAsItWritesTheEnding(t *testing.T) {
	t.Parallel()
	w, _ := pulled(t, 1)
	injector := faults.New(t, 1, faults.Rates{})
	injector.KillAt(1)
	_, err := w.process(t, nil, injector.Wrap).Home("jack").Unfollow(t.Context(), "chris", nil)
	require.ErrorIs(t, err, faults.ErrKilled)
	require.Contains(t, headerItem(t, w, "jack"), "end#chris")
	require.Empty(t, pulls(t, w, "jack", "chris"))
	w.switchTo(t, "chris", feed.Pulled) // visits all homes again
	require.Empty(t, pulls(t, w, "jack", "chris"))
}

func TestAFollowAndAnUnfollowAfterAnInterruptedUnfollowOfAPulledSource(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*feed.UnfollowOptions{"removed": nil, "kept": keep} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, done := pulled(t, 2)
			before := w.edge(t, "jack", "chris")
			injector := faults.New(t, 1, faults.Rates{})
			injector.KillBefore(2)
			if name == "kept" {
				injector.KillBefore(3) // the first is refused
			}
			_, err := w.process(t, nil, injector.Wrap).Home("jack").Unfollow(t.Context(), "chris", opts)
			require.ErrorIs(t, err, faults.ErrKilled)
			require.Equal(t, before, w.edge(t, "jack", "chris"))
			for range faults.Size(2, 1) {
				w.subscribe(t, "jack", "chris")
				after := w.edge(t, "jack", "chris")
				require.Greater(t, after, before)
				want := map[ids.ID]pull{after: {At: w.storedMode(t, "chris").At}}
				if name == "kept" {
					want[before] = pull{Until: done[1].ID + 1, Kept: true, At: pulls(t, w, "jack", "chris")[before].At}
				}
				require.Equal(t, want, pulls(t, w, "jack", "chris"))
				require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 1))
			}
			require.True(t, w.unfollow(t, "jack", "chris", nil))
			require.Empty(t, pulls(t, w, "jack", "chris"))
			require.Empty(t, all(t, w.Home("jack").List, 1))
			requireNotFollowing(t, w, "jack", "chris")
		})
	}
}

func TestKeptHistoryEndsAtTheNewestItem(t *testing.T) {
	t.Parallel()
	for name, last := range faults.Sample(4, map[string]func(t *testing.T, w world) ids.ID{
		"an activity": func(t *testing.T, w world) ids.ID { return w.publish(t, "chris", 1)[0].ID },
		"a removed one": func(t *testing.T, w world) ids.ID {
			a := w.publish(t, "chris", 1)[0]
			require.True(t, w.remove(t, "chris", a.ID))
			return a.ID
		},
		"a reference": func(t *testing.T, w world) ids.ID {
			return w.send(t, "ann", addressed("ann", 1, "chris")).ID
		},
		"nothing": func(*testing.T, world) ids.ID { return 0 },
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := pulled(t, 0)
			edge := w.edge(t, "jack", "chris")
			until := last(t, w) + 1
			require.True(t, w.unfollow(t, "jack", "chris", keep))
			w.publish(t, "chris", 1)
			require.False(t, w.unfollow(t, "jack", "chris", keep))
			p := pulls(t, w, "jack", "chris")[edge]
			require.Equal(t, pull{Until: until, Kept: true, At: p.At}, p)
			w.switchTo(t, "chris", feed.Pushed)
			w.switchTo(t, "chris", feed.Pulled)
			require.Equal(t, map[ids.ID]pull{edge: p}, pulls(t, w, "jack", "chris"))
			require.False(t, w.unfollow(t, "jack", "chris", nil))
			require.Empty(t, pulls(t, w, "jack", "chris"))
		})
	}
}

// An outbox does not know when it got a row: what is published later under an
// earlier id lies in the kept range.
func TestKeptHistoryOfAPulledSourceIncludesWhatIsBackdated(t *testing.T) {
	t.Parallel()
	w, done := pulled(t, 1)
	require.True(t, w.unfollow(t, "jack", "chris", keep))
	late := activity("chris", 2)
	late.ID = done[0].ID - 1
	w.send(t, "chris", late)
	w.publish(t, "chris", 1)
	require.Equal(t, []ids.ID{done[0].ID, late.ID}, all(t, w.Home("jack").List, 10))
}

// A switch changes the pull while KeepHistory reads the outbox.
func TestKeepHistoryAndASwitchOfOneMoment(t *testing.T) {
	t.Parallel()
	w, done := pulled(t, 1)
	edge := w.edge(t, "jack", "chris")
	var more []feed.Activity
	keeping := w.before(t, func() {
		w.switchTo(t, "chris", feed.Pushed)
		more = w.publish(t, "chris", 1)
	}, "Query", "O#chris")
	require.True(t, keeping.unfollow(t, "jack", "chris", keep))
	require.Len(t, more, 1)
	p := pulls(t, w, "jack", "chris")[edge]
	require.Equal(t, pull{Until: done[0].ID + 1, Kept: true, At: p.At}, p, "what came after the switch was delivered")
	require.Len(t, w.entriesOf(t, "jack"), 1)
	w.publish(t, "chris", 1)
	require.Equal(t, newestFirst(append(done, more...)), all(t, w.Home("jack").List, 1))
}

func TestAnUnfollowWhileAnotherKeepsHistoryHides(t *testing.T) {
	t.Parallel()
	w, _ := pulled(t, 1)
	keeping := w.before(t, func() { w.unfollow(t, "jack", "chris", nil) }, "Query", "O#chris")
	require.False(t, keeping.unfollow(t, "jack", "chris", keep))
	require.Empty(t, pulls(t, w, "jack", "chris"))
	require.Contains(t, headerItem(t, w, "jack"), "end#chris")
}

func TestAnUnfollowAlsoEndsThePullsOfEarlierFollows(t *testing.T) {
	t.Parallel()
	for _, times := range []int{1, 60} { // more than one request removes
		w, _ := pulled(t, 1)
		attributes := map[string]any{}
		for i := range ids.ID(times) { // as earlier follows left them
			attributes[feed.PullName(ids.At(time.Now().Add(-time.Hour))+i, "chris")] = pull{Until: ids.At(time.Now()), Kept: true, At: ids.At(time.Now())}
		}
		putAttributes(t, w, attributes)
		require.True(t, w.unfollow(t, "jack", "chris", nil))
		require.Len(t, pulls(t, w, "jack", "chris"), max(times-50, 0))
		require.Empty(t, all(t, w.Home("jack").List, 10))
		w.unfollow(t, "jack", "ann", nil)
		require.Empty(t, pulls(t, w, "jack", "chris"))
	}
}

func TestAnUnfollowAfterTheGraphsOwnEndsThePull(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*feed.UnfollowOptions{"removed": nil, "kept": keep} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, done := pulled(t, 1)
			edge := w.edge(t, "jack", "chris")
			removed, err := w.follows.Unfollow(t.Context(), followEdge("jack", "chris"))
			require.NoError(t, err)
			require.True(t, removed)
			require.Contains(t, pulls(t, w, "jack", "chris"), edge)
			require.False(t, w.unfollow(t, "jack", "chris", opts))
			if name == "kept" {
				p := pulls(t, w, "jack", "chris")[edge]
				require.Equal(t, pull{Until: done[0].ID + 1, Kept: true, At: p.At}, p)
			} else {
				require.Empty(t, pulls(t, w, "jack", "chris"))
			}
		})
	}
}

// The follow with that ID has not arrived when its history is to be kept.
func TestKeepHistoryByIDKeepsASwitchFromAnEdgeThatArrivesMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	id := w.mint(t)
	edge := followEdge("jack", "chris")
	edge.ID = id
	keeping := w.before(t, func() {
		_, _, err := w.follows.Follow(t.Context(), edge)
		require.NoError(t, err)
	}, "UpdateItem", "pull#")
	walker := w.before(t, func() {
		keeping.unfollow(t, "jack", "chris", &feed.UnfollowOptions{KeepHistory: true, ID: id})
	}, "UpdateItem", "pull#")
	_, _, err := w.follows.Follow(t.Context(), followEdge("ann", "chris"))
	require.NoError(t, err)
	walker.setPulled(t, "chris", true)
	deliverAll(t, walker)
	requireNotFollowing(t, w, "jack", "chris")
	p := pulls(t, w, "jack", "chris")[id]
	require.Equal(t, pull{Until: 1, Kept: true, At: p.At}, p)
}

func TestKeepingTheHistoryOfNobodyDoesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	require.False(t, w.unfollow(t, "jack", "chris", keep))
}
