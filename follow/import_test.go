package follow_test

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// sequence yields the edges without an error.
func sequence(edges []follow.Edge) iter.Seq2[follow.Edge, error] {
	return func(yield func(follow.Edge, error) bool) {
		for _, e := range edges {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// friends returns n different edges among users, the same for the same seed. Users
// with low numbers have the most followers.
func friends(seed uint64, users, n int) []follow.Edge {
	random := rand.New(rand.NewPCG(seed, 0))
	seen := map[follow.Edge]bool{}
	var edges []follow.Edge
	for len(edges) < n {
		e := follow.Edge{
			Follower: fmt.Sprintf("u%03d", random.IntN(users)),
			Followee: fmt.Sprintf("u%03d", random.IntN(1+random.IntN(users))),
		}
		if e.Follower != e.Followee && !seen[e] {
			seen[e] = true
			edges = append(edges, e)
		}
	}
	return edges
}

// pairs returns the edges without their ids, in the same order.
func pairs(edges []follow.Edge) []edgetest.Edge {
	seen := seeAll(edges)
	for i := range seen {
		seen[i].ID = 0
	}
	return seen
}

func TestImportEqualsFollowingEdgeByEdge(t *testing.T) {
	t.Parallel()
	n, users := faults.Size(60, 40), faults.Size(20, 10)
	edges := friends(1, users, n)
	byHand := newWorld(t, nil)
	for _, e := range edges {
		byHand.follow(t, e.Follower, e.Followee)
	}
	lists := func(w world) (lists [][]edgetest.Edge) {
		for user := range users {
			user := fmt.Sprintf("u%03d", user)
			lists = append(lists, pairs(all(t, w.Followers, user, 100)), pairs(all(t, w.Following, user, 100)))
		}
		return lists
	}
	want := lists(byHand)
	for shards, windows := range map[int][]int{4: faults.Some(1, 7, 1, 59, 60, 61, 0), 1: faults.Some(0, 7)} {
		for _, window := range windows {
			t.Run(fmt.Sprintf("%d shards, windows of %d", shards, window), func(t *testing.T) {
				w := newWorld(t, sharded(shards))
				result, err := w.Import(t.Context(), "old", sequence(edges), &follow.ImportOptions{Window: window})
				require.NoError(t, err)
				windows := 1
				if window > 0 {
					windows = (len(edges) + window - 1) / window
				}
				require.Equal(t, follow.ImportResult{Edges: int64(n), Created: int64(n), Windows: windows}, result)
				require.Equal(t, want, lists(w))
				requireStored(t, w, edges)
			})
		}
	}
}

func TestImportKeepsExistingEdges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded(2))
	before := w.follow(t, "ann", "bob")
	edges := []follow.Edge{
		{Follower: "ann", Followee: "bob"},
		{Follower: "ann", Followee: "cat"},
		{Follower: "ann", Followee: "cat"}, // in the same window
		{Follower: "bob", Followee: "ann"},
		{Follower: "ann", Followee: "cat"}, // in the next
		{Follower: "cat", Followee: "ann"},
	}
	opts := &follow.ImportOptions{Window: 4}
	result, err := w.Import(t.Context(), "old", sequence(edges), opts)
	require.NoError(t, err)
	require.Equal(t, follow.ImportResult{Edges: 6, Created: 3, Existing: 3, Windows: 2}, result)
	requireStored(t, w, []follow.Edge{edges[0], edges[1], edges[3], edges[5]})
	after, err := w.Get(t.Context(), edges[0])
	require.NoError(t, err)
	require.Equal(t, before, after)

	// Another import has written all of them.
	result, err = w.Import(t.Context(), "again", sequence(edges), opts)
	require.NoError(t, err)
	require.Equal(t, follow.ImportResult{Edges: 6, Existing: 6, Windows: 2}, result)
	requireStored(t, w, []follow.Edge{edges[0], edges[1], edges[3], edges[5]})
}

func TestImportTwiceOrOfAnotherSequenceChangesNothing(t *testing.T) {
	t.Parallel()
	m := dynamotest.NewMeter()
	w := newWorld(t, sharded(2), m.Wrap)
	edges := friends(2, 30, faults.Size(100, 40))
	opts := &follow.ImportOptions{Window: len(edges)/4 + 1}
	first, err := w.Import(t.Context(), "old", sequence(edges), opts)
	require.NoError(t, err)
	before := scan(t, w)
	opts.Progress = func(follow.ImportResult) { t.Error("a window was written again") }
	m.AtMost(t, "a finished import", dynamotest.Cost{Requests: 1, Write: 1}, func() {
		opts.Window = 17 // ignored: the import keeps the window that it began with
		second, err := w.Import(t.Context(), "old", sequence(edges), opts)
		require.NoError(t, err)
		first.Resumed = 4
		require.Equal(t, first, second)
	})
	for name, other := range map[string][]follow.Edge{
		"shorter": edges[:len(edges)/2],
		"longer":  append(slices.Clone(edges), follow.Edge{Follower: "x", Followee: "y"}),
		"swapped": append([]follow.Edge{edges[1], edges[0]}, edges[2:]...),
		"none":    nil,
	} {
		_, err := w.Import(t.Context(), "old", sequence(other), opts)
		require.ErrorIs(t, err, plaza.ErrConflict, name)
	}
	require.Equal(t, before, scan(t, w))

	// An edge that has ended since is not created again.
	w.unfollow(t, edges[0], true)
	_, err = w.Import(t.Context(), "old", sequence(edges), opts)
	require.NoError(t, err)
	requireStored(t, w, edges[1:])
}

// The twenty-sixth edge is in the third window of ten.
func TestImportStopsBeforeTheWindowOfABadEdge(t *testing.T) {
	t.Parallel()
	torn := errors.New("the file ends here")
	for name, c := range map[string]struct {
		edge  follow.Edge
		err   error
		field string
	}{
		"no follower":         {follow.Edge{Followee: "bob"}, nil, "Edges[25].Follower"},
		"follower and self":   {follow.Edge{Follower: "bob", Followee: "bob"}, nil, "Edges[25].Followee"},
		"a wide id":           {follow.Edge{Follower: "ann", Followee: "bob", ID: 1 << 63}, nil, "Edges[25].ID"},
		"an id of the future": {follow.Edge{Follower: "ann", Followee: "bob", ID: ids.At(time.Now().Add(time.Hour))}, nil, "Edges[25].ID"},
		"an error":            {follow.Edge{}, torn, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			edges := friends(4, 30, 40)
			opts := &follow.ImportOptions{Window: 10}
			result, err := w.Import(t.Context(), "old", func(yield func(follow.Edge, error) bool) {
				for i, e := range edges {
					if i == 25 {
						yield(c.edge, c.err)
						return
					}
					if !yield(e, nil) {
						return
					}
				}
			}, opts)
			if c.err != nil {
				require.ErrorIs(t, err, c.err)
			} else {
				callstest.RequireInvalid(t, map[string]invalid{name: {c.field, err}})
			}
			require.Equal(t, follow.ImportResult{Edges: 20, Created: 20, Windows: 2}, result)
			requireStored(t, w, edges[:20])

			result, err = w.Import(t.Context(), "old", sequence(edges), opts)
			require.NoError(t, err)
			require.Equal(t, follow.ImportResult{Edges: 40, Created: 40, Windows: 4, Resumed: 2}, result)
			requireStored(t, w, edges)
		})
	}
}

// invalid is the error of a call with invalid input, and the field that it names.
type invalid struct {
	Field string
	Err   error
}

func TestInvalidInputIsRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	ctx, none, e := t.Context(), sequence(nil), follow.Edge{Follower: "jack"}
	callstest.RequireInvalid(t, map[string]invalid{
		"no name":     {"Name", failed(w.Import(ctx, "", none, nil))},
		"no edges":    {"Edges", failed(w.Import(ctx, "old", nil, nil))},
		"a window":    {"ImportOptions.Window", failed(w.Import(ctx, "old", none, &follow.ImportOptions{Window: 40_001}))},
		"requests":    {"ImportOptions.Parallel", failed(w.Import(ctx, "old", none, &follow.ImportOptions{Parallel: -1}))},
		"Last":        {"Followee", failed(w.Last(ctx, e))},
		"Walk":        {"Followee", failed(w.Walk(ctx, "", page{}))},
		"Walk's page": {"Limit", failed(w.Walk(ctx, "a", page{Limit: -1}))},
	})
	require.Zero(t, in.Requests())
}

func TestImportKeepsGivenIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded(2))
	existing := w.follow(t, "ann", "bob")
	a, b, c := w.id(t), w.id(t), w.id(t)
	edges := []follow.Edge{
		{Follower: "ann", Followee: "cat", ID: b},
		{Follower: "ann", Followee: "dan", ID: a},
		{Follower: "eve", Followee: "cat", ID: c},
	}
	_, err := w.Import(t.Context(), "old", sequence(edges), nil)
	require.NoError(t, err)
	want := []edgetest.Edge{see(edges[0]), see(edges[1]), see(existing)}
	require.Equal(t, want, seeAll(all(t, w.Following, "ann", 10)))
	requireStored(t, w, append(edges, existing))

	before := scan(t, w)
	for name, taken := range map[string][]follow.Edge{
		"by an edge of the follower": {{Follower: "ann", Followee: "eve", ID: existing.ID}},
		"by an edge of the followee": {{Follower: "zoe", Followee: "bob", ID: existing.ID}},
		"twice in the window":        {{Follower: "ann", Followee: "x", ID: 7}, {Follower: "ann", Followee: "y", ID: 7}},
	} {
		_, err := w.process(t, sharded(2)).Import(t.Context(), name, sequence(taken), nil)
		require.ErrorIs(t, err, plaza.ErrConflict, name)
	}
	after := scan(t, w)
	for key := range after {
		if strings.HasPrefix(key[0], "I#") {
			continue
		}
		require.Equal(t, before[key], after[key])
	}
}

func TestImportLeavesOutEndedEdges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded(2))
	earlier := w.id(t)
	ended := w.follow(t, "ann", "bob")
	w.unfollow(t, ended, true)
	before, after, minted := ended, ended, follow.Edge{Follower: "ann", Followee: "dan"}
	before.ID = earlier
	after.ID = w.id(t)
	past := w.follow(t, "ann", "dan")
	w.unfollow(t, past, true)
	other := follow.Edge{Follower: "ann", Followee: "cat"}
	for name, e := range map[string]follow.Edge{"of the same id": ended, "of an earlier id": before} {
		result, err := w.Import(t.Context(), name, sequence([]follow.Edge{e, other}), nil)
		require.NoError(t, err)
		require.EqualValues(t, 1, result.Ended, name)
		require.EqualValues(t, 2, result.Edges, name)
		again, err := w.Import(t.Context(), name, sequence([]follow.Edge{e, other}), nil)
		require.NoError(t, err)
		again.Resumed = 0
		require.Equal(t, result, again)
	}
	requireStored(t, w, []follow.Edge{other})
	result, err := w.Import(t.Context(), "of later ids", sequence([]follow.Edge{after, minted}), nil)
	require.NoError(t, err)
	require.Equal(t, follow.ImportResult{Edges: 2, Created: 2, Windows: 1}, result)
	requireStored(t, w, []follow.Edge{other, after, minted})
	requireSound(t, w, "ann", "bob", "cat", "dan")
}

// TestImportOfARealGraph runs only beside a checkout of the data.
func TestImportOfARealGraph(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join("..", "..", "shared", "data", "graph", "wiki-vote.txt.gz"))
	if os.IsNotExist(err) {
		t.Skip("no ../shared/data/graph/wiki-vote.txt.gz beside the checkout")
	}
	require.NoError(t, err)
	defer f.Close()
	text, err := gzip.NewReader(f)
	require.NoError(t, err)
	var edges []follow.Edge
	for lines := bufio.NewScanner(text); lines.Scan() && len(edges) < faults.Size(25_000, 150); {
		if fields := strings.Fields(lines.Text()); len(fields) == 2 && fields[0] != "#" {
			edges = append(edges, follow.Edge{Follower: fields[0], Followee: fields[1]})
		}
	}
	w := newWorld(t, nil)
	result, err := w.Import(t.Context(), "wiki-vote", sequence(edges), nil)
	require.NoError(t, err)
	require.EqualValues(t, len(edges), result.Created)
	requireStored(t, w, edges)
}
