package danmu_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
)

func TestHeatmapCountsVisibleComments(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	heat := func(buckets int) []int64 {
		t.Helper()
		counts, err := s.Heatmap(t.Context(), "film", buckets)
		require.NoError(t, err)
		return counts
	}
	require.Equal(t, []int64{0, 0, 0}, heat(3), "nothing was sent")

	s.configure(t, "film", danmu.Settings{Shards: 4})
	var sent []danmu.Comment
	for _, ms := range []int{0, 119_999, 120_000, 359_999, 360_000, 719_999} {
		sent = append(sent, s.send(t, danmu.Comment{Object: "film", User: "jack", Text: "haha", Progress: time.Duration(ms) * time.Millisecond}))
	}
	require.Equal(t, []int64{6}, heat(1))
	require.Equal(t, []int64{2, 1, 1, 1, 0, 1}, heat(6), "to the end of the last segment")
	s.configure(t, "film", danmu.Settings{Duration: 8 * time.Minute})
	require.Equal(t, []int64{2, 1, 1, 2}, heat(4), "to the Duration, what is later in the last")

	does(t, true)(s.Remove(t.Context(), moderated(sent[0])))
	for _, user := range many(hideAt) {
		for _, c := range sent[1:3] {
			does(t, true)(s.Report(t.Context(), of(c, user)))
		}
	}
	does(t, true)(s.Protect(t.Context(), moderated(sent[2])))
	require.Equal(t, []int64{0, 1, 1, 2}, heat(4))
	require.Len(t, heat(1000), 1000)
}

// The process does not know the segments' length, and another one has sent, too.
func TestHeatmapReadsSegmentsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.configure(t, "v", danmu.Settings{Segment: time.Hour})
	p, other := w.process(t, &danmu.Options{}), w.process(t, &danmu.Options{})
	p.at(t, 50*60) // the ninth segment at the default length
	other.at(t, 2*3600)
	heat, err := p.Heatmap(t.Context(), "v", 6)
	require.NoError(t, err)
	require.Equal(t, []int64{0, 1, 0, 0, 1, 0}, heat)
}
