package digest_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// Slots may come in any order. Each moment is covered by exactly one of them. The
// newest slots are assigned again after a crash.
func TestEachMomentIsCoveredByOneDigest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		const moments = 300
		minute := func(n int) ids.ID { return ids.At(noon.Add(time.Duration(n) * time.Minute)) }
		var m digest.Mark
		coveredBy, asked := map[int]int{}, map[int]bool{}
		assigned := map[int][][2]ids.ID{}
		slot := 0
		for range rapid.IntRange(1, 80).Draw(rt, "digests") {
			slot = min(max(slot+rapid.IntRange(-3, 20).Draw(rt, "step"), 2), moments)
			if _, again := assigned[slot]; again {
				continue // a slot has one digest
			}
			from := max(0, slot-rapid.IntRange(1, 60).Draw(rt, "length"))
			covered := m.Assign(minute(from), minute(slot))
			require.NoError(rt, m.Check())
			require.LessOrEqual(rt, m.Len(), digest.MostSpans)
			assigned[slot] = covered
			for n := range moments {
				asked[n] = asked[n] || from <= n && n < slot
				for _, s := range covered {
					if s[0] <= minute(n) && minute(n) < s[1] {
						require.NotContains(rt, coveredBy, n)
						require.Less(rt, n, slot, "only what is past")
						coveredBy[n] = slot
					}
				}
				if asked[n] {
					require.Contains(rt, coveredBy, n)
				}
			}
			newest := slices.Sorted(maps.Keys(assigned))
			for _, n := range newest[max(0, len(newest)-digest.KeptSlots):] {
				if len(assigned[n]) > 0 {
					require.Equal(rt, assigned[n], m.Of(minute(n)), "as before, after a crash")
				}
			}
		}
	})
}

func TestAMarkForgetsWhatNoDigestCanNeed(t *testing.T) {
	t.Parallel()
	var m digest.Mark
	day := func(n int) ids.ID { return ids.At(noon.AddDate(0, 0, n)) }
	for n := range 100 {
		require.Equal(t, [][2]ids.ID{{day(n), day(n + 1)}}, m.Assign(day(n), day(n+1)))
		require.LessOrEqual(t, m.Len(), int(digest.MaxPending/(24*time.Hour))+2)
	}
	require.Empty(t, m.Assign(day(50), day(51)), "it was covered")
	require.Equal(t, [][2]ids.ID{{day(100), day(107)}}, m.Assign(day(50), day(107)))
}

// Where there are many gaps, each digest takes one over. It keeps it after a crash.
func TestADigestThatFillsAGapKeepsIt(t *testing.T) {
	t.Parallel()
	var m digest.Mark
	minute := func(n int) ids.ID { return ids.At(noon.Add(time.Duration(n) * time.Minute)) }
	var assigned [][][2]ids.ID
	filled := 0
	for n := range 100 {
		assigned = append(assigned, m.Assign(minute(2*n), minute(2*n+1)))
		filled += len(assigned[n]) - 1
		for k := max(0, n-digest.KeptSlots+1); k <= n; k++ {
			require.Equal(t, assigned[k], m.Of(minute(2*k+1)), "slot %d after %d", k, n)
		}
		require.LessOrEqual(t, m.Len(), digest.MostSpans)
	}
	require.Positive(t, filled)
}
