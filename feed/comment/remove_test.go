package comment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

func TestDeletingAnAnsweredCommentLeavesATombstone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := w.add(t, comment.Comment{Object: "bird", User: "ann", Mentions: []string{"bob"}, Data: []byte(`1`)})
	reply := w.replies(t, "bob", root)
	leaf := w.replies(t, "chris", reply)
	flow := w.says(t, "ann", "bird")
	answer := w.add(t, comment.Comment{Object: "bird", User: "bob", Parent: flow.ID})

	for _, c := range []comment.Comment{root, reply, flow} {
		w.delete(t, c)
		tombstone := w.get(t, c)
		require.Equal(t, comment.Comment{
			Object: c.Object, Root: c.Root, ID: c.ID, Parent: c.Parent, User: c.User,
			Replies: tombstone.Replies, Removed: &comment.Removal{At: today},
		}, tombstone)
		again, err := w.Delete(t.Context(), comment.Action{Address: c.Address(), User: c.User})
		require.NoError(t, err)
		require.False(t, again)
	}
	for _, item := range w.state(t) {
		if item["removed"] != nil {
			for _, name := range []string{"text", "mentions", "data"} {
				require.NotContains(t, item, name, "reads ignore it")
			}
		}
	}
	require.Equal(t, []ids.ID{answer.ID, flow.ID, root.ID}, idsOf(pagetest.All(t, of(w.ByObject, "bird", nil), 10)))
	require.Equal(t, []ids.ID{leaf.ID, reply.ID}, idsOf(pagetest.All(t, of(w.Replies, root.Address(), nil), 10)))
	require.Equal(t, comment.Counts{All: 2, Roots: 1}, w.counts(t, "bird"), "tombstones do not count")
	require.EqualValues(t, 1, w.get(t, root).Replies)

	w.delete(t, leaf)
	_, err := w.Get(t.Context(), leaf.Address())
	require.ErrorIs(t, err, plaza.ErrNotFound)
	again, err := w.Delete(t.Context(), comment.Action{Address: leaf.Address(), User: leaf.User})
	require.NoError(t, err)
	require.False(t, again)
	for later, want := range map[time.Duration]int{29 * 24 * time.Hour: 1, 31 * 24 * time.Hour: 0} {
		own := of(w.at(t, today.Add(later)).ByUser, leaf.User, &comment.ListOptions{WithHidden: true})
		require.Len(t, pagetest.All(t, own, 10), want, "its author sees that it was removed, for 30 days")
	}
	require.Equal(t, []ids.ID{reply.ID}, idsOf(pagetest.All(t, of(w.Replies, root.Address(), nil), 10)))
}

func TestOnlyItsAuthorEditsAndDeletes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := w.says(t, "ann", "bird")
	for _, c := range []comment.Comment{root, w.replies(t, "ann", root)} {
		_, err := w.Delete(t.Context(), comment.Action{Address: c.Address(), User: "eve"})
		require.ErrorIs(t, err, plaza.ErrForbidden)
		edit := c
		edit.User, edit.Text = "eve", "mine"
		_, _, err = w.Edit(t.Context(), edit)
		require.ErrorIs(t, err, plaza.ErrForbidden)
		edit.Text = c.Text
		_, _, err = w.Edit(t.Context(), edit)
		require.ErrorIs(t, err, plaza.ErrForbidden, "with the same text")
	}
}

func TestTheIDOfACommentCannotBeReusedEvenIfItIsRemoved(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a leaf", "an answered comment", "an erased comment"} {
		w := newWorld(t, nil)
		given := comment.Comment{Object: "bird", User: "ann", Text: "rules", ID: w.id(t)}
		ann := w.add(t, given)
		_, err := w.Pin(t.Context(), ann.Address())
		require.NoError(t, err)
		quoting := w.add(t, comment.Comment{Object: "bird", User: "bob", Text: "yes", Quote: &comment.Quote{Address: ann.Address()}})
		if name == "an answered comment" {
			w.replies(t, "bob", ann)
		}
		other := comment.Comment{Object: "bird", User: "eve", Text: "spam", ID: ann.ID}
		require.ErrorIs(t, failed(w.Add(t.Context(), other)), plaza.ErrConflict, name)
		if name == "an erased comment" {
			require.NoError(t, w.Erase(t.Context(), "ann"))
		} else {
			w.delete(t, ann)
		}

		require.ErrorIs(t, failed(w.Add(t.Context(), other)), plaza.ErrRemoved, name)
		_, _, err = w.Add(t.Context(), given)
		require.ErrorIs(t, err, plaza.ErrRemoved, name)
		_, err = w.Pinned(t.Context(), "bird")
		require.ErrorIs(t, err, plaza.ErrNotFound, name)
		require.True(t, w.get(t, quoting).Quote.Removed, name)
	}
}
