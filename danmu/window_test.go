package danmu_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// moments returns the seconds of the comments in a window of v.
func (w world) moments(t tester, from, to float64) []float64 {
	t.Helper()
	got := []float64{}
	for _, c := range w.window(t, from, to, nil) {
		got = append(got, c.Progress.Seconds())
	}
	return got
}

func TestAWindowIsHalfOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	last := danmu.MaxProgress.Seconds()
	for _, s := range []float64{20, 20.4, 21, 0, 359.999, 360, 719.999, 720, last} {
		w.at(t, s)
	}
	for _, c := range []struct {
		from, to float64
		want     []float64
	}{
		{20, 21, []float64{20, 20.4}},
		{0, 1, []float64{0}},
		{359, 361, []float64{359.999, 360}},
		{359.999, 360, []float64{359.999}},
		{360, 360.001, []float64{360}},
		{20.0001, 20.4001, []float64{20.4}},
		{360, 1080, []float64{360, 719.999, 720}},
		{0, 720, []float64{0, 20, 20.4, 21, 359.999, 360, 719.999}},
		{20, 20, []float64{}},
		{500, 600, []float64{}},
		{5000, 5100, []float64{}},
		{last, last + 100, []float64{last}},
		{last + 1, last + 100, []float64{}},
	} {
		require.Equal(t, c.want, w.moments(t, c.from, c.to), "%v", c)
	}
	for n, want := range map[int]int{0: 5, 1: 2, 2: 1, 3: 0, int(danmu.MaxProgress / (6 * time.Minute)): 1, math.MaxInt: 0} {
		got, err := w.Segment(t.Context(), "v", n, nil)
		require.NoError(t, err)
		require.Len(t, got.Comments, want, n)
	}
	nothing, err := w.Window(t.Context(), "unknown", 0, time.Minute, nil)
	require.NoError(t, err)
	require.Zero(t, nothing)
}

func TestSegmentsAreAsLongAsConfigured(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.configure(t, "v", danmu.Settings{Segment: time.Minute})
	for _, s := range []float64{0, 59.999, 60, 120} {
		w.at(t, s)
	}
	require.Equal(t, []float64{0, 59.999, 60}, w.moments(t, 0, 120))
	_, err := w.Window(t.Context(), "v", 0, 2*time.Minute+time.Millisecond, nil)
	require.Equal(t, "to", field(t, err))
	got, err := w.Segment(t.Context(), "v", 1, nil)
	require.NoError(t, err)
	require.Len(t, got.Comments, 1)
}

func TestASampleReadsOnlyItsShards(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	for _, grown := range faults.Some(1, 4, 1, 32) {
		w := newWorld(t, &danmu.Options{}, meter.Wrap)
		crowd := make([]danmu.Comment, 100)
		for i := range crowd {
			crowd[i] = danmu.Comment{Key: fmt.Sprint(i), Text: "haha", Progress: time.Second}
		}
		w.imports(t, "v", crowd...)
		w.configure(t, "v", danmu.Settings{Shards: grown})
		w.pass(time.Minute)
		for i := range crowd {
			crowd[i].Key += " later"
		}
		w.imports(t, "v", crowd...)
		before := w.window(t, 0, 2, nil)
		require.Len(t, before, 200)
		for sample := 1; sample <= 5; sample++ {
			meter.Take()
			got := w.window(t, 0, 2, &danmu.WindowOptions{Sample: sample})
			require.Equal(t, max(1, grown>>sample), meter.Take().Requests)
			require.Subset(t, before, got)
			require.InDelta(t, 200>>sample, len(got), 30)
			before = got
		}
	}
}

// A thousand viewers of one segment cost as much as one.
func TestAThousandViewersCostAsMuchAsOne(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &danmu.Options{Cache: 2 * time.Second}, meter.Wrap)
	w.configure(t, "v", danmu.Settings{Shards: 4})
	var film []danmu.Comment
	for i := range 400 {
		film = append(film, danmu.Comment{User: "ann", Text: "haha", Progress: time.Duration(i) * time.Second / 2})
	}
	w.imports(t, "v", film...)
	watch := func(w world, viewers int) dynamotest.Cost {
		meter.Price().Take()
		var group sync.WaitGroup
		for i := range viewers {
			group.Go(func() {
				from := time.Duration(i%100) * time.Second
				got, err := w.Window(t.Context(), "v", from, from+10*time.Second, nil)
				if err != nil || len(got.Comments) != 20 || got.Comments[0].Progress != from {
					t.Errorf("%d comments, %v", len(got.Comments), err)
				}
			})
		}
		group.Wait()
		return meter.Take()
	}
	cost := watch(w, 1000)
	require.LessOrEqual(t, cost.Requests, 4)
	t.Logf("with a cache: %v, %.4f RCU a viewer", cost, cost.Read/1000)
	require.LessOrEqual(t, cost.Read/1000, 0.008)

	n := len(w.window(t, 0, 200, nil))
	w.at(t, 1)
	require.Len(t, w.window(t, 0, 200, nil), n, "as it was")
	require.Len(t, w.window(t, 0, 200, consistent), n+1)
	w.pass(2 * time.Second)
	require.Len(t, w.window(t, 0, 200, nil), n+1)
	w.at(t, 1)
	w.pass(-time.Hour) // the clock was turned back
	require.Len(t, w.window(t, 0, 200, nil), n+2)
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &danmu.Options{Cache: time.Hour, CacheSize: 100, Refresh: time.Hour}, meter.Wrap)
	var film []danmu.Comment
	for i := range 6 * 30 {
		film = append(film, danmu.Comment{Text: fmt.Sprint(i), Progress: time.Duration(i/30*6) * time.Minute})
	}
	w.imports(t, "v", film...)
	requests := func(n int) int {
		meter.Take()
		got, err := w.Segment(t.Context(), "v", n, nil)
		require.NoError(t, err)
		require.Len(t, got.Comments, 30)
		return meter.Take().Requests
	}
	for i := range 6 {
		require.Equal(t, 1, requests(i))
	}
	for _, i := range []int{5, 4, 3} {
		require.Zero(t, requests(i), "the last three")
	}
	require.Equal(t, 1, requests(0))
	require.Zero(t, requests(3))
	require.Equal(t, 1, requests(5), "used least recently")
}

// The comments come from the same cache.
func TestReadersCannotChangeSharedComments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &danmu.Options{Cache: time.Hour})
	w.send(t, danmu.Comment{Extra: []byte(`{"a":1}`)})
	for i := range 3 {
		got := w.window(t, 0, 1, nil)
		require.Equal(t, "haha", got[0].Text, i)
		require.JSONEq(t, `{"a":1}`, string(got[0].Extra))
		got[0].Text = "changed"
		copy(got[0].Extra, "xxxxxxx")
	}
}

// They see every comment sent before, however stale replicas are and whatever another
// process has configured. Both WindowOptions and Options can ask for them.
func TestConsistentWindowsSeeEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	lagging := faults.New(t, 1, faults.Rates{Stale: 1})
	always := w.process(t, &danmu.Options{Consistent: true}, lagging.Wrap)
	atTimes := w.process(t, &danmu.Options{}, lagging.Wrap)
	require.Empty(t, always.window(t, 0, 10, nil))
	require.Empty(t, atTimes.window(t, 0, 10, consistent))
	w.configure(t, "v", danmu.Settings{Shards: faults.Size(8, 4)})
	for i := range faults.Size(20, 3) {
		w.at(t, 5)
		require.Len(t, always.window(t, 0, 10, nil), i+1)
		require.Len(t, atTimes.window(t, 0, 10, consistent), i+1)
		require.Len(t, all(t, always.from(0), 7), i+1)
		segment, err := always.Segment(t.Context(), "v", 0, nil)
		require.NoError(t, err)
		require.Len(t, segment.Comments, i+1)
	}
	require.Less(t, len(atTimes.window(t, 0, 10, nil)), faults.Size(20, 3), "else a stale read is stale")
}

// What options do is in show_test.go.
func TestAWindowIsThinnedAsAsked(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.configure(t, "film", danmu.Settings{Owner: "owner", Shards: 4})
	crowd := make([]danmu.Comment, 100)
	for i := range crowd {
		crowd[i] = danmu.Comment{Key: fmt.Sprint(i), User: fmt.Sprint("user ", i%50), Text: fmt.Sprint("text ", i), Progress: 20*time.Second + time.Duration(i)*time.Millisecond}
	}
	crowd[1].User, crowd[2].Protected, crowd[3].Text, crowd[4].Text = "owner", true, "a spoiler", "text 5"
	s.imports(t, "film", crowd...)
	f, err := danmu.NewFilter(danmu.FilterRules{Words: []string{"SPOILER"}, Users: []string{"user 7"}})
	require.NoError(t, err)
	for _, c := range []struct {
		opts           danmu.WindowOptions
		shown, dropped int
	}{
		{danmu.WindowOptions{}, 100, 0},
		{danmu.WindowOptions{Cap: 50}, 50, 50},
		{danmu.WindowOptions{Cap: 1}, 2, 98}, // the owner's and the protected one
		{danmu.WindowOptions{Merge: time.Second}, 99, 0},
		{danmu.WindowOptions{Filter: f}, 97, 0},
		{danmu.WindowOptions{Filter: f, Cap: 50}, 50, 47}, // what is blocked takes no place
	} {
		w, err := s.Window(t.Context(), "film", 20*time.Second, 21*time.Second, &c.opts)
		require.NoError(t, err)
		require.Equal(t, []int{c.shown, c.dropped}, []int{len(w.Comments), w.Dropped}, "%+v", c.opts)
	}
}
