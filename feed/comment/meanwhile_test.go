package comment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// interrupted is a process on the table of w that calls by just before its
// first transaction, after the reads for it.
func (w world) interrupted(t *testing.T, by func()) world {
	t.Helper()
	in := faults.New(t, 1, faults.Rates{})
	done := false
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "TransactWriteItems" && !done {
			done = true
			by()
		}
		return faults.Fault{}
	})
	return w.process(t, nil, in.Wrap)
}

func TestAnIDTakenConcurrentlyIsAConflict(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(w world, first comment.Comment, add func() comment.Comment) (taken comment.Comment){
		"among the first": func(w world, first comment.Comment, add func() comment.Comment) comment.Comment {
			add()
			w.delete(t, first)
			return add()
		},
		"among the rest": func(w world, first comment.Comment, add func() comment.Comment) comment.Comment {
			add()
			taken := add()
			w.delete(t, first)
			return taken
		},
	} {
		for seen := faults.Size(2, 3); seen <= 3; seen++ {
			w := newWorld(t, nil)
			root := w.says(t, "ann", "bird")
			first := w.replies(t, "bob", root)
			for range seen - 1 {
				w.replies(t, "bob", root)
			}
			id := w.id(t)
			var taken comment.Comment
			late := w.interrupted(t, func() {
				left := 0
				taken = meanwhile(w, first, func() comment.Comment {
					c := comment.Comment{Object: "bird", Root: root.ID, User: "chris"}
					if left++; left == 2 {
						c.ID = id
					}
					return w.add(t, c)
				})
			})
			_, _, err := late.Add(t.Context(), comment.Comment{Object: "bird", Root: root.ID, ID: id, User: "eve", Text: "mine"})
			require.Equal(t, id, taken.ID, name)
			require.ErrorIs(t, err, plaza.ErrConflict, "%s, %d seen", name, seen)
			require.Empty(t, all(t, of(w.ByUser, "eve", nil), 10))
		}
	}
}

// TestWritesReadAgainAfterAConcurrentChange changes a comment after another
// call has read it.
func TestWritesReadAgainAfterAConcurrentChange(t *testing.T) {
	t.Parallel()
	first := newWorld(t, nil)
	for name, c := range faults.Sample(2, map[string]struct {
		first, other func(w world, root, reply comment.Comment)
		call         func(w world, root, reply comment.Comment) (bool, error)
	}{
		"a reply is deleted, its root hidden": {
			call: func(w world, _, reply comment.Comment) (bool, error) {
				return w.Delete(t.Context(), comment.Action{Address: reply.Address(), User: "bob"})
			},
			other: func(w world, root, _ comment.Comment) { w.hide(t, root) },
		},
		"a reply is deleted, its root unhidden": {
			first: func(w world, root, _ comment.Comment) { w.hide(t, root) },
			call: func(w world, _, reply comment.Comment) (bool, error) {
				return w.Delete(t.Context(), comment.Action{Address: reply.Address(), User: "bob"})
			},
			other: func(w world, root, _ comment.Comment) {
				_, err := w.Unhide(t.Context(), root.Address())
				require.NoError(t, err)
			},
		},
		"a root is hidden, a reply added": {
			call:  func(w world, root, _ comment.Comment) (bool, error) { return w.Hide(t.Context(), root.Address()) },
			other: func(w world, root, _ comment.Comment) { w.replies(t, "bob", root) },
		},
		"a root is hidden, and removed": {
			call:  func(w world, root, _ comment.Comment) (bool, error) { return w.Hide(t.Context(), root.Address()) },
			other: func(w world, root, _ comment.Comment) { w.delete(t, root) },
		},
		"a root without replies is hidden, a reply added": {
			first: func(w world, _, reply comment.Comment) { w.delete(t, reply) },
			call:  func(w world, root, _ comment.Comment) (bool, error) { return w.Hide(t.Context(), root.Address()) },
			other: func(w world, root, _ comment.Comment) { w.replies(t, "bob", root) },
		},
		"a root is hidden, a reply deleted": {
			call:  func(w world, root, _ comment.Comment) (bool, error) { return w.Hide(t.Context(), root.Address()) },
			other: func(w world, _, reply comment.Comment) { w.delete(t, reply) },
		},
		"a root is removed, its replies deleted": {
			call: func(w world, root, _ comment.Comment) (bool, error) {
				return w.Remove(t.Context(), root.Address(), comment.Removal{By: "ann"})
			},
			other: func(w world, _, reply comment.Comment) { w.delete(t, reply) },
		},
		"a reply is deleted, then answered": {
			call: func(w world, _, reply comment.Comment) (bool, error) {
				return w.Delete(t.Context(), comment.Action{Address: reply.Address(), User: "bob"})
			},
			other: func(w world, _, reply comment.Comment) { w.replies(t, "user 1", reply) },
		},
	}, "a root is hidden, and removed", "a root without replies is hidden, a reply added") {
		w := first.process(t, nil)
		root := w.says(t, "user 0", name)
		reply := w.replies(t, "bob", root)
		if c.first != nil {
			c.first(w, root, reply)
		}
		changed, err := c.call(w.interrupted(t, func() { c.other(w, root, reply) }), root, reply)
		require.NoError(t, err, name)
		require.True(t, changed, name)
		w.requireWhole(t, name)
		_, err = w.Unhide(t.Context(), root.Address())
		if err == nil {
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

func TestConcurrentRemoveAndHideCountOnce(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]func(w, late world, root comment.Comment){
		"hidden meanwhile": func(_, late world, root comment.Comment) { late.delete(t, root) },
		"unhidden meanwhile": func(w, late world, root comment.Comment) {
			w.hide(t, root)
			late.delete(t, root)
		},
	} {
		w := newWorld(t, nil)
		w.says(t, "eve", "bird")
		root := w.says(t, "ann", "bird")
		w.replies(t, "bob", root)
		late(w, w.interrupted(t, func() {
			if hidden, err := w.Hide(t.Context(), root.Address()); err == nil && !hidden {
				_, err := w.Unhide(t.Context(), root.Address())
				require.NoError(t, err)
			}
		}), root)
		want := comment.Counts{All: 1, Roots: 1}
		if name == "unhidden meanwhile" {
			want.All = 2 // the reply under the tombstone is visible
		}
		got, err := w.Counts(t.Context(), "bird")
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
}
