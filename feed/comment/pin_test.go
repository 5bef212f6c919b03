package comment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

func TestOneCommentIsPinned(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one, two := w.says(t, "ann", "bird"), w.says(t, "bob", "bird")
	unpins := func(want ...bool) {
		t.Helper()
		for _, want := range want {
			unpinned, err := w.Unpin(t.Context(), one.Address())
			require.NoError(t, err)
			require.Equal(t, want, unpinned)
		}
	}
	none := func() {
		t.Helper()
		_, err := w.Pinned(t.Context(), "bird")
		require.ErrorIs(t, err, plaza.ErrNotFound)
	}
	none()
	for _, c := range []comment.Comment{one, two, one, two} {
		for _, want := range []bool{true, false} {
			pinned, err := w.Pin(t.Context(), c.Address())
			require.NoError(t, err)
			require.Equal(t, want, pinned)
		}
		pinned, err := w.Pinned(t.Context(), "bird")
		require.NoError(t, err)
		require.Equal(t, c, pinned)
	}
	unpins(false, false) // it leaves the pin of another
	require.Equal(t, []ids.ID{two.ID, one.ID}, idsOf(pagetest.All(t, of(w.ByObject, "bird", nil), 10)), "the list keeps its order")

	_, err := w.Pin(t.Context(), one.Address())
	require.NoError(t, err)
	w.replies(t, "eve", two)
	w.delete(t, two)
	_, err = w.Pin(t.Context(), two.Address())
	require.ErrorIs(t, err, plaza.ErrRemoved)
	w.hide(t, one)
	for name, at := range map[string]comment.Address{"hidden": one.Address(), "unknown": {Object: "bird", ID: w.id(t)}, "elsewhere": {Object: "tree", ID: one.ID}} {
		_, err = w.Pin(t.Context(), at)
		require.ErrorIs(t, err, plaza.ErrNotFound, name)
	}
	none()
	unpins(true, false)
}
