package comment_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
)

func TestHidingARootHidesItsThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := w.says(t, "ann", "bird")
	var replies []comment.Comment
	for i := range 5 {
		replies = append(replies, w.replies(t, fmt.Sprint("user ", i), root))
	}
	quoting := w.add(t, comment.Comment{Object: "bird", User: "zoe", Quote: &comment.Quote{Address: replies[4].Address()}})
	require.Equal(t, comment.Counts{All: 7, Roots: 2}, w.counts(t, "bird"))
	w.hide(t, root)
	require.Equal(t, comment.Counts{All: 1, Roots: 1}, w.counts(t, "bird"))
	for _, c := range append(replies, root) {
		_, err := w.Get(t.Context(), c.Address())
		require.ErrorIs(t, err, plaza.ErrNotFound)
		require.Len(t, all(t, of(w.ByUser, c.User, &comment.ListOptions{WithHidden: true}), 10), 1)
		require.Empty(t, all(t, of(w.ByUser, c.User, nil), 10))
	}
	require.True(t, w.get(t, quoting).Quote.Removed)
	require.Equal(t, []ids.ID{quoting.ID}, idsOf(all(t, of(w.ByObject, "bird", nil), 10)))

	w.delete(t, replies[0])
	w.hide(t, replies[1])
	require.Equal(t, comment.Counts{All: 1, Roots: 1}, w.counts(t, "bird"))
	w.unhide(t, root)
	require.Equal(t, comment.Counts{All: 5, Roots: 2}, w.counts(t, "bird"))
}
