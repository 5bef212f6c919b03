package feed_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestFollowCopiesTheSourcesLastActivities(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	done := newestFirst(w.lay(t, "chris", activities("chris", 103)))
	for name, tc := range map[string]struct {
		limit, want int
	}{
		"the default is 100": {0, 100},
		"some":               {7, 7},
		"all there are":      {1000, 103},
		"none":               {-1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			created, err := w.Home(name).Follow(t.Context(), "chris", &feed.FollowOptions{CopyLimit: tc.limit})
			require.NoError(t, err)
			require.True(t, created)
			got := all(t, w.Home(name).List, 100)
			require.True(t, slices.Equal(done[:tc.want], got), "%d activities", len(got))
		})
	}
}

func TestRemovedActivitiesDoNotCountAgainstTheCopyLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	done := w.lay(t, "chris", activities("chris", 12))
	for _, a := range done[6:] {
		require.True(t, w.remove(t, "chris", a.ID))
	}
	meter := dynamotest.NewMeter()
	follows := costs(t).Of("Home.Follow", "with 100 activities of 1 KB copied", "each of up to 5 reads past removed activities")
	meter.AtMost(t, "follow", follows, func() {
		_, err := w.process(t, nil, meter.Wrap).Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{CopyLimit: 5})
		require.NoError(t, err)
	})
	require.Equal(t, newestFirst(done[1:6]), all(t, w.Home("jack").List, 10))
}

func TestUnfollowHidesTheActivitiesOfTheEdge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	w.subscribe(t, "jack", "ann")
	fromChris, fromAnn := w.publish(t, "chris", 3), w.publish(t, "ann", 3)

	require.True(t, w.unfollow(t, "jack", "chris", nil))
	require.Equal(t, newestFirst(fromAnn), all(t, w.Home("jack").List, 2))

	require.False(t, w.unfollow(t, "jack", "chris", nil))

	w.subscribe(t, "jack", "chris")
	require.Equal(t, newestFirst(append(fromChris, fromAnn...)), all(t, w.Home("jack").List, 2))
}

func TestAFollowIsRepeatedByItsID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.publish(t, "chris", 1)
	opts := &feed.FollowOptions{ID: w.mint(t)}
	for range 2 {
		created, err := w.Home("jack").Follow(t.Context(), "chris", opts)
		require.NoError(t, err)
		require.True(t, created, "the first answer")
	}
	created, err := w.Home("jack").Follow(t.Context(), "chris", nil)
	require.NoError(t, err)
	require.False(t, created)

	w.unfollow(t, "jack", "chris", nil)
	_, err = w.Home("jack").Follow(t.Context(), "chris", opts)
	require.ErrorIs(t, err, plaza.ErrRemoved, "a late follow is refused")
	counts, err := w.follows.Counts(t.Context(), "chris")
	require.NoError(t, err)
	require.Zero(t, counts.Followers)
}

// interruptedUnfollow is an unfollow that dies before it ends the edge.
func (w world) interruptedUnfollow(t testing.TB, reader, source string) {
	t.Helper()
	injector := faults.New(t, 1, faults.Rates{})
	injector.KillBefore(2)
	_, err := w.process(t, nil, injector.Wrap).Home(reader).Unfollow(t.Context(), source, nil)
	require.ErrorIs(t, err, faults.ErrKilled)
	_, err = w.follows.Get(t.Context(), followEdge(reader, source))
	require.NoError(t, err)
}

// After an interrupted unfollow the edge continues to bring entries. A much
// later unfollow ends the edge and hides these entries too.
func TestALaterUnfollowFinishesAnInterruptedOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	w.interruptedUnfollow(t, "jack", "chris")
	w.publish(t, "chris", 2)

	// The ending of the first unfollow is old, but the edge's entries are not.
	aged := w.process(t, &feed.Options{
		Consistent: true,
		Retention:  200 * 24 * time.Hour,
		Now:        func() time.Time { return time.Now().Add(202 * 24 * time.Hour) },
	})
	aged.unfollow(t, "jack", "chris", nil)
	require.Len(t, headerItem(t, w, "jack"), 2+1)
	require.Empty(t, all(t, w.Home("jack").List, 10))
}

func TestKeptHistoryCanBeCleared(t *testing.T) {
	t.Parallel()
	for name, end := range faults.Sample(3, map[string]func(t *testing.T, w world){
		"kept": func(t *testing.T, w world) { require.True(t, w.unfollow(t, "jack", "chris", keep)) },
		"ended in the graph": func(t *testing.T, w world) {
			removed, err := w.follows.Unfollow(t.Context(), followEdge("jack", "chris"))
			require.NoError(t, err)
			require.True(t, removed)
		},
		"forgotten by the graph": func(t *testing.T, w world) {
			require.NoError(t, w.follows.Erase(t.Context(), "jack"))
			table := w.db.Table(w.followTable)
			require.NoError(t, table.Delete("pk", "E#jack").Range("sk", "chris").Run(t.Context()))
		},
	}, "kept") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			minute := w.process(t, &feed.Options{Consistent: true, Now: func() time.Time { return time.Now().Add(2 * time.Minute) }})
			w.subscribe(t, "jack", "chris")
			w.subscribe(t, "jack", "ann")
			w.publish(t, "chris", 2)
			anns := w.publish(t, "ann", 1)
			end(t, w)
			w.publish(t, "chris", 1)
			require.Len(t, all(t, w.Home("jack").List, 10), 3)

			require.False(t, minute.unfollow(t, "jack", "chris", keep))
			require.Len(t, all(t, w.Home("jack").List, 10), 3)

			require.False(t, minute.unfollow(t, "jack", "chris", nil))
			require.Equal(t, newestFirst(anns), all(t, w.Home("jack").List, 10))

			// An ending two minutes ahead could hide edges of this minute.
			id, err := ids.Backdate(time.Now().Add(90*time.Second), "jack/chris")
			require.NoError(t, err)
			_, err = minute.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{ID: id})
			require.ErrorIs(t, err, plaza.ErrInvalid, "the graph's clock is right")
		})
	}
}

// Activities that are still being delivered come in addition to what Follow
// copies.
func TestCopyLimitBoundsWhatFollowCopies(t *testing.T) {
	t.Parallel()
	const n = 103     // jobs: more than a page, and three more activities than are copied
	now := time.Now() // leases do not end
	w := newWorld(t, &feed.Options{Consistent: true, JobShards: 1, Now: func() time.Time { return now }})
	as := w.publishMany(t, "chris", activities("chris", 1)...)
	as = append(as, w.lay(t, "chris", activities("chris", n-1))...)
	jobs := make([]row, n)
	for i, a := range as {
		jobs[i] = row{PK: "J#0", SK: a.ID.String() + "#chris"}
		if i > 2 && i < n-3 { // another worker delivers these
			jobs[i].Lease = now.Add(20 * time.Second).UnixMilli()
		}
	}
	w.put(t, jobs)
	w.subscribe(t, "jack", "chris")
	require.Len(t, all(t, w.Home("jack").List, 100), 100)
	require.Equal(t, 6, w.deliver(t), "of a shard, by pages")
	require.Equal(t, newestFirst(as), all(t, w.Home("jack").List, 100))
}
