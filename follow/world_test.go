package follow_test

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
	"github.com/plaza-sdk/plaza/follow"
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

// world is a repository over a fresh table.
type world struct {
	*follow.Repository
	gen   *ids.Generator
	table string
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

// newWorld reads strongly consistent unless opts say otherwise.
func newWorld(t testing.TB, opts *follow.Options, wrap ...wrapper) world {
	t.Helper()
	return world{table: dynamotest.Table(t, follow.Table)}.process(t, opts, wrap...)
}

// process is another process on the table of w.
func (w world) process(t testing.TB, opts *follow.Options, wrap ...wrapper) world {
	t.Helper()
	return w.of(t, func(gen ids.Source) ids.Source { return gen }, opts, wrap...)
}

// of is a process with another source of ids.
func (w world) of(t testing.TB, source func(ids.Source) ids.Source, opts *follow.Options, wrap ...wrapper) world {
	t.Helper()
	if opts == nil {
		opts = &follow.Options{Consistent: true}
	}
	w.gen = generator(t)
	var err error
	w.Repository, err = follow.New(dynamotest.DB(t, wrap...), w.table, source(w.gen), opts)
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

// follow creates an edge.
func (w world) follow(t testing.TB, follower, followee string) follow.Edge {
	t.Helper()
	e, created, err := w.Follow(t.Context(), follow.Edge{Follower: follower, Followee: followee})
	require.NoError(t, err)
	require.True(t, created)
	return e
}

// fans lets n users follow followee, oldest first.
func (w world) fans(t testing.TB, followee string, n int) []follow.Edge {
	t.Helper()
	edges := make([]follow.Edge, n)
	for i := range edges {
		edges[i] = w.follow(t, fmt.Sprintf("%s-fan-%03d", followee, i), followee)
	}
	return edges
}

// bare is what an application sees of an edge.
type bare struct {
	Follower, Followee string
	ID                 ids.ID
}

func see(e follow.Edge) bare { return bare{e.Follower, e.Followee, e.ID} }

func seeAll(edges []follow.Edge) []bare {
	seen := make([]bare, len(edges))
	for i, e := range edges {
		seen[i] = see(e)
	}
	return seen
}

// tester is a *testing.T or a *rapid.T.
type tester interface {
	require.TestingT
	Helper()
	Context() context.Context
}

type lister func(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[follow.Edge], error)

// all reads a list to its end, limit at a time.
func all(t tester, list lister, user string, limit int) []follow.Edge {
	t.Helper()
	var got []follow.Edge
	req := cursor.PageRequest{Limit: limit}
	for {
		page, err := list(t.Context(), user, req)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Items), limit)
		got = append(got, page.Items...)
		if page.Next == "" {
			return got
		}
		req.Cursor = page.Next
	}
}

type pair struct{ follower, followee string }

// graph is the edges that should stand.
type graph map[pair]ids.ID

// list gives the edges that want tells, newest first.
func (g graph) list(want func(pair) bool) []bare {
	edges := []bare{}
	for p, id := range g {
		if want(p) {
			edges = append(edges, bare{p.follower, p.followee, id})
		}
	}
	slices.SortFunc(edges, func(a, b bare) int { return cmp.Compare(b.ID, a.ID) })
	return edges
}

// holds fails unless every read of these users tells of the edges of g and of
// no other.
func (w world) holds(t tester, g graph, users ...string) {
	t.Helper()
	counts := map[string]follow.Counts{}
	for _, user := range users {
		followers := g.list(func(p pair) bool { return p.followee == user })
		following := g.list(func(p pair) bool { return p.follower == user })
		require.Equal(t, followers, seeAll(all(t, w.Followers, user, 7)), "followers of %q", user)
		require.Equal(t, following, seeAll(all(t, w.Following, user, 7)), "following of %q", user)
		require.ElementsMatch(t, followers, seeAll(all(t, w.Walk, user, 7)), "walk of %q", user)

		counts[user] = follow.Counts{Followers: int64(len(followers)), Following: int64(len(following))}
		got, err := w.Counts(t.Context(), user)
		require.NoError(t, err)
		require.Equal(t, counts[user], got, "counts of %q", user)

		want := map[string]follow.Relation{}
		for _, other := range users {
			_, follows := g[pair{user, other}]
			_, followed := g[pair{other, user}]
			want[other] = follow.Relation{Follows: follows, FollowedBy: followed}
		}
		relations, err := w.Relations(t.Context(), user, users)
		require.NoError(t, err)
		require.Equal(t, want, relations, "relations of %q", user)
	}
	got, err := w.CountsMany(t.Context(), users)
	require.NoError(t, err)
	require.Equal(t, counts, got)
}
