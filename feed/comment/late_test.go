package comment_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

// An Add whose caller gave up arrives after the Delete, with and without a repeat before.
func TestALateAddStaysDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, reply := range []bool{true, false} {
		for _, repeated := range []bool{true, false} {
			what := fmt.Sprintf("reply %v, repeated %v", reply, repeated)
			given := comment.Comment{Object: what, ID: w.id(t), User: "ann " + what, Text: "Beautiful bird!"}
			if reply {
				given.Root = w.says(t, "bob", what).ID
			}
			held := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "TransactWriteItems" }}
			_, _, err := w.process(t, nil, held.Wrap).Add(t.Context(), given)
			require.ErrorIs(t, err, plaza.ErrUnknownOutcome, what)
			if repeated {
				w.add(t, given)
			}
			_, err = w.Delete(t.Context(), comment.Action{Address: given.Address(), User: given.User})
			require.NoError(t, err, what)
			before := w.state(t)
			require.Zero(t, held.Arrive(t), what)
			require.Equal(t, before, w.state(t), what)
			_, _, err = w.Add(t.Context(), given)
			require.ErrorIs(t, err, plaza.ErrRemoved, what)
			require.Empty(t, pagetest.All(t, of(w.ByUser, given.User, nil), 5), what)
		}
	}
}

func TestDeletingAnUnknownCommentPreventsItsAdd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	id := w.id(t)
	at := comment.Address{Object: "bird", ID: id}
	for range 2 {
		deleted, err := w.Delete(t.Context(), comment.Action{Address: at, User: "ann"})
		require.NoError(t, err)
		require.False(t, deleted)
	}
	require.Empty(t, pagetest.All(t, of(w.ByUser, "ann", &comment.ListOptions{WithHidden: true}), 5))
	bob := w.add(t, comment.Comment{Object: "bird", ID: id, User: "bob"}) // other users can use the id
	_, err := w.Delete(t.Context(), comment.Action{Address: at, User: "ann"})
	require.ErrorIs(t, err, plaza.ErrForbidden)
	require.Equal(t, bob, w.get(t, bob))
	later := w.at(t, today.Add(31*24*time.Hour))
	_, _, err = later.Add(t.Context(), comment.Comment{Object: "tree", ID: id, User: "ann", Text: "hello"})
	require.NoError(t, err)
	require.NoError(t, w.Erase(t.Context(), "ann"))
	require.Empty(t, w.traces(t, "ann"))
}

// TestAnAddDuringItsDeleteIsDeleted adds the comment between Delete's read and
// its write.
func TestAnAddDuringItsDeleteIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	given := comment.Comment{Object: "bird", ID: w.id(t), User: "ann", Text: "hello"}
	in := faults.Before(t, "PutItem", func() { w.add(t, given) })
	deleted, err := w.process(t, nil, in.Wrap).Delete(t.Context(), comment.Action{Address: given.Address(), User: "ann"})
	require.NoError(t, err)
	require.True(t, deleted)
	_, err = w.Get(t.Context(), given.Address())
	require.ErrorIs(t, err, plaza.ErrNotFound)
}
