package videos

import (
	"slices"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
)

func TestACrowdIsAlwaysTheSameAndIsImportedOnce(t *testing.T) {
	t.Parallel()
	w := newWorldOf(t, &Options{Videos: []Video{Lighthouse()}})
	until := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	opts := &CrowdOptions{Viewers: []string{"ann", "eric", "chris"}, Until: until}
	said := Crowd(Lighthouse(), opts)
	require.Equal(t, said, Crowd(Lighthouse(), opts))
	first, err := w.service.Import(t.Context(), "2", said)
	require.NoError(t, err)
	require.Equal(t, danmu.ImportResult{Read: crowdSize, Written: crowdSize}, first)
	stored := func() []message {
		return call[list](t, w, "GET", "/danmu/pull/2?size=100", "").Data
	}
	before := stored()
	require.Len(t, before, 100)
	require.Contains(t, opts.Viewers, before[0].UserID)

	opts.Until = until.AddDate(0, 0, 1) // another start of the program
	second, err := w.service.Import(t.Context(), "2", Crowd(Lighthouse(), opts))
	require.NoError(t, err)
	require.Equal(t, danmu.ImportResult{Read: crowdSize, Present: crowdSize}, second)
	require.Equal(t, before, stored())
}

func TestACrowdHasTwoBusyMomentsAndTwoLanguages(t *testing.T) {
	t.Parallel()
	until := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, v := range []Video{Hills(), Lighthouse()} {
		t.Run(v.Title, func(t *testing.T) {
			t.Parallel()
			said := Crowd(v, &CrowdOptions{Viewers: []string{"ann"}, Until: until})
			require.Len(t, said, crowdSize)
			require.True(t, slices.IsSortedFunc(said, func(a, b danmu.Comment) int { return int(a.Progress - b.Progress) }))
			chinese := 0
			parts := make([]int, int(v.Duration/(4*time.Second)))
			for _, c := range said {
				require.GreaterOrEqual(t, c.Progress, time.Duration(0))
				require.Less(t, c.Progress, v.Duration)
				require.False(t, c.Sent.After(until))
				require.LessOrEqual(t, len([]rune(c.Text)), maxRunes)
				if slices.ContainsFunc([]rune(c.Text), func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
					chinese++
				}
				parts[c.Progress/(4*time.Second)]++
			}
			require.Greater(t, chinese, crowdSize/4)
			require.Less(t, chinese, crowdSize*3/4)
			slices.Sort(parts)
			n := len(parts)
			require.Greater(t, parts[n-2], parts[n-3]*3/2, "two parts have far more than others: %v", parts)
			require.NotZero(t, parts[0], "there is no silence: %v", parts)
		})
	}
}

func TestACrowdMayBeNamelessAndKnowsOnlyItsVideos(t *testing.T) {
	t.Parallel()
	for _, c := range Crowd(Hills(), nil) {
		require.Empty(t, c.User)
		require.True(t, c.Sent.IsZero())
	}
	require.Empty(t, Crowd(Video{ID: "3", Duration: time.Minute, Src: "other.webm"}, nil))
}
