package comment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
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
	for _, c := range faults.Some(3, given[0], given[1], given[4], given[2], given[3]) {
		require.Zero(t, w.get(t, c).EditedAt)
		before := c
		for n, change := range []func(){
			func() {}, // no change
			func() { c.Text = "edited" },
			func() { c.Mentions = []string{"ann", "bob"} },
			func() { c.Mentions = []string{"bob"} },
			func() { c.Data = []byte(`{"a":1}`) },
			func() { c.Data = []byte(`{}`) },
			func() { c.Data, c.Mentions = nil, []string{} },
		} {
			change()
			at := today.Add(time.Duration(n) * time.Hour)
			if n > 0 {
				before.EditedAt = at
			}
			before.Text, before.Mentions, before.Data = c.Text, append([]string(nil), c.Mentions...), c.Data
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

// The answer of an edit is lost, and the SDK sends it again after something else.
func TestAResentEditKnowsWhatItFinds(t *testing.T) {
	t.Parallel()
	remove := func(w world, c comment.Comment) (bool, error) {
		return w.Delete(t.Context(), comment.Action{Address: c.Address(), User: "ann"})
	}
	edit := func(w world, c comment.Comment) (bool, error) {
		c.Text = "newer"
		_, changed, err := w.Edit(t.Context(), c)
		return changed, err
	}
	for name, c := range map[string]struct {
		lost faults.Kind
		user string
		then func(world, comment.Comment) (bool, error)
		want error
	}{
		"it was applied before the removal": {faults.LostAfter, "ann", remove, nil},
		"it may have been":                  {faults.LostBefore, "ann", remove, plaza.ErrUnknownOutcome},
		"it never was: another's comment":   {faults.LostAfter, "eve", edit, plaza.ErrForbidden},
	} {
		w := newWorld(t, nil)
		given := w.says(t, "ann", "bird")
		w.replies(t, "bob", given) // so that a removal leaves a tombstone with its author
		in := faults.New(t, 1, faults.Rates{})
		in.Script(func(_ string, _ []byte, n int) faults.Fault {
			if n == 1 {
				return faults.Fault{Kind: c.lost}
			}
			changed, err := c.then(w, given)
			require.NoError(t, err, name)
			require.True(t, changed, name)
			return faults.Fault{}
		})
		older := given
		older.User, older.Text = c.user, "older"
		got, changed, err := w.process(t, nil, in.Wrap).Edit(t.Context(), older)
		require.ErrorIs(t, err, c.want, name)
		require.Equal(t, c.want == nil, changed, name)
		require.Equal(t, changed, got.Removed != nil, name)
	}
}
