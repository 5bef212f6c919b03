package reaction_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestReactedAndCountsOfAPage(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, options(8), in.Wrap)
	w.crowd(t, "photo", 20, "like", "love", "pin")
	w.react(t, "jack", "photo", "pin")
	w.react(t, "jack", "photo", "haha")
	gone := w.react(t, "jack", "film", "like")
	_, err := w.Unreact(t.Context(), gone)
	require.NoError(t, err)

	objects := []string{"photo", "film", "unheard-of", "photo"}
	reacted := map[string][]string{"photo": {"haha", "pin"}, "film": {}, "unheard-of": {}}
	none := map[string]int64{"like": 0, "love": 0, "haha": 0, "pin": 0}
	counts := map[string]map[string]int64{
		"photo": {"like": 7, "love": 7, "haha": 1, "pin": 7},
		"film":  none, "unheard-of": none,
	}
	for i := len(objects); i < 100; i++ {
		object := fmt.Sprint("object ", i)
		objects = append(objects, object)
		reacted[object], counts[object] = []string{}, none
	}
	gotReacted, err := w.Reacted(t.Context(), "jack", objects)
	require.NoError(t, err)
	require.Equal(t, reacted, gotReacted)
	gotCounts, err := w.CountsMany(t.Context(), objects)
	require.NoError(t, err)
	require.Equal(t, counts, gotCounts)
	for _, object := range objects[:4] {
		got, err := w.Counts(t.Context(), object)
		require.NoError(t, err)
		require.Equal(t, counts[object], got)
	}

	before := in.Requests()
	gotReacted, err = w.Reacted(t.Context(), "jack", nil)
	require.NoError(t, err)
	require.Empty(t, gotReacted)
	gotCounts, err = w.CountsMany(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, gotCounts)
	require.Equal(t, before, in.Requests())
}

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
