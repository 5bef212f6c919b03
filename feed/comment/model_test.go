package comment_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

func TestMain(m *testing.M) { faults.Main(m) }

// expected is a comment as it should be stored.
type expected struct {
	comment.Comment
	given  comment.Comment // passed to Add
	gone   bool
	erased bool // its author was erased
}

// model holds the expected comments, in the order of their ids.
type model struct {
	objects, users []string
	expected       []*expected
	pinned         map[string]ids.ID
}

func newModel(run int) *model {
	m := &model{pinned: map[string]ids.ID{}}
	for _, name := range []string{"a", "a#b"} { // names that a careless key would mix up
		m.objects = append(m.objects, fmt.Sprint(name, "#", run))
		m.users = append(m.users, fmt.Sprint(run, "#", name))
	}
	return m
}

func (m *model) find(object string, id ids.ID) *expected {
	for _, s := range m.expected {
		if s.Object == object && s.ID == id {
			return s
		}
	}
	return &expected{gone: true}
}

func (m *model) root(s *expected) *expected { return m.find(s.Object, s.Root) }

// under reports whether its root is hidden.
func (m *model) under(s *expected) bool { return s.Root != 0 && m.root(s).Hidden }

// stands reports whether it is neither hidden nor removed itself.
func (s *expected) stands() bool { return !s.gone && s.Removed == nil && !s.Hidden }

// open reports whether it can get replies and be quoted.
func (m *model) open(s *expected) bool { return s.stands() && !m.under(s) }

// children are the comments that name s as root or parent.
func (m *model) children(s *expected) []*expected {
	return m.those(func(c *expected) bool { return c.Object == s.Object && (c.Root == s.ID || c.Parent == s.ID) })
}

func (m *model) those(want func(*expected) bool) []*expected {
	var some []*expected
	for _, s := range m.expected {
		if want(s) {
			some = append(some, s)
		}
	}
	return some
}

// added records a comment that was added.
func (m *model) added(c comment.Comment) {
	s := &expected{Comment: c, given: c}
	if s.Parent == 0 {
		s.Parent = s.Root
	}
	s.Key = ""
	m.expected = append(m.expected, s)
	slices.SortFunc(m.expected, func(a, b *expected) int { return int(int64(a.ID - b.ID)) })
}

func (m *model) remove(s *expected, removal comment.Removal, erase bool) {
	if s.Removed != nil || s.gone {
		s.erased = s.erased || erase
		return
	}
	removal.At = today
	s.gone = !slices.ContainsFunc(m.children(s), func(c *expected) bool { return !c.gone })
	s.erased = erase
	s.Removed = &removal
}

// shown is the comment as readers see it.
func (m *model) shown(s *expected) comment.Comment {
	c := s.Comment
	c.Hidden = s.Hidden || m.under(s)
	for _, child := range m.children(s) {
		if child.stands() {
			c.Replies++
		}
	}
	if s.Removed != nil {
		c = comment.Comment{
			Object: c.Object, Root: c.Root, ID: c.ID, Parent: c.Parent, User: c.User,
			Replies: c.Replies, Hidden: c.Hidden, Removed: c.Removed,
		}
		if s.erased {
			c.User = ""
		}
	}
	if c.Quote != nil {
		quote := comment.Quote{Address: c.Quote.Address, Removed: true}
		if quoted := m.find(s.Object, quote.ID); m.open(quoted) {
			quote.User, quote.Removed = quoted.User, false
			quote.Excerpt = string([]rune(quoted.Text)[:min(5, len([]rune(quoted.Text)))])
		}
		c.Quote = &quote
	}
	return c
}

// list returns the comments for which want is true, newest first.
func (m *model) list(want func(*expected) bool) []comment.Comment {
	list := []comment.Comment{}
	for _, s := range slices.Backward(m.those(want)) {
		list = append(list, m.shown(s))
	}
	return list
}

// holds fails unless every read returns exactly the model.
func (w world) holds(t testing.TB, m *model) {
	t.Helper()
	ctx := t.Context()
	w.listsHold(t, m, &comment.ListOptions{})
	w.listsHold(t, m, &comment.ListOptions{Oldest: true, WithHidden: true})
	counts := map[string]comment.Counts{}
	for _, object := range m.objects {
		visible := m.those(func(s *expected) bool { return s.Object == object && m.open(s) })
		counts[object] = comment.Counts{All: int64(len(visible))}
		for _, s := range visible {
			if s.Root == 0 {
				counts[object] = comment.Counts{All: counts[object].All, Roots: counts[object].Roots + 1}
			}
		}
		got, err := w.Counts(ctx, object)
		require.NoError(t, err)
		require.Equal(t, counts[object], got, "counts of %q", object)

		pinned, err := w.Pinned(ctx, object)
		if s := m.find(object, m.pinned[object]); m.open(s) {
			require.NoError(t, err)
			require.Equal(t, m.shown(s), pinned)
		} else {
			require.ErrorIs(t, err, plaza.ErrNotFound)
		}
	}
	many, err := w.CountsMany(ctx, m.objects)
	require.NoError(t, err)
	require.Equal(t, counts, many)

	ats, want := []comment.Address{}, map[comment.Address]comment.Comment{}
	for _, s := range m.expected {
		ats = append(ats, s.Address())
		if !s.gone && !s.Hidden && !m.under(s) {
			want[s.Address()] = m.shown(s)
		}
	}
	found, err := w.GetMany(ctx, ats[:min(len(ats), 100)])
	require.NoError(t, err)
	require.Equal(t, want, found)
}

// listsHold compares the lists that take options.
func (w world) listsHold(t testing.TB, m *model, opts *comment.ListOptions) {
	t.Helper()
	shown := func(s *expected) bool { return !s.gone && (opts.WithHidden || !s.Hidden && !m.under(s)) }
	list := func(want func(*expected) bool) []comment.Comment {
		l := m.list(want)
		if opts.Oldest {
			slices.Reverse(l)
		}
		return l
	}
	for _, object := range m.objects {
		roots := list(func(s *expected) bool { return s.Object == object && s.Root == 0 && shown(s) })
		require.Equal(t, roots, pagetest.All(t, of(w.ByObject, object, opts), 5), "comments on %q", object)

		threads := []comment.Thread{}
		for _, root := range roots {
			thread := comment.Thread{Comment: root}
			for _, s := range m.expected {
				if s.Object == object && s.Root == root.ID && s.Removed == nil && shown(s) && len(thread.First) < 3 {
					thread.First = append(thread.First, m.shown(s))
				}
			}
			threads = append(threads, thread)
		}
		require.Equal(t, threads, pagetest.All(t, of(w.Threads, object, opts), 4), "threads on %q", object)
	}
	for _, root := range m.those(func(s *expected) bool { return s.Root == 0 }) {
		replies := of(w.Replies, root.Address(), opts)
		if !shown(root) {
			_, err := replies(t.Context(), cursor.PageRequest{})
			require.ErrorIs(t, err, plaza.ErrNotFound)
			continue
		}
		want := list(func(s *expected) bool { return s.Object == root.Object && s.Root == root.ID && shown(s) })
		require.Equal(t, want, pagetest.All(t, replies, 4), "replies to %v", root.ID)
	}
	for _, user := range m.users {
		want := list(func(s *expected) bool {
			if s.Removed != nil {
				return opts.WithHidden && s.User == user && !s.erased
			}
			return s.User == user && shown(s)
		})
		for i, c := range want {
			if c.Removed != nil { // readers know no more of it
				want[i] = comment.Comment{Object: c.Object, Root: c.Root, ID: c.ID, User: user, Removed: c.Removed}
			}
		}
		require.Equal(t, want, pagetest.All(t, of(w.ByUser, user, opts), 6), "comments by %q", user)
	}
}
