package reaction_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// TestVersionsOfCountsRise lets an object be forgotten in between.
func TestVersionsOfCountsRise(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 8} {
		w := newWorld(t, options(shards))
		_, last, err := w.VersionedCounts(t.Context(), "photo")
		require.NoError(t, err)
		require.Zero(t, last)
		rises := func(likes int64) {
			t.Helper()
			counts, version, err := w.VersionedCounts(t.Context(), "photo")
			require.NoError(t, err)
			require.Equal(t, likes, counts["like"])
			require.Greater(t, version, last)
			last = version
		}
		for range 2 {
			for i := range int64(faults.Size(5, 2)) {
				w.react(t, fmt.Sprint("user ", i), "photo", "like")
				rises(i + 1)
			}
			_, err := w.Unreact(t.Context(), reaction.Reaction{User: "user 0", Object: "photo", Kind: "like"})
			require.NoError(t, err)
			rises(int64(faults.Size(5, 2)) - 1)
			require.NoError(t, w.EraseObject(t.Context(), "photo"))
		}
	}
}
