package comment_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// heldWrite holds the next write back until deliver sends it.
type heldWrite struct {
	mu    sync.Mutex
	next  aws.HTTPClient
	holds bool
	body  []byte
	kept  *http.Request
}

func (d *heldWrite) wrap(next aws.HTTPClient) aws.HTTPClient {
	d.next = next
	return d
}

func (d *heldWrite) Do(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	target := r.Header.Get("X-Amz-Target")
	if !d.holds || strings.HasSuffix(target, "Get") || strings.HasSuffix(target, "Query") || strings.HasSuffix(target, "GetItem") {
		return d.next.Do(r)
	}
	if d.kept == nil {
		d.body, _ = io.ReadAll(r.Body)
		d.kept = r.Clone(context.Background())
	}
	return nil, faults.ErrKilled
}

// deliver sends the write that was held back and reports whether it was applied.
func (d *heldWrite) deliver(t *testing.T) (applied bool) {
	t.Helper()
	require.NotNil(t, d.kept)
	d.kept.Body = io.NopCloser(bytes.NewReader(d.body))
	res, err := d.next.Do(d.kept)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode == http.StatusOK
}

// TestALateRequestDoesNotRedoWhatWasUndone gives up a call whose request is
// late and undoes it, with and without repeating it first.
func TestALateRequestDoesNotRedoWhatWasUndone(t *testing.T) {
	t.Parallel()
	first := newWorld(t, nil)
	type call = func(t *testing.T, w world, c comment.Comment) error
	hide := func(t *testing.T, w world, c comment.Comment) error {
		_, err := w.Hide(t.Context(), c.Address())
		return err
	}
	unhide := func(t *testing.T, w world, c comment.Comment) error {
		_, err := w.Unhide(t.Context(), c.Address())
		return err
	}
	pin := func(t *testing.T, w world, c comment.Comment) error {
		_, err := w.Pin(t.Context(), c.Address())
		return err
	}
	unpin := func(t *testing.T, w world, c comment.Comment) error {
		_, err := w.Unpin(t.Context(), c.Address())
		return err
	}
	add := func(t *testing.T, w world, c comment.Comment) error {
		_, _, err := w.Add(t.Context(), comment.Comment{Object: c.Object, Root: c.Root, ID: c.ID, User: c.User, Text: c.Text})
		return err
	}
	remove := func(t *testing.T, w world, c comment.Comment) error {
		_, err := w.Delete(t.Context(), comment.Action{Address: c.Address(), User: c.User})
		return err
	}
	edit := func(text string) call {
		return func(t *testing.T, w world, c comment.Comment) error {
			c.Text = text
			_, _, err := w.Edit(t.Context(), c)
			return err
		}
	}
	other := func(call call) call {
		return func(t *testing.T, w world, c comment.Comment) error {
			others := all(t, of(w.ByObject, c.Object, nil), 50)
			return call(t, w, others[0])
		}
	}
	for name, c := range map[string]struct {
		before, late, undo call
		absent             bool // the comment does not exist yet
		reply              bool
	}{
		"hide, then unhide":         {late: hide, undo: unhide},
		"unhide, then hide":         {before: hide, late: unhide, undo: hide},
		"hide a reply, then unhide": {late: hide, undo: unhide, reply: true},
		"pin, then unpin":           {late: pin, undo: unpin},
		"pin, then pin another":     {late: pin, undo: other(pin)},
		"unpin, then pin":           {before: pin, late: unpin, undo: pin},
		"edit, then edit":           {late: edit("late"), undo: edit("newer")},
		"edit, then as it was":      {late: edit("late"), undo: edit("Beautiful bird!")},
		"add, then delete":          {late: add, undo: remove, absent: true},
		"add a reply, then delete":  {late: add, undo: remove, absent: true, reply: true},
	} {
		for _, repeated := range []bool{true, false} {
			what := name
			if repeated {
				what += ", repeated"
			}
			d := &heldWrite{}
			slow := first.process(t, nil, d.wrap) // its ids are less than others of the same millisecond
			w := slow.process(t, nil)
			given := comment.Comment{Object: what, User: "ann " + what, Text: "Beautiful bird!"}
			if c.reply {
				given.Root = w.says(t, "bob", what).ID
			}
			if given.ID = w.id(t); !c.absent {
				given = w.add(t, given)
			}
			w.says(t, "eve", what)
			if c.before != nil {
				require.NoError(t, c.before(t, w, given), what)
			}
			d.holds = true
			require.ErrorIs(t, c.late(t, slow, given), faults.ErrKilled, what)
			if repeated {
				require.NoError(t, c.late(t, w, given), what)
			}
			require.NoError(t, c.undo(t, w, given), what)
			before := w.state(t)
			require.False(t, d.deliver(t), what)
			require.Equal(t, before, w.state(t), what)
			if c.absent {
				require.ErrorIs(t, add(t, w, given), plaza.ErrRemoved, what)
				require.Empty(t, all(t, of(w.ByUser, given.User, nil), 5), what)
			}
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
	require.Empty(t, all(t, of(w.ByUser, "ann", &comment.ListOptions{WithHidden: true}), 5))
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
	in := faults.New(t, 1, faults.Rates{})
	done := false
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "PutItem" && !done {
			done = true
			w.add(t, given)
		}
		return faults.Fault{}
	})
	deleted, err := w.process(t, nil, in.Wrap).Delete(t.Context(), comment.Action{Address: given.Address(), User: "ann"})
	require.NoError(t, err)
	require.True(t, deleted)
	_, err = w.Get(t.Context(), given.Address())
	require.ErrorIs(t, err, plaza.ErrNotFound)
}

// fastClock is a source of ids whose clock is an hour ahead.
type fastClock struct{ *ids.Generator }

func (c fastClock) Next(ctx context.Context) (ids.ID, error) {
	id, err := c.Generator.Next(ctx)
	return id + ids.ID(time.Hour.Milliseconds())<<22, err
}

func TestAFastClockBlocksNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := w.says(t, "ann", "bird")
	other := w.says(t, "ann", "bird")
	fast, err := comment.New(w.db, w.table, fastClock{generator(t)}, nil)
	require.NoError(t, err)
	for n, text := range []string{"fast", "slow"} {
		for _, r := range []*comment.Repository{fast, w.Repository} {
			c.Text = text + " " + []string{"a", "b"}[n]
			edited, _, err := r.Edit(t.Context(), c)
			require.NoError(t, err)
			require.Equal(t, c.Text, edited.Text)
			for _, at := range []comment.Address{c.Address(), other.Address()} {
				pinned, err := r.Pin(t.Context(), at)
				require.NoError(t, err)
				require.True(t, pinned)
			}
			unpinned, err := r.Unpin(t.Context(), other.Address())
			require.NoError(t, err)
			require.True(t, unpinned)
		}
	}
}
