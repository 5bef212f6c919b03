package comment_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// settled repeats a call until its error is final or nil.
func settled(call func() error) error {
	for {
		if err := call(); !faults.Passing(err) {
			return err
		}
	}
}

func TestConcurrentRepliesAndRemovalsLeaveNothingUnreachable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for round := range faults.Size(12, 3) {
		object := fmt.Sprint("bird ", round)
		root := w.says(t, "ann", object)
		target := root
		if round%2 == 1 {
			target = w.replies(t, "ann", root)
		}
		flow := round%4 == 2
		var group errgroup.Group
		for n := range 4 {
			group.Go(func() error {
				c := comment.Comment{Object: object, Parent: target.ID, User: fmt.Sprint("user ", n), Text: "yes", Key: object}
				if !flow {
					c.Root = root.ID
				}
				err := settled(func() error { _, _, err := w.Add(t.Context(), c); return err })
				if errors.Is(err, plaza.ErrNotFound) || errors.Is(err, plaza.ErrRemoved) {
					return nil // too late
				}
				return err
			})
		}
		group.Go(func() error {
			return settled(func() error {
				_, err := w.Delete(t.Context(), comment.Action{Address: target.Address(), User: "ann"})
				return err
			})
		})
		if round%3 == 0 {
			group.Go(func() error {
				err := settled(func() error { _, err := w.Hide(t.Context(), root.Address()); return err })
				if errors.Is(err, plaza.ErrNotFound) {
					return nil
				}
				return err
			})
		}
		require.NoError(t, group.Wait())
		w.requireWhole(t, object)
	}
}

// requireWhole fails unless the lists contain every stored comment and the
// counts equal the lists.
func (w world) requireWhole(t *testing.T, object string) {
	t.Helper()
	withHidden := &comment.ListOptions{WithHidden: true}
	var stored []comment.Comment
	for _, root := range all(t, of(w.ByObject, object, withHidden), 50) {
		stored = append(stored, root)
		stored = append(stored, all(t, of(w.Replies, root.Address(), withHidden), 50)...)
	}
	var want comment.Counts
	reached := map[ids.ID]bool{}
	for _, c := range stored {
		reached[c.ID] = true
		if c.Removed == nil && !c.Hidden {
			want.All++
			if c.Root == 0 {
				want.Roots++
			}
		}
	}
	require.Equal(t, want, w.counts(t, object))
	for _, c := range stored {
		children := int64(0)
		for _, child := range stored {
			if child.Removed == nil && (child.Root == c.ID || child.Parent == c.ID) {
				children++
			}
		}
		require.Equal(t, children, c.Replies)
		if c.Parent != 0 {
			require.True(t, reached[c.Parent], "its parent is gone")
		}
	}
	for n := range 4 {
		for _, c := range all(t, of(w.ByUser, fmt.Sprint("user ", n), withHidden), 50) {
			if c.Object == object && c.Removed == nil {
				require.True(t, reached[c.ID], "%v is in no list of the object", c.ID)
			}
		}
	}
}
