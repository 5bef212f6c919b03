package reaction_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

var machines atomic.Uint32

// generator has a machine number of its own.
func generator(t testing.TB) *ids.Generator {
	t.Helper()
	gen, err := ids.New(uint16(machines.Add(1)), nil)
	require.NoError(t, err)
	return gen
}

// kinds are like, love and haha, of which one has one, and pin.
var kinds = []string{"like", "love", "haha", "pin"}

// options read strongly consistent and spread every object over n shards.
func options(n int) *reaction.Options {
	return &reaction.Options{
		Kinds:      kinds,
		OneOf:      [][]string{{"like", "love", "haha"}},
		Shards:     func(string) int { return n },
		Consistent: true,
	}
}

// world is a repository over a fresh table.
type world struct {
	*reaction.Repository
	gen   *ids.Generator
	table string
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

func newWorld(t testing.TB, opts *reaction.Options, wrap ...wrapper) world {
	t.Helper()
	return world{table: dynamotest.Table(t, reaction.Table)}.process(t, opts, wrap...)
}

// process is another process on the table of w.
func (w world) process(t testing.TB, opts *reaction.Options, wrap ...wrapper) world {
	t.Helper()
	return w.of(t, func(gen ids.Source) ids.Source { return gen }, opts, wrap...)
}

// of is a process with another source of ids.
func (w world) of(t testing.TB, source func(ids.Source) ids.Source, opts *reaction.Options, wrap ...wrapper) world {
	t.Helper()
	w.gen = generator(t)
	var err error
	w.Repository, err = reaction.New(dynamotest.DB(t, wrap...), w.table, source(w.gen), opts)
	require.NoError(t, err)
	return w
}

func (w world) id(t testing.TB) ids.ID {
	t.Helper()
	id, err := w.gen.Next(t.Context())
	require.NoError(t, err)
	return id
}

// react changes something.
func (w world) react(t tester, user, object, kind string) reaction.Reaction {
	t.Helper()
	a, changed, err := w.React(t.Context(), reaction.Reaction{User: user, Object: object, Kind: kind})
	require.NoError(t, err)
	require.True(t, changed)
	return a
}

// crowd lets n users react to object with a kind by turns, oldest first.
func (w world) crowd(t testing.TB, object string, n int, kinds ...string) []reaction.Reaction {
	t.Helper()
	all := make([]reaction.Reaction, n)
	for i := range all {
		all[i] = w.react(t, fmt.Sprintf("%s-fan-%03d", object, i), object, kinds[i%len(kinds)])
	}
	return all
}

// tester is a *testing.T, a *testing.B or a *rapid.T.
type tester interface {
	require.TestingT
	Helper()
	Context() context.Context
}

// bare is what an application sees of a reaction.
type bare struct {
	User, Object, Kind string
	ID                 ids.ID
}

func see(all ...reaction.Reaction) []bare {
	seen := make([]bare, len(all))
	for i, a := range all {
		seen[i] = bare{a.User, a.Object, a.Kind, a.ID}
	}
	return seen
}

type lister func(ctx context.Context, name, kind string, req cursor.PageRequest) (cursor.Page[reaction.Reaction], error)

// read reads a list to its end, limit at a time.
func read(t tester, list lister, name, kind string, limit int) []reaction.Reaction {
	t.Helper()
	var got []reaction.Reaction
	req := cursor.PageRequest{Limit: limit}
	for {
		page, err := list(t.Context(), name, kind, req)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Items), limit)
		got = append(got, page.Items...)
		if page.Next == "" {
			return got
		}
		req.Cursor = page.Next
	}
}

// place is what holds one reaction at most.
type place struct{ user, object, kind string }

func placeOf(a reaction.Reaction) place { return place{a.User, a.Object, a.Kind} }

// reactions are those that should stand.
type reactions map[place]ids.ID

func standing(all ...reaction.Reaction) reactions {
	r := reactions{}
	for _, a := range all {
		r[placeOf(a)] = a.ID
	}
	return r
}

// list gives those that want tells, newest first.
func (r reactions) list(want func(place) bool) []bare {
	list := []bare{}
	for p, id := range r {
		if want(p) {
			list = append(list, bare{p.user, p.object, p.kind, id})
		}
	}
	slices.SortFunc(list, func(a, b bare) int {
		return cmp.Or(cmp.Compare(b.ID, a.ID), cmp.Compare(b.Kind, a.Kind))
	})
	return list
}

// holds fails unless every read of these users and objects tells of the
// reactions of r and of no other.
func (w world) holds(t tester, r reactions, users, objects []string) {
	t.Helper()
	of := func(kind string, p place) bool { return kind == "" || kind == p.kind }
	for _, kind := range []string{"", "like", "pin"} {
		for _, object := range objects {
			want := r.list(func(p place) bool { return p.object == object && of(kind, p) })
			require.Equal(t, want, see(read(t, w.ByObject, object, kind, 7)...), "%q to %q", kind, object)
		}
		for _, user := range users {
			want := r.list(func(p place) bool { return p.user == user && of(kind, p) })
			require.Equal(t, want, see(read(t, w.ByUser, user, kind, 7)...), "%q of %q", kind, user)
		}
	}
	counts := map[string]map[string]int64{}
	for _, object := range objects {
		counts[object] = map[string]int64{}
		for _, kind := range kinds {
			counts[object][kind] = int64(len(r.list(func(p place) bool { return p.object == object && p.kind == kind })))
		}
		got, err := w.Counts(t.Context(), object)
		require.NoError(t, err)
		require.Equal(t, counts[object], got, "counts of %q", object)
	}
	many, err := w.CountsMany(t.Context(), objects)
	require.NoError(t, err)
	require.Equal(t, counts, many)
	for _, user := range users {
		want := map[string][]string{}
		for _, object := range objects {
			want[object] = nil
			for _, kind := range kinds {
				if _, stands := r[place{user, object, kind}]; stands {
					want[object] = append(want[object], kind)
				}
			}
		}
		reacted, err := w.Reacted(t.Context(), user, objects)
		require.NoError(t, err)
		require.Equal(t, want, reacted, "reactions of %q", user)
	}
}
