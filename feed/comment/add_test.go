package comment_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

func TestTextIsStoredAsGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, text := range []string{"<script>alert('&')</script>", " a\n\tb ", "\x00", "é́️‍👩‍👩‍👧", `\#"'`} {
		c := w.add(t, comment.Comment{Object: "bird", User: "ann", Text: text, Data: []byte(`{ "a" : "<" }`)})
		require.Equal(t, c, w.get(t, c))
		require.Equal(t, text, c.Text)
	}
}

func TestAQuoteShowsAHundredRunes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, runes := range []int{100, 101} {
		c := w.add(t, comment.Comment{Object: "bird", User: "ann", Text: strings.Repeat("鳥", runes)})
		quoting := w.add(t, comment.Comment{Object: "bird", User: "bob", Quote: &comment.Quote{Address: c.Address()}})
		require.Equal(t, strings.Repeat("鳥", 100), w.get(t, quoting).Quote.Excerpt)
	}
}

func TestARepeatedAddIsOneComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := w.says(t, "ann", "bird")
	for i := range 3 {
		w.replies(t, fmt.Sprint("user ", i), root)
	}
	full := w.says(t, "ann", "full") // the first attempt used the last free place
	for i := range 2 {
		w.replies(t, fmt.Sprint("user ", i), full)
	}
	for name, c := range faults.Sample(2, map[string]comment.Comment{
		"a root":               {Object: "tree"},
		"an answer":            {Object: "bird", Parent: root.ID},
		"a quote":              {Object: "bird", Quote: &comment.Quote{Address: comment.Address{ID: root.ID}}},
		"a reply":              {Object: "bird", Root: root.ID},
		"a third first reply":  {Object: "full", Root: full.ID},
		"a root with mentions": {Object: "tree", Mentions: []string{"ann", "bob"}, Data: []byte(`[1]`)},
	}) {
		for how, identity := range faults.Sample(2, map[string]comment.Comment{
			"id":         {ID: w.id(t)},
			"key":        {Key: name},
			"id and key": {ID: w.id(t), Key: name + " too"},
		}) {
			c.User, c.Text, c.ID, c.Key = "jack", "hello", identity.ID, identity.Key
			first := w.add(t, c)
			require.NotZero(t, first.ID, how)
			later := w.at(t, today.Add(11*time.Minute)) // longer than a client token is valid
			again, created, err := later.Add(t.Context(), c)
			require.NoError(t, err, "%s by %s", name, how)
			require.False(t, created, "%s by %s", name, how)
			require.Equal(t, first, again, "%s by %s", name, how)

			for what, change := range faults.Sample(2, map[string]func(*comment.Comment){
				"text":     func(c *comment.Comment) { c.Text += "?" },
				"object":   func(c *comment.Comment) { c.Object, c.Root, c.Parent, c.Quote = "other", 0, 0, nil },
				"mentions": func(c *comment.Comment) { c.Mentions = []string{"eve"} },
				"data":     func(c *comment.Comment) { c.Data = []byte(`{}`) },
			}) {
				other := c
				change(&other)
				_, _, err := w.Add(t.Context(), other)
				require.ErrorIs(t, err, plaza.ErrConflict, "%s by %s with another %s", name, how, what)
			}
		}
	}
	require.Len(t, pagetest.All(t, of(w.ByUser, "jack", nil), 100), faults.Size(18, 6))
	require.Empty(t, pagetest.All(t, of(w.ByObject, "other", nil), 100))
}

func TestALateRepeatDoesNotRestoreAComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := w.says(t, "ann", "bird")
	const answered = "an answered comment"
	for name, c := range faults.Sample(2, map[string]comment.Comment{
		"a leaf by id":       {ID: w.id(t)},
		"a leaf by key":      {Key: "1"},
		"a reply by id":      {ID: w.id(t), Root: root.ID},
		"a reply by key":     {Key: "2", Root: root.ID},
		answered + " by id":  {ID: w.id(t)},
		answered + " by key": {Key: "3"},
	}, "a leaf by key") {
		c.Object, c.User, c.Text = "bird", "jack", "hello"
		added := w.add(t, c)
		if strings.HasPrefix(name, answered) {
			w.replies(t, "bob", added)
		}
		w.delete(t, added)
		other := c
		other.Text = "another"
		for _, when := range faults.Some(2, 0, 30*24*time.Hour-time.Second, 11*time.Minute) {
			later := w.at(t, today.Add(when))
			require.ErrorIs(t, failed(later.Add(t.Context(), c)), plaza.ErrRemoved, "%s, %v later", name, when)
			require.ErrorIs(t, failed(later.Add(t.Context(), other)), plaza.ErrConflict, name)
		}

		// By then everything but the tombstones has expired, even if the table still has it.
		expired := w.at(t, today.Add(30*24*time.Hour+time.Second))
		if name == answered+" by id" {
			require.ErrorIs(t, failed(expired.Add(t.Context(), c)), plaza.ErrRemoved)
			continue
		}
		other.Root, other.Parent = 0, w.id(t)
		require.ErrorIs(t, failed(expired.Add(t.Context(), other)), plaza.ErrNotFound, name)
		require.NoError(t, failed(expired.Add(t.Context(), c)), name)
	}
}

func TestRepliesToRemovedOrHiddenCommentsAreRefused(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	root, other, hidden, tombstone := w.says(t, "ann", "bird"), w.says(t, "ann", "bird"), w.says(t, "ann", "bird"), w.says(t, "ann", "bird")
	elsewhere := w.says(t, "ann", "tree")
	reply, others := w.replies(t, "bob", root), w.replies(t, "bob", other)
	below := w.replies(t, "bob", hidden)
	hiddenReply, deadReply, dead := w.replies(t, "bob", root), w.replies(t, "bob", root), w.replies(t, "bob", tombstone)
	gone := w.replies(t, "bob", root)
	w.replies(t, "bob", deadReply)
	w.hide(t, hidden)
	w.hide(t, hiddenReply)
	for _, c := range []comment.Comment{tombstone, deadReply, gone} {
		w.delete(t, c)
	}
	quote := func(at comment.Address) *comment.Quote { return &comment.Quote{Address: at} }
	before := w.state(t)
	for name, c := range faults.Sample(2, map[string]struct {
		comment.Comment
		want error
	}{
		"an unknown root":                  {comment.Comment{Root: w.id(t)}, plaza.ErrNotFound},
		"a root of another object":         {comment.Comment{Root: elsewhere.ID}, plaza.ErrNotFound},
		"a reply as root":                  {comment.Comment{Root: reply.ID}, plaza.ErrNotFound},
		"a hidden root":                    {comment.Comment{Root: hidden.ID}, plaza.ErrNotFound},
		"a tombstone as root":              {comment.Comment{Root: tombstone.ID}, plaza.ErrRemoved},
		"an unknown parent":                {comment.Comment{Root: root.ID, Parent: w.id(t)}, plaza.ErrNotFound},
		"a parent of another root":         {comment.Comment{Root: root.ID, Parent: others.ID}, plaza.ErrNotFound},
		"a root as parent of another":      {comment.Comment{Root: root.ID, Parent: other.ID}, plaza.ErrNotFound},
		"a hidden parent":                  {comment.Comment{Root: root.ID, Parent: hiddenReply.ID}, plaza.ErrNotFound},
		"a removed leaf as parent":         {comment.Comment{Root: root.ID, Parent: gone.ID}, plaza.ErrRemoved},
		"a tombstone as parent":            {comment.Comment{Root: root.ID, Parent: deadReply.ID}, plaza.ErrRemoved},
		"a parent under a hidden root":     {comment.Comment{Root: hidden.ID, Parent: below.ID}, plaza.ErrNotFound},
		"a parent under a tombstone":       {comment.Comment{Root: tombstone.ID, Parent: dead.ID}, plaza.ErrRemoved},
		"an unknown flow parent":           {comment.Comment{Parent: w.id(t)}, plaza.ErrNotFound},
		"a flow parent of another object":  {comment.Comment{Parent: elsewhere.ID}, plaza.ErrNotFound},
		"a reply as flow parent":           {comment.Comment{Parent: reply.ID}, plaza.ErrNotFound},
		"a hidden flow parent":             {comment.Comment{Parent: hidden.ID}, plaza.ErrNotFound},
		"a tombstone as flow parent":       {comment.Comment{Parent: tombstone.ID}, plaza.ErrRemoved},
		"an unknown quote":                 {comment.Comment{Quote: quote(comment.Address{ID: w.id(t)})}, plaza.ErrNotFound},
		"a quote from another object":      {comment.Comment{Quote: quote(comment.Address{ID: elsewhere.ID})}, plaza.ErrNotFound},
		"a hidden quote":                   {comment.Comment{Quote: quote(hidden.Address())}, plaza.ErrNotFound},
		"a quote from under a hidden root": {comment.Comment{Quote: quote(below.Address())}, plaza.ErrNotFound},
		"a quote of a removed leaf":        {comment.Comment{Quote: quote(gone.Address())}, plaza.ErrRemoved},
		"a quote of a tombstone":           {comment.Comment{Quote: quote(deadReply.Address())}, plaza.ErrRemoved},
	}) {
		c.Object, c.User, c.Text = "bird", "eve", "hello"
		got, _, err := w.Add(t.Context(), c.Comment)
		require.ErrorIs(t, err, c.want, name)
		require.NotZero(t, got.ID, name)
	}
	require.Equal(t, before, w.state(t), "nothing was written")
}

// state returns everything that is stored.
func (w world) state(t testing.TB) map[string]map[string]any {
	t.Helper()
	var items []map[string]any
	require.NoError(t, w.db.Table(w.table).Scan().Consistent(true).All(t.Context(), &items))
	state := map[string]map[string]any{}
	for _, i := range items {
		state[fmt.Sprint(i["pk"], " / ", i["sk"])] = i
	}
	return state
}

func TestNamesOfObjectsNeverShareAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &comment.Options{Consistent: true, Score: func(_ ctx, at comment.Address) (int64, error) { return 1, nil }})
	id := w.id(t)
	names := faults.Some(6, "a", "a#b", `a\`, `a\#b`, "a#"+id.String(), "~", "T#a", "a#~", "#", "##", "\x00")
	replies := func(i int) int { return faults.Size(i, i%4) + 1 }
	for i, name := range names {
		root := w.add(t, comment.Comment{Object: name, User: name, ID: id, Key: "k"})
		for range replies(i) {
			w.replies(t, name, root)
		}
	}
	for i, name := range names {
		require.Equal(t, comment.Counts{All: int64(1 + replies(i)), Roots: 1}, w.counts(t, name), "%q", name)
		threads := pagetest.All(t, of(w.Threads, name, nil), 10)
		require.Len(t, threads, 1, "%q", name)
		require.Len(t, threads[0].First, min(replies(i), 3), "%q", name)
		require.Len(t, pagetest.All(t, of(w.Replies, threads[0].Address(), nil), 100), replies(i), "%q", name)
		require.Len(t, pagetest.All(t, of(w.ByUser, name, nil), 100), 1+replies(i), "%q", name)
		require.Len(t, pagetest.All(t, w.top(name), 9), 1, "%q", name)
	}
	require.NoError(t, w.EraseObject(t.Context(), "a"))
	for i, name := range names[1:] {
		require.Len(t, pagetest.All(t, of(w.ByUser, name, nil), 100), 1+replies(i+1), "%q", name)
	}
}

// The hashes are stored, so that a repeat after an upgrade is one. Cases are only added.
func TestTheHashOfACommentStaysTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const root, reply, quoting = ids.ID(1 << 60), ids.ID(1<<60 + 1), ids.ID(1<<60 + 2)
	w.add(t, comment.Comment{Object: "bird", User: "ann", ID: root, Key: "a", Text: "hello"})
	w.add(t, comment.Comment{
		Object: "bird", User: "ann", ID: reply, Key: "b", Text: "hi", Root: root, Parent: root,
		Mentions: []string{"bob", "eve"}, Data: []byte(`{"a":1}`),
	})
	w.add(t, comment.Comment{Object: "bird", User: "ann", ID: quoting, Key: "c", Text: "look", Quote: &comment.Quote{Address: comment.Address{ID: root}}})
	state := w.state(t)
	for key, want := range map[string]string{"a": "ef544110969e919c0e44ab7b0d1d6f29", "b": "90c50c0c61e596da8ea4f18dd81f0218", "c": "b69f45793f70617a7eff719cd6375251"} {
		require.Equal(t, want, fmt.Sprintf("%x", state["K#ann / "+key]["hash"]), key)
	}
}
