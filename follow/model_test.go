package follow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
)

// TestAnySequenceLeavesWhatItShould lets a few users follow and unfollow, with
// ids and edges that are fresh, repeated or long gone, while the shards change
// at any time.
func TestAnySequenceLeavesWhatItShould(t *testing.T) {
	t.Parallel()
	shards := 1
	w := newWorld(t, &follow.Options{Shards: func(string) int { return shards }, Consistent: true})
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		a, b, c := fmt.Sprint(run, "a"), fmt.Sprint(run, "b"), fmt.Sprint(run, "c")
		pairs := []pair{{a, b}, {a, b}, {a, b}, {b, a}, {c, b}, {a, c}}
		stands := graph{}
		ended := graph{}
		known := map[pair][]follow.Edge{} // also those that ended
		for range rapid.IntRange(1, 20).Draw(t, "calls") {
			shards = rapid.SampledFrom([]int{1, 1, 2, 5, follow.MaxShards}).Draw(t, "shards")
			p := rapid.SampledFrom(pairs).Draw(t, "pair")
			e := follow.Edge{Follower: p.follower, Followee: p.followee}
			if len(known[p]) > 0 && rapid.Bool().Draw(t, "known edge") {
				e = rapid.SampledFrom(known[p]).Draw(t, "edge")
			}
			standing := stands[p]
			if rapid.Bool().Draw(t, "follow") {
				got, created, err := w.Follow(t.Context(), e)
				if standing == 0 && e.ID != 0 && e.ID <= ended[p] {
					require.ErrorIs(t, err, plaza.ErrRemoved)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, standing == 0 || standing == e.ID, created)
				if standing != 0 {
					require.Equal(t, standing, got.ID)
				} else if e.ID != 0 {
					require.Equal(t, e.ID, got.ID)
				}
				stands[p] = got.ID
				known[p] = append(known[p], got)
			} else {
				removed, err := w.Unfollow(t.Context(), e)
				require.NoError(t, err)
				meant := standing != 0 && (e.ID == 0 || e.ID == standing)
				require.Equal(t, meant, removed)
				if meant {
					ended[p] = standing
					delete(stands, p)
				}
			}
		}
		shards = 1
		w.holds(t, stands, a, b, c)
	})
}
