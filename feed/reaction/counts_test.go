package reaction_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

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
