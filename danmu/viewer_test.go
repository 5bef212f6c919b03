package danmu_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
)

// TestACrowdedSecondIsThinned is of 754 comments in one second, over shards.
func TestACrowdedSecondIsThinned(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.configure(t, "film", danmu.Settings{Owner: "owner", Shards: 4})
	crowd := make([]danmu.Comment, 754)
	for i := range crowd {
		crowd[i] = danmu.Comment{
			Key: fmt.Sprint(i), User: fmt.Sprint("user ", i%50), Text: fmt.Sprint("text ", i),
			Progress: 20*time.Second + time.Duration(i)*time.Millisecond,
		}
	}
	crowd[1].User, crowd[2].Protected, crowd[3].Text = "owner", true, "a spoiler"
	require.Equal(t, len(crowd), s.imports(t, "film", crowd...).Written)
	window := func(o danmu.WindowOptions) danmu.Window {
		t.Helper()
		w, err := s.Window(t.Context(), "film", 20*time.Second, 21*time.Second, &o)
		require.NoError(t, err)
		return w
	}
	subset := func(few, many danmu.Window) {
		t.Helper()
		require.Subset(t, idsOf(many.Comments), idsOf(few.Comments))
	}

	all := window(danmu.WindowOptions{Cap: len(crowd)})
	require.Len(t, all.Comments, len(crowd))
	require.Zero(t, all.Dropped)
	fifty := window(danmu.WindowOptions{Cap: 50})
	require.Len(t, fifty.Comments, 50)
	require.Equal(t, 704, fifty.Dropped)
	require.Equal(t, fifty, window(danmu.WindowOptions{Cap: 50}), "the same each time")
	twenty := window(danmu.WindowOptions{Cap: 20})
	require.Len(t, twenty.Comments, 20)
	subset(twenty, fifty)
	two := window(danmu.WindowOptions{Cap: 1})
	require.Equal(t, []string{"text 1", "text 2"}, texts(two.Comments), "the owner's and the protected one")

	half, quarter := window(danmu.WindowOptions{Sample: 1}), window(danmu.WindowOptions{Sample: 2})
	require.InDelta(t, 377, len(half.Comments), 80)
	require.InDelta(t, 188, len(quarter.Comments), 60)
	subset(half, all)
	subset(quarter, half)

	f, err := danmu.NewFilter(danmu.FilterRules{Words: []string{"SPOILER"}, Users: []string{"user 7"}})
	require.NoError(t, err)
	blocked := 15 + 1 // every fiftieth from 7 on, and the spoiler
	require.Len(t, window(danmu.WindowOptions{Filter: f}).Comments, len(crowd)-blocked)
	filtered := window(danmu.WindowOptions{Filter: f, Cap: 50})
	require.Len(t, filtered.Comments, 50, "what is blocked takes no place")
	require.Equal(t, len(crowd)-blocked-50, filtered.Dropped)
}

func TestRepeatsAreMergedWhereAsked(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for i := range 37 {
		s.send(t, danmu.Comment{Object: "film", User: fmt.Sprint("user ", i), Text: "哈哈哈", Progress: time.Duration(i) * 100 * time.Millisecond})
	}
	for merge, want := range map[time.Duration][]int{
		0:               make([]int, 37),
		5 * time.Second: {36},
		time.Second:     {10, 10, 10, 3},
	} {
		w, err := s.Window(t.Context(), "film", 0, time.Minute, &danmu.WindowOptions{Merge: merge})
		require.NoError(t, err)
		var repeats []int
		for _, c := range w.Comments {
			repeats = append(repeats, c.Repeats)
		}
		require.Equal(t, want, repeats)
	}
}
