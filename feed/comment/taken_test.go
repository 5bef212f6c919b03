package comment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
)

func TestTheIDOfARemovedCommentBecomesNobodyElses(t *testing.T) {
	t.Parallel()
	for name, erased := range map[string]bool{"deleted": false, "erased": true} {
		w := newWorld(t, nil)
		given := comment.Comment{Object: "bird", User: "ann", Text: "rules", ID: w.id(t)}
		ann := w.add(t, given)
		_, err := w.Pin(t.Context(), ann.Address())
		require.NoError(t, err)
		quoting := w.add(t, comment.Comment{Object: "bird", User: "bob", Text: "yes", Quote: &comment.Quote{Address: ann.Address()}})
		if erased {
			require.NoError(t, w.Erase(t.Context(), "ann"))
		} else {
			w.delete(t, ann)
		}

		_, _, err = w.Add(t.Context(), comment.Comment{Object: "bird", User: "eve", Text: "spam", ID: ann.ID})
		require.ErrorIs(t, err, plaza.ErrRemoved, name)
		_, _, err = w.Add(t.Context(), given)
		require.ErrorIs(t, err, plaza.ErrRemoved, name)
		_, err = w.Pinned(t.Context(), "bird")
		require.ErrorIs(t, err, plaza.ErrNotFound, name)
		require.True(t, w.get(t, quoting).Quote.Removed, name)
	}
}

func TestAnAuthorWhoModeratedTheirOwnIsErased(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	own := w.says(t, "chris", "blog")
	w.replies(t, "ann", own)
	_, err := w.Remove(t.Context(), own.Address(), comment.Removal{By: "chris", Reason: "mine"})
	require.NoError(t, err)
	require.NoError(t, w.Erase(t.Context(), "chris"))
	require.Empty(t, w.get(t, own).Removed.By)
	require.Empty(t, w.traces(t, "chris"))
}

func TestARepeatedUnpinLeavesTheNextPin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one, two := w.says(t, "ann", "bird"), w.says(t, "bob", "bird")
	for _, at := range []comment.Address{one.Address(), two.Address()} {
		_, err := w.Pin(t.Context(), at)
		require.NoError(t, err)
		unpinned, err := w.Unpin(t.Context(), one.Address())
		require.NoError(t, err)
		require.Equal(t, at == one.Address(), unpinned)
	}
	pinned, err := w.Pinned(t.Context(), "bird")
	require.NoError(t, err)
	require.Equal(t, two, pinned)
}
