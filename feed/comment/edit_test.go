package comment_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
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
	for _, c := range faults.Some(2, given[1], given[4], given[0], given[2], given[3]) {
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

// The SDK sends an edit again because its answer was lost, after others were applied.
func TestAResentEditDoesNotUndoTheNext(t *testing.T) {
	t.Parallel()
	for _, lost := range []faults.Kind{faults.LostBefore, faults.LostAfter} {
		for _, meanwhile := range [][]string{{"newer"}, {"newer", "newest"}, {"newer", "newest", "older"}, {"newer", removal}, {removal}} {
			what := fmt.Sprint(lost, " ", meanwhile)
			w := newWorld(t, nil)
			c := w.says(t, "ann", "bird")
			in := faults.New(t, 1, faults.Rates{})
			in.Script(func(op string, _ []byte, n int) faults.Fault {
				if op == "UpdateItem" && n == 1 {
					return faults.Fault{Kind: lost}
				}
				for _, text := range meanwhile {
					if n != 2 {
						break
					}
					if text == removal {
						_, err := w.Delete(t.Context(), comment.Action{Address: c.Address(), User: "ann"})
						require.NoError(t, err)
						continue
					}
					newer := c
					newer.Text = text
					_, _, err := w.Edit(t.Context(), newer)
					require.NoError(t, err)
				}
				return faults.Fault{}
			})
			older := c
			older.Text = "older"
			got, changed, err := w.process(t, nil, in.Wrap).Edit(t.Context(), older)
			last := meanwhile[len(meanwhile)-1]
			if lost == faults.LostAfter && len(meanwhile) == 1 && last != removal {
				require.NoError(t, err, what)
				require.True(t, changed, what)
				require.Equal(t, last, got.Text, what)
			} else {
				require.ErrorIs(t, err, plaza.ErrUnknownOutcome, what)
			}
			if last == removal {
				_, err := w.Get(t.Context(), c.Address())
				require.ErrorIs(t, err, plaza.ErrNotFound, what)
			} else {
				require.Equal(t, last, w.get(t, c).Text, what)
			}
		}
	}
}

// The SDK sends an edit again that found nothing to change, after others were applied.
func TestAResentEditThatChangesNothingDoesNotUndoTheNext(t *testing.T) {
	t.Parallel()
	for _, meanwhile := range [][]string{{}, {"newer"}, {"newer", "newest"}} {
		w := newWorld(t, nil)
		c := w.says(t, "ann", "bird")
		in := faults.New(t, 1, faults.Rates{})
		in.Script(func(op string, _ []byte, n int) faults.Fault {
			switch {
			case op == "UpdateItem" && n == 2: // n 1 is refused: the text is equal
				return faults.Fault{Kind: faults.LostAfter}
			case n == 3:
				for _, text := range meanwhile {
					newer := c
					newer.Text = text
					_, _, err := w.Edit(t.Context(), newer)
					require.NoError(t, err)
				}
			}
			return faults.Fault{}
		})
		_, changed, err := w.process(t, nil, in.Wrap).Edit(t.Context(), c)
		require.False(t, changed, meanwhile)
		want := c.Text
		if len(meanwhile) > 0 {
			want = meanwhile[len(meanwhile)-1]
		}
		if len(meanwhile) > 1 {
			require.ErrorIs(t, err, plaza.ErrUnknownOutcome, meanwhile)
		} else {
			require.NoError(t, err, meanwhile)
		}
		require.Equal(t, want, w.get(t, c).Text, meanwhile)
	}
}

// An answer was lost, but somebody who is not the author has changed nothing.
func TestAResentEditByAnotherIsForbidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := w.says(t, "ann", "bird")
	in := faults.New(t, 1, faults.Rates{})
	in.Script(func(_ string, _ []byte, n int) faults.Fault {
		if n == 1 {
			return faults.Fault{Kind: faults.LostAfter}
		}
		newer := c
		newer.Text = "newer"
		_, changed, err := w.Edit(t.Context(), newer)
		require.NoError(t, err)
		require.True(t, changed)
		return faults.Fault{}
	})
	theirs := c
	theirs.User, theirs.Text = "eve", "older"
	_, _, err := w.process(t, nil, in.Wrap).Edit(t.Context(), theirs)
	require.ErrorIs(t, err, plaza.ErrForbidden)
	require.Equal(t, "newer", w.get(t, c).Text)
}

// removal stands for a Delete among texts of edits.
const removal = "removal"

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
