package follow_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

func TestMain(m *testing.M) { faults.Main(m) }

// world is a repository over a fresh table.
type world struct {
	*follow.Repository
	gen   *ids.Generator
	table string
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

// newWorld returns a repository that reads strongly consistent if opts is nil.
func newWorld(t testing.TB, opts *follow.Options, wrap ...wrapper) world {
	t.Helper()
	return world{table: dynamotest.Table(t, follow.Table)}.process(t, opts, wrap...)
}

// process returns a repository of another process on the same table.
func (w world) process(t testing.TB, opts *follow.Options, wrap ...wrapper) world {
	t.Helper()
	if opts == nil {
		opts = &follow.Options{Consistent: true}
	}
	w.gen = edgetest.Generator(t)
	var err error
	w.Repository, err = follow.New(dynamotest.DB(t, wrap...), w.table, w.gen, opts)
	require.NoError(t, err)
	return w
}

// sharded spreads every list over n shards.
func sharded(n int) *follow.Options {
	return &follow.Options{Shards: func(string) int { return n }, Consistent: true}
}

func (w world) id(t testing.TB) ids.ID {
	t.Helper()
	id, err := w.gen.Next(t.Context())
	require.NoError(t, err)
	return id
}

func (w world) follow(t testing.TB, follower, followee string) follow.Edge {
	t.Helper()
	e, created, err := w.Follow(t.Context(), follow.Edge{Follower: follower, Followee: followee})
	require.NoError(t, err)
	require.True(t, created)
	return e
}

// fans makes n users follow followee and returns the edges, oldest first.
func (w world) fans(t testing.TB, followee string, n int) []follow.Edge {
	t.Helper()
	edges := make([]follow.Edge, n)
	for i := range edges {
		edges[i] = w.follow(t, fmt.Sprintf("%s-fan-%03d", followee, i), followee)
	}
	return edges
}

func seeAll(edges []follow.Edge) []edgetest.Edge { return edgetest.SeeAll(edges, see) }

type lister func(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[follow.Edge], error)

// all reads a list to its end, limit items a page.
func all(t testing.TB, list lister, user string, limit int) []follow.Edge {
	t.Helper()
	return pagetest.All(t, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[follow.Edge], error) {
		return list(ctx, user, req)
	}, limit)
}

func (w world) unfollow(t testing.TB, e follow.Edge, want bool) {
	t.Helper()
	removed, err := w.Unfollow(t.Context(), follow.Edge{Follower: e.Follower, Followee: e.Followee, ID: e.ID})
	require.NoError(t, err)
	require.Equal(t, want, removed)
}

func scan(t testing.TB, w world) edgetest.Stored {
	t.Helper()
	return edgetest.Scan(t, w.table)
}

// requireStored reads the whole table and fails unless it holds exactly these edges.
func requireStored(t testing.TB, w world, edges []follow.Edge) {
	t.Helper()
	edgetest.RequireStored(t, stored, w.table, seeAll(edges)...)
}

// requireSound fails if Check finds anything wrong.
func requireSound(t testing.TB, w world, users ...string) {
	t.Helper()
	for _, user := range users {
		drift, err := w.Check(t.Context(), user)
		require.NoError(t, err)
		require.Zero(t, drift, "Check of %q", user)
	}
}

// watched returns another process that calls before ahead of each request. before
// must not use this process.
func (w world) watched(t testing.TB, opts *follow.Options, before func(op string, body []byte)) world {
	in := faults.New(t, 0, faults.Rates{})
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		before(op, body)
		return faults.Fault{}
	})
	return w.process(t, opts, in.Wrap)
}
