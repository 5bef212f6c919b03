package comment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

// interrupted is a process on the table of w that calls by just before its
// first transaction, after the reads for it.
func (w world) interrupted(t *testing.T, by func()) world {
	t.Helper()
	return w.process(t, nil, faults.Before(t, "TransactWriteItems", by).Wrap)
}

// TestAnIDThatAnotherUserTakesIsAConflict adds a reply whose id another user takes in the
// same thread before or meanwhile, among the first replies or the rest.
func TestAnIDThatAnotherUserTakesIsAConflict(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"among the first", "among the rest"} {
		for seen := faults.Size(2, 3); seen <= 3; seen++ {
			for _, meanwhile := range []bool{true, false} {
				w := newWorld(t, nil)
				root := w.says(t, "ann", "bird")
				first := w.replies(t, "bob", root)
				for range seen - 1 {
					w.replies(t, "bob", root)
				}
				mine := comment.Comment{Object: "bird", Root: root.ID, ID: w.id(t), User: "eve", Text: "mine"}
				take := func() {
					w.replies(t, "chris", root)
					if place == "among the first" {
						w.delete(t, first) // its place is free again
					}
					w.add(t, comment.Comment{Object: "bird", Root: root.ID, ID: mine.ID, User: "chris"})
					if place == "among the rest" {
						w.delete(t, first)
					}
				}
				late := w
				if meanwhile {
					late = w.interrupted(t, take)
				} else {
					take()
				}
				_, _, err := late.Add(t.Context(), mine)
				require.ErrorIs(t, err, plaza.ErrConflict, "%s, %d seen", place, seen)
				require.Empty(t, pagetest.All(t, of(w.ByUser, "eve", nil), 10))
			}
		}
	}
}

// TestWritesReadAgainAfterAConcurrentChange changes a comment after another
// call has read it.
func TestWritesReadAgainAfterAConcurrentChange(t *testing.T) {
	t.Parallel()
	type act = func(w world, root, reply comment.Comment)
	var (
		hide     = func(w world, root, _ comment.Comment) { w.hide(t, root) }
		unhide   = func(w world, root, _ comment.Comment) { w.unhide(t, root) }
		remove   = func(w world, root, _ comment.Comment) { w.delete(t, root) }
		add      = func(w world, root, _ comment.Comment) { w.replies(t, "bob", root) }
		withdraw = func(w world, _, reply comment.Comment) { w.delete(t, reply) }
		answer   = func(w world, _, reply comment.Comment) { w.replies(t, "user 1", reply) }
		flow     = func(w world, root, _ comment.Comment) {
			w.add(t, comment.Comment{Object: root.Object, User: "user 1", Parent: root.ID})
		}
	)
	first := newWorld(t, nil)
	for name, c := range faults.Sample(2, map[string]struct{ first, call, meanwhile act }{
		"a reply is deleted, its root hidden":              {nil, withdraw, hide},
		"a reply is deleted, its root unhidden":            {hide, withdraw, unhide},
		"a reply is deleted, then answered":                {nil, withdraw, answer},
		"a root is hidden, a reply added":                  {nil, hide, add},
		"a root is hidden, a reply deleted":                {nil, hide, withdraw},
		"a root is hidden, and removed":                    {nil, hide, remove},
		"a root without replies is hidden, a reply added":  {withdraw, hide, add},
		"a root is removed, its replies deleted":           {nil, remove, withdraw},
		"a root is removed, and hidden":                    {nil, remove, hide},
		"a root without replies is removed, then answered": {withdraw, remove, add},
		"a comment of the flow is removed, then answered":  {withdraw, remove, flow},
		"a hidden root is removed, and unhidden":           {hide, remove, unhide},
	}, "a root is hidden, and removed", "a root without replies is hidden, a reply added") {
		w := first.process(t, nil)
		root := w.says(t, "user 0", name)
		reply := w.replies(t, "bob", root)
		if c.first != nil {
			c.first(w, root, reply)
		}
		c.call(w.interrupted(t, func() { c.meanwhile(w, root, reply) }), root, reply)
		w.requireWhole(t, name)
		if _, err := w.Unhide(t.Context(), root.Address()); err == nil {
			w.requireWhole(t, name)
		}
	}
}

// TestWritesCountNothingOnAHalfErasedObject deletes an item that counts a
// comment, as EraseObject does first.
func TestWritesCountNothingOnAHalfErasedObject(t *testing.T) {
	t.Parallel()
	for name, n := range faults.Sample(2, map[string]int{"the header": 0, "the root": 1, "the parent": 2}) {
		w := newWorld(t, nil)
		root := w.says(t, "ann", "bird")
		parent := w.replies(t, "bob", root)
		c := w.replies(t, "chris", parent)
		keys := [][2]string{{"N#bird", "~"}, {"T#bird", root.ID.String()}, {"F#bird", root.ID.String() + "#" + parent.ID.String()}}
		key := keys[n]
		require.NoError(t, w.db.Table(w.table).Delete("pk", key[0]).Range("sk", key[1]).Run(t.Context()), name)
		before := w.state(t)
		_, err := w.Delete(t.Context(), comment.Action{Address: c.Address(), User: "chris"})
		require.ErrorIs(t, err, plaza.ErrBusy, name)
		require.Equal(t, before, w.state(t), name)
	}
}
