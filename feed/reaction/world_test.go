package reaction_test

import (
	"cmp"
	"context"
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
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

func TestMain(m *testing.M) { faults.Main(m) }

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

// react adds a reaction that does not exist yet.
func (w world) react(t testing.TB, user, object, kind string) reaction.Reaction {
	t.Helper()
	a, changed, err := w.React(t.Context(), reaction.Reaction{User: user, Object: object, Kind: kind})
	require.NoError(t, err)
	require.True(t, changed)
	return a
}

func seeAll(all []reaction.Reaction) []edgetest.Edge { return edgetest.SeeAll(all, see) }

type lister func(ctx context.Context, name, kind string, req cursor.PageRequest) (cursor.Page[reaction.Reaction], error)

// read reads a list to its end, limit at a time.
func read(t testing.TB, list lister, name, kind string, limit int) []reaction.Reaction {
	t.Helper()
	return pagetest.All(t, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[reaction.Reaction], error) {
		return list(ctx, name, kind, req)
	}, limit)
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
