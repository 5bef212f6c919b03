package comment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestAnEditIsKeptWithItsTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := w.says(t, "ann", "bird")
	given := []comment.Comment{w.says(t, "ann", "bird"), w.replies(t, "ann", root)}
	for range 3 { // the fourth reply is not among the first
		given = append(given, w.replies(t, "ann", root))
	}
	for _, c := range given {
		require.Zero(t, w.get(t, c).EditedAt)
		before := c
		for n, change := range []func(){
			func() {}, // no change
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

// TestAResentEditDoesNotUndoTheNext makes the SDK send an edit again after
// another one was applied.
func TestAResentEditDoesNotUndoTheNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := w.says(t, "ann", "bird")
	in := faults.New(t, 1, faults.Rates{})
	in.Script(func(op string, _ []byte, n int) faults.Fault {
		if op == "UpdateItem" && n == 1 {
			return faults.Fault{Kind: faults.LostAfter}
		}
		if n == 2 {
			newer := c
			newer.Text = "newer"
			_, _, err := w.Edit(t.Context(), newer)
			require.NoError(t, err)
		}
		return faults.Fault{}
	})
	older := c
	older.Text = "older"
	got, changed, err := w.process(t, nil, in.Wrap).Edit(t.Context(), older)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, "newer", got.Text)
	require.Equal(t, "newer", w.get(t, c).Text)
}

// Two calls give their edits the id after the same one, which a fast clock made.
func TestEditsAfterTheSameOneAreToldApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := w.says(t, "ann", "bird")
	ahead := ids.At(time.Now().Add(30 * time.Second))
	row := dynamotest.DB(t).Table(w.table).Update("pk", "T#"+c.Object).Range("sk", c.ID.String())
	require.NoError(t, row.If("attribute_exists(pk)").Set("editOp", ahead).Run(t.Context()))
	in, sent := faults.New(t, 1, faults.Rates{}), 0
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" {
			if sent++; sent == 2 { // it has its new id
				between := c
				between.Text = "between"
				_, _, err := w.Edit(t.Context(), between)
				require.NoError(t, err)
			}
		}
		return faults.Fault{}
	})
	last := c
	last.Text = "last"
	got, changed, err := w.process(t, nil, in.Wrap).Edit(t.Context(), last)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, 3, sent)
	require.Equal(t, "last", got.Text)
	require.Equal(t, "last", w.get(t, c).Text)
}

// TestAResentEditWithoutAChangeReportsFalse loses the answer of one
// of its writes, so that the SDK sends that again.
func TestAResentEditWithoutAChangeReportsFalse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := w.says(t, "ann", "bird")
	for lost := 1; lost <= 3; lost++ {
		in := faults.New(t, 1, faults.Rates{})
		in.Script(func(op string, _ []byte, n int) faults.Fault {
			if op == "UpdateItem" && n == lost {
				return faults.Fault{Kind: faults.LostAfter}
			}
			return faults.Fault{}
		})
		got, changed, err := w.process(t, nil, in.Wrap).Edit(t.Context(), c)
		require.NoError(t, err)
		require.False(t, changed, "%d lost", lost)
		require.Equal(t, c, got)
	}
}
