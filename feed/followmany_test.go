package feed_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// topics makes n topics publish each activities, alternately. It returns their
// names and the home of a reader who follows all of them.
func (w world) topics(t testing.TB, n, each int) (names []string, want []ids.ID) {
	t.Helper()
	for i := range n {
		names = append(names, fmt.Sprint("topic-", i))
	}
	var done []feed.Activity
	for i := range each {
		for _, name := range names {
			a := activity(name, i)
			a.Owner = name
			done = append(done, a)
		}
	}
	return names, newestFirst(w.layEach(t, done))
}

func TestFollowManyFollowsAndCopies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := faults.Size(10, 5)
	names, posts := w.topics(t, n, 3)
	w.subscribe(t, "jack", "topic-4")
	jack := w.Home("jack")

	want := resultsOf(append(names, "topic-2"), true)
	want[4].Changed = false
	results, err := jack.FollowMany(t.Context(), append(names, "topic-2"), nil)
	require.NoError(t, err)
	require.Equal(t, want, results)
	require.Equal(t, posts, all(t, jack.List, 7))

	results, err = jack.FollowMany(t.Context(), names, nil)
	require.NoError(t, err)
	require.Equal(t, resultsOf(names, false), results)
	later := w.publish(t, names[n-1], 1)
	require.Equal(t, append(newestFirst(later), posts...), all(t, jack.List, 7))

	for name, tc := range map[string]struct {
		limit, want int
	}{"two of each": {2, 2 * n}, "none": {-1, 0}} {
		t.Run(name, func(t *testing.T) {
			_, err := w.Home(name).FollowMany(t.Context(), names, &feed.FollowOptions{CopyLimit: tc.limit})
			require.NoError(t, err)
			require.Len(t, all(t, w.Home(name).List, 7), tc.want)
		})
	}
}

// damageEdge damages the edge by which jack would follow a source.
func (w world) damageEdge(t testing.TB, source string) {
	t.Helper()
	require.NoError(t, w.db.Table(w.followTable).Put(dynamo.Item{"pk": text("E#jack"), "sk": text(source), "id": text("x")}).Run(t.Context()))
}

func TestFollowManyReportsEachThatFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	names, want := w.topics(t, 4, 1)
	w.damageEdge(t, "topic-2")
	results, err := w.Home("jack").FollowMany(t.Context(), names, nil)
	var partial *plaza.PartialError
	require.ErrorAs(t, err, &partial)
	require.Equal(t, []error{results[2].Err}, partial.Errs)
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	for i, result := range results {
		require.Equal(t, plaza.Result[string]{Value: names[i], Changed: i != 2, Err: result.Err}, result)
	}
	require.Equal(t, slices.Delete(want, 1, 2), all(t, w.Home("jack").List, 7))
}

func TestFollowManyCostsAsManyFollows(t *testing.T) {
	t.Parallel()
	topics := faults.Size(3, 2)
	meter := dynamotest.NewMeter()
	w := newWorld(t, &feed.Options{}, meter.Wrap)
	var names []string
	for i := range topics {
		as := make([]feed.Activity, 100)
		for n := range as {
			as[n] = kilobyte(n)
		}
		names = append(names, fmt.Sprintf("topic-%010d", i))
		w.lay(t, names[i], as)
	}
	meter.AtMost(t, "follow with backfill of 100", dynamotest.Cost{Requests: 7 * topics, Read: float64(26 * topics), Write: float64(110 * topics)}, func() {
		_, err := w.Home("jack-01234567890").FollowMany(t.Context(), names, nil)
		require.NoError(t, err)
	})
	again := costs(t).Times(float64(topics), "Home.Follow", "a repeat with all 100 copied")
	meter.AtMost(t, "again", again, func() {
		_, err := w.Home("jack-01234567890").FollowMany(t.Context(), names, nil)
		require.NoError(t, err)
	})
	byID := costs(t).Of("Home.Follow", "with 100 activities of 1 KB copied", "the edge stood, or has an ID of the caller's", "each 100 copies that are read first")
	meter.AtMost(t, "follow by ID", byID, func() {
		_, err := w.Home("ann-012345678901").Follow(t.Context(), names[0], &feed.FollowOptions{ID: w.mint(t)})
		require.NoError(t, err)
	})
	meter.AtMost(t, "follow none", dynamotest.Cost{}, func() {
		_, err := w.Home("jack").FollowMany(t.Context(), nil, nil)
		require.NoError(t, err)
	})
}

// The home's key takes a hundred writes a second, so a call copies some and fails. Its
// caller repeats it a second later.
func TestRepeatsOfFollowManyEndOnAHotHome(t *testing.T) {
	t.Parallel()
	const second = 100
	hot, w := &faults.Buckets{PerSecond: second}, newWorld(t, nil)
	names, posts := w.topics(t, 4, 100)
	slow := w.process(t, nil, hot.Wrap)
	hot.Ask(t, func() error {
		_, err := slow.Home("jack").FollowMany(t.Context(), names, nil)
		for n := 0; n < second && err != nil; n++ {
			pageOf(t, slow.Home("another").List, cursor.PageRequest{Limit: 1})
		}
		return err
	})
	require.Positive(t, hot.Busy())
	require.Equal(t, posts, all(t, w.Home("jack").List, 100))
}

// Some copies of a follow that was cut are missing, and one is damaged.
func TestARepeatedFollowWritesOnlyWhatIsMissing(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil)
	posts := newestFirst(w.lay(t, "chris", activities("chris", 30)))
	follow := func(w world, opts *feed.FollowOptions) {
		created, err := w.Home("jack").Follow(t.Context(), "chris", opts)
		require.NoError(t, err)
		require.Equal(t, opts != nil, created)
	}
	ID := &feed.FollowOptions{ID: w.mint(t)}
	follow(w, ID)
	w.expire(t, "H#jack", posts[0].String())
	w.expire(t, "H#jack", posts[29].String())
	w.damage(t, "H#jack", fmt.Sprintf("%v#chris#%v", posts[7], w.edge(t, "jack", "chris")), dynamo.Item{"ttl": nil})
	meter.AtMost(t, "repeat", dynamotest.Cost{Requests: 6, Write: 10 + 3, Read: 30}, func() {
		follow(w.process(t, nil, meter.Wrap), ID)
	})
	meter.AtMost(t, "repeat without the ID", dynamotest.Cost{Requests: 5, Write: 10, Read: 30}, func() {
		follow(w.process(t, nil, meter.Wrap), nil)
	})
	require.Equal(t, posts, all(t, w.Home("jack").List, 100))
}
