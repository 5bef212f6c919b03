package reaction_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
)

// options read strongly consistently and spread every object over n shards.
func options(n int) *reaction.Options {
	return &reaction.Options{
		Kinds:      kinds,
		OneOf:      [][]string{oneOf},
		Shards:     func(string) int { return n },
		Consistent: true,
	}
}

// world is a repository over a new table.
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
	w.gen = edgetest.Generator(t)
	var err error
	w.Repository, err = reaction.New(dynamotest.DB(t, wrap...), w.table, w.gen, opts)
	require.NoError(t, err)
	return w
}

func (w world) id(t testing.TB) ids.ID {
	t.Helper()
	id, err := w.gen.Next(t.Context())
	require.NoError(t, err)
	return id
}

// react adds a reaction that does not stand yet.
func (w world) react(t testing.TB, user, object, kind string) reaction.Reaction {
	t.Helper()
	a, changed, err := w.React(t.Context(), reaction.Reaction{User: user, Object: object, Kind: kind})
	require.NoError(t, err)
	require.True(t, changed)
	return a
}

// crowd makes n users react to object, with the kinds alternately, and returns the
// reactions oldest first.
func (w world) crowd(t testing.TB, object string, n int, kinds ...string) []reaction.Reaction {
	t.Helper()
	all := make([]reaction.Reaction, n)
	for i := range all {
		all[i] = w.react(t, fmt.Sprintf("%s-fan-%03d", object, i), object, kinds[i%len(kinds)])
	}
	return all
}

func seeAll(all []reaction.Reaction) []edgetest.Edge {
	seen := make([]edgetest.Edge, len(all))
	for i, a := range all {
		seen[i] = see(a)
	}
	return seen
}

type lister func(ctx context.Context, name, kind string, req cursor.PageRequest) (cursor.Page[reaction.Reaction], error)

// read reads a list to its end, limit at a time.
func read(t testing.TB, list lister, name, kind string, limit int) []reaction.Reaction {
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

// newestFirst returns reactions as a list shows them.
func newestFirst(all []reaction.Reaction) []edgetest.Edge {
	seen := seeAll(all)
	slices.SortFunc(seen, func(a, b edgetest.Edge) int {
		return cmp.Or(cmp.Compare(b.ID, a.ID), cmp.Compare(b.Kind, a.Kind))
	})
	return seen
}

// requireStored reads the whole table and fails unless it has exactly these
// reactions.
func requireStored(t testing.TB, w world, all ...reaction.Reaction) {
	t.Helper()
	edgetest.RequireStored(t, stored, w.table, seeAll(all)...)
}

// requireErased fails if there is anything of a user or an object but guards of
// ended reactions.
func requireErased(t testing.TB, w world, of edge.Ends, left []reaction.Reaction) {
	t.Helper()
	edgetest.RequireErased(t, stored, w.table, of, seeAll(left)...)
}

func unreact(t testing.TB, w world, a reaction.Reaction) {
	t.Helper()
	removed, err := w.Unreact(t.Context(), a)
	require.NoError(t, err)
	require.True(t, removed)
}

// requireSound fails if a check of the user or of the object finds anything.
func (w world) requireSound(t testing.TB, user, object string) {
	t.Helper()
	drift, err := w.CheckUser(t.Context(), user)
	require.NoError(t, err)
	require.Zero(t, drift)
	drift, err = w.Check(t.Context(), object)
	require.NoError(t, err)
	require.Zero(t, drift)
}
