package comment_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
)

func TestDeletingWhatIsAnsweredLeavesATombstone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := w.add(t, comment.Comment{Object: "bird", User: "ann", Mentions: []string{"bob"}, Data: []byte(`1`)})
	reply := w.replies(t, "bob", root)
	leaf := w.replies(t, "chris", reply)
	flow := w.says(t, "ann", "bird")
	answer := w.answers(t, "bob", flow)

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
	require.Equal(t, []ids.ID{answer.ID, flow.ID, root.ID}, idsOf(all(t, of(w.ByObject, "bird", nil), 10)))
	require.Equal(t, []ids.ID{leaf.ID, reply.ID}, idsOf(all(t, of(w.Replies, root.Address(), nil), 10)))
	counts, err := w.Counts(t.Context(), "bird")
	require.NoError(t, err)
	require.Equal(t, comment.Counts{All: 2, Roots: 1}, counts, "tombstones do not count")
	require.EqualValues(t, 1, w.get(t, root).Replies)

	w.delete(t, leaf)
	_, err = w.Get(t.Context(), leaf.Address())
	require.ErrorIs(t, err, plaza.ErrNotFound)
	again, err := w.Delete(t.Context(), comment.Action{Address: leaf.Address(), User: leaf.User})
	require.NoError(t, err)
	require.False(t, again)
	require.Equal(t, []ids.ID{reply.ID}, idsOf(all(t, of(w.Replies, root.Address(), nil), 10)))
}

func TestAModeratorsReasonIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	leaf, answered := w.says(t, "ann", "bird"), w.says(t, "ann", "bird")
	w.replies(t, "bob", answered)
	for _, c := range []comment.Comment{leaf, answered} {
		for _, want := range []bool{true, false} {
			removed, err := w.Remove(t.Context(), c.Address(), comment.Removal{By: "owner", Reason: "off topic", At: time.Unix(1, 0)})
			require.NoError(t, err)
			require.Equal(t, want, removed)
		}
	}
	why := &comment.Removal{By: "owner", Reason: "off topic", At: today}
	require.Equal(t, why, w.get(t, answered).Removed)
	require.Empty(t, all(t, of(w.ByUser, "ann", nil), 10))
	own := all(t, of(w.ByUser, "ann", &comment.ListOptions{WithHidden: true}), 10)
	require.Equal(t, []ids.ID{answered.ID, leaf.ID}, idsOf(own))
	for _, c := range own {
		require.Equal(t, why, c.Removed)
		require.Empty(t, c.Text)
	}
	own = all(t, of(w.at(t, today.Add(31*24*time.Hour)).ByUser, "ann", &comment.ListOptions{WithHidden: true}), 10)
	require.Equal(t, []ids.ID{answered.ID}, idsOf(own), "of a leaf, for 30 days")
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

func TestAnEditIsKeptWithItsTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := w.says(t, "ann", "bird")
	given := []comment.Comment{w.says(t, "ann", "bird"), w.replies(t, "ann", root)}
	for range 3 { // into a thread's further replies
		given = append(given, w.replies(t, "ann", root))
	}
	for _, c := range given {
		require.Zero(t, w.get(t, c).EditedAt)
		before := c
		for n, change := range []func(){
			func() {}, // as it was
			func() { c.Text = "edited" },
			func() { c.Mentions = []string{"ann", "bob"} },
			func() { c.Mentions = []string{"bob"} },
			func() { c.Data = []byte(`{"a":1}`) },
			func() { c.Data = []byte(`{}`) },
			func() { c.Data, c.Mentions = nil, nil },
		} {
			change()
			at := today.Add(time.Duration(n) * time.Hour)
			if n > 0 {
				before.EditedAt = at
			}
			before.Text, before.Mentions, before.Data = c.Text, c.Mentions, c.Data
			for _, when := range []time.Time{at, at.Add(time.Minute)} { // the second changes nothing
				edited, changed, err := w.at(t, when).Edit(t.Context(), c)
				require.NoError(t, err)
				require.Equal(t, n > 0 && when.Equal(at), changed)
				require.Equal(t, before, edited)
				require.Equal(t, before, w.get(t, c))
			}
		}
	}
}

func TestAHiddenRootTakesItsThreadAlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := w.says(t, "ann", "bird")
	var replies []comment.Comment
	for i := range 5 {
		replies = append(replies, w.replies(t, fmt.Sprint("user ", i), root))
	}
	quoting := w.add(t, comment.Comment{Object: "bird", User: "zoe", Quote: &comment.Quote{Address: replies[4].Address()}})
	counted := func(want comment.Counts) {
		t.Helper()
		counts, err := w.Counts(t.Context(), "bird")
		require.NoError(t, err)
		require.Equal(t, want, counts)
	}
	counted(comment.Counts{All: 7, Roots: 2})
	w.hide(t, root)
	counted(comment.Counts{All: 1, Roots: 1})
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
	counted(comment.Counts{All: 1, Roots: 1})
	unhidden, err := w.Unhide(t.Context(), root.Address())
	require.NoError(t, err)
	require.True(t, unhidden)
	counted(comment.Counts{All: 5, Roots: 2})
}

func TestOneCommentIsPinned(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one, two := w.says(t, "ann", "bird"), w.says(t, "bob", "bird")
	_, err := w.Pinned(t.Context(), "bird")
	require.ErrorIs(t, err, plaza.ErrNotFound)
	for _, c := range []comment.Comment{one, two, one} {
		for _, want := range []bool{true, false} {
			pinned, err := w.Pin(t.Context(), c.Address())
			require.NoError(t, err)
			require.Equal(t, want, pinned)
		}
		pinned, err := w.Pinned(t.Context(), "bird")
		require.NoError(t, err)
		require.Equal(t, c, pinned)
	}
	require.Equal(t, []ids.ID{two.ID, one.ID}, idsOf(all(t, of(w.ByObject, "bird", nil), 10)), "the list keeps its order")

	w.replies(t, "eve", two)
	w.delete(t, two)
	_, err = w.Pin(t.Context(), two.Address())
	require.ErrorIs(t, err, plaza.ErrRemoved)
	w.hide(t, one)
	for name, at := range map[string]comment.Address{"hidden": one.Address(), "unknown": {Object: "bird", ID: w.id(t)}, "elsewhere": {Object: "tree", ID: one.ID}} {
		_, err = w.Pin(t.Context(), at)
		require.ErrorIs(t, err, plaza.ErrNotFound, name)
	}
	_, err = w.Pinned(t.Context(), "bird")
	require.ErrorIs(t, err, plaza.ErrNotFound, "it is hidden")
	for _, want := range []bool{true, false} {
		unpinned, err := w.Unpin(t.Context(), one.Address())
		require.NoError(t, err)
		require.Equal(t, want, unpinned)
	}
}
