package feed_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
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
	meter.AtMost(t, "again", dynamotest.Cost{Requests: 8 * topics, Read: float64(27 * topics), Write: float64(110 * topics)}, func() {
		_, err := w.Home("jack-01234567890").FollowMany(t.Context(), names, nil)
		require.NoError(t, err)
	})
	meter.AtMost(t, "follow none", dynamotest.Cost{}, func() {
		_, err := w.Home("jack").FollowMany(t.Context(), nil, nil)
		require.NoError(t, err)
	})
}
