package feed_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestPagesOfEverySizeAreTheWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	want := newestFirst(w.publish(t, "chris", 42))
	for _, limit := range []int{1, 10, 21, 42, 43, 100} {
		require.Equal(t, want, all(t, w.Home("jack").List, limit), "home by %d", limit)
		require.Equal(t, want, all(t, w.Outbox("chris").List, limit), "outbox by %d", limit)
	}
}

func TestPublishReachesFollowersOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 1)
	require.Equal(t, newestFirst(done), all(t, w.Outbox("chris").List, 10))
	require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 10))
	require.Empty(t, all(t, w.Outbox("jack").List, 10))
	require.Empty(t, all(t, w.Home("chris").List, 10))
	require.Empty(t, all(t, w.Home("eve").List, 10))

	page, err := w.Home("jack").List(t.Context(), cursor.PageRequest{})
	require.NoError(t, err)
	require.Equal(t, done, page.Items)
}

func TestFollowCopiesTheSourcesLastActivities(t *testing.T) {
	t.Parallel()
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
			w := newWorld(t, nil)
			done := newestFirst(w.publish(t, "chris", 103))
			created, err := w.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{CopyLimit: tc.limit})
			require.NoError(t, err)
			require.True(t, created)
			got := all(t, w.Home("jack").List, 100)
			require.True(t, slices.Equal(done[:tc.want], got), "%d activities", len(got))
		})
	}
}

func TestRemovedActivitiesDoNotCountAgainstTheCopyLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	done := w.publish(t, "chris", 12)
	for _, a := range done[6:] {
		removed, err := w.Outbox("chris").Remove(t.Context(), a.ID)
		require.NoError(t, err)
		require.True(t, removed)
	}
	_, err := w.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{CopyLimit: 5})
	require.NoError(t, err)
	require.Equal(t, newestFirst(done[1:6]), all(t, w.Home("jack").List, 10))
}

func TestUnfollowHidesWhatCameByTheEdge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	w.subscribe(t, "jack", "ann")
	fromChris, fromAnn := w.publish(t, "chris", 3), w.publish(t, "ann", 3)

	removed, err := w.Home("jack").Unfollow(t.Context(), "chris", nil)
	require.NoError(t, err)
	require.True(t, removed)
	require.Equal(t, newestFirst(fromAnn), all(t, w.Home("jack").List, 2))

	removed, err = w.Home("jack").Unfollow(t.Context(), "chris", nil)
	require.NoError(t, err)
	require.False(t, removed)

	w.subscribe(t, "jack", "chris")
	require.Equal(t, newestFirst(append(fromChris, fromAnn...)), all(t, w.Home("jack").List, 2))
}

func TestUnfollowCanKeepHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	before := w.publish(t, "chris", 3)
	removed, err := w.Home("jack").Unfollow(t.Context(), "chris", &feed.UnfollowOptions{KeepHistory: true})
	require.NoError(t, err)
	require.True(t, removed)
	w.publish(t, "chris", 3)
	require.Equal(t, newestFirst(before), all(t, w.Home("jack").List, 10))
}

func TestAPageOfHiddenEntriesLeadsOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "ann")
	w.subscribe(t, "jack", "chris")
	old := w.publish(t, "ann", 3)
	w.publish(t, "chris", 150)
	_, err := w.Home("jack").Unfollow(t.Context(), "chris", nil)
	require.NoError(t, err)

	page, err := w.Home("jack").List(t.Context(), cursor.PageRequest{Limit: 1})
	require.NoError(t, err)
	require.Empty(t, page.Items, "2 + 4 + … + 64 rows are read, all hidden")
	require.NotEmpty(t, page.Next)
	require.Equal(t, newestFirst(old), all(t, w.Home("jack").List, 1))
	require.Equal(t, newestFirst(old), all(t, w.Home("jack").List, 2))
}

func TestAFollowIsRepeatedByItsID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.publish(t, "chris", 1)
	id, err := w.gen.Next(t.Context())
	require.NoError(t, err)
	opts := &feed.FollowOptions{ID: id}
	for range 2 {
		created, err := w.Home("jack").Follow(t.Context(), "chris", opts)
		require.NoError(t, err)
		require.True(t, created, "the first answer")
	}
	created, err := w.Home("jack").Follow(t.Context(), "chris", nil)
	require.NoError(t, err)
	require.False(t, created)

	_, err = w.Home("jack").Unfollow(t.Context(), "chris", nil)
	require.NoError(t, err)
	_, err = w.Home("jack").Follow(t.Context(), "chris", opts)
	require.ErrorIs(t, err, plaza.ErrRemoved, "late, it resurrects nothing")
	counts, err := w.follows.Counts(t.Context(), "chris")
	require.NoError(t, err)
	require.Zero(t, counts.Followers)
}

// unfollowHalfWay dies with the edge still there.
func (w world) unfollowHalfWay(t testing.TB, reader, source string) {
	t.Helper()
	injector := faults.New(t, 1, faults.Rates{})
	injector.KillBefore(2)
	_, err := w.process(t, nil, injector.Wrap).Home(reader).Unfollow(t.Context(), source, nil)
	require.ErrorIs(t, err, faults.ErrKilled)
	_, err = w.follows.Get(t.Context(), followEdge(reader, source))
	require.NoError(t, err)
}

func TestAFollowMendsAnUnfollowThatDiedHalfWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 2)
	w.unfollowHalfWay(t, "jack", "chris")
	require.Empty(t, all(t, w.Home("jack").List, 10))

	created, err := w.Home("jack").Follow(t.Context(), "chris", nil)
	require.NoError(t, err)
	require.True(t, created)
	require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 10))
}

func TestAnActivityThatCameByTwoEdgesShowsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var want []ids.ID
	for range 3 { // each time another edge brings all
		w.subscribe(t, "jack", "chris")
		want = append(newestFirst(w.publish(t, "chris", 3)), want...)
		_, err := w.Home("jack").Unfollow(t.Context(), "chris", &feed.UnfollowOptions{KeepHistory: true})
		require.NoError(t, err)
	}
	w.subscribe(t, "jack", "chris")
	for limit := 1; limit <= 10; limit++ {
		require.Equal(t, want, all(t, w.Home("jack").List, limit), "by %d", limit)
	}
	_, err := w.Home("jack").Unfollow(t.Context(), "chris", nil)
	require.NoError(t, err)
	require.Empty(t, all(t, w.Home("jack").List, 2), "what was kept goes too")
}

func TestAnActivityThatLagsIsNotPassedOver(t *testing.T) {
	t.Parallel()
	injector := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, &feed.Options{}, injector.Wrap)
	w.subscribe(t, "jack", "chris")
	a, err := w.Outbox("chris").Publish(t.Context(), addressed("chris", 1, "birds"))
	require.NoError(t, err)
	injector.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "BatchGetItem" && !bytes.Contains(body, []byte(`"ConsistentRead":true`)) {
			return faults.Fault{Kind: faults.Stale}
		}
		return faults.Fault{}
	})
	require.Equal(t, []ids.ID{a.ID}, all(t, w.Home("jack").List, 10))
	require.Equal(t, []ids.ID{a.ID}, all(t, w.Outbox("birds").List, 10), "by a reference")
}

func TestWhatIsTooOldIsNotReadToTheEnd(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil)
	w.publish(t, "chris", 350)
	then := time.Now()
	for id := ids.ID(0); !id.Time().After(then); { // until ids are younger
		var err error
		id, err = w.gen.Next(t.Context())
		require.NoError(t, err)
	}
	fresh := w.publish(t, "chris", 50)
	aged := w.process(t, &feed.Options{Consistent: true, Now: func() time.Time { return then.Add(90 * 24 * time.Hour) }}, meter.Wrap)
	meter.AtMost(t, "copy 50 young ones of 400", dynamotest.Cost{Requests: 4, Write: 60, Read: 26}, func() { aged.subscribe(t, "jack", "chris") })
	require.Equal(t, newestFirst(fresh), all(t, w.Home("jack").List, 100))
}
