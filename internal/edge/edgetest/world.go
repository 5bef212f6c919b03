package edgetest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

// world is a process of the feature on a table.
type world[E any] struct {
	Graph[E]
	f     Feature[E]
	gen   *ids.Generator
	table string
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

// newWorld has a new table.
func newWorld[E any](t testing.TB, f Feature[E], opts Options, wrap ...wrapper) world[E] {
	t.Helper()
	return world[E]{f: f, table: dynamotest.Table(t, f.Table)}.process(t, opts, wrap...)
}

// process is another process on the table of w.
func (w world[E]) process(t testing.TB, opts Options, wrap ...wrapper) world[E] {
	t.Helper()
	return w.withIDs(t, func(gen ids.Source) ids.Source { return gen }, opts, wrap...)
}

// withIDs is a process with another source of ids.
func (w world[E]) withIDs(t testing.TB, source func(ids.Source) ids.Source, opts Options, wrap ...wrapper) world[E] {
	t.Helper()
	w.gen = Generator(t)
	var err error
	w.Graph, err = w.f.New(dynamotest.DB(t, wrap...), w.table, source(w.gen), opts)
	require.NoError(t, err)
	return w
}

// withClock is a process whose clock is off.
func (w world[E]) withClock(t testing.TB, opts Options, off time.Duration, wrap ...wrapper) world[E] {
	t.Helper()
	return w.withIDs(t, func(gen ids.Source) ids.Source { return clock{gen, off} }, opts, wrap...)
}

// watched is a process that calls before ahead of each request and applies the
// fault that it returns. before must use another process.
func (w world[E]) watched(t testing.TB, opts Options, before func(op string, body []byte) faults.Fault) world[E] {
	t.Helper()
	return w.seeded(t, 0, opts, before)
}

func (w world[E]) seeded(t testing.TB, seed uint64, opts Options, before func(op string, body []byte) faults.Fault) world[E] {
	t.Helper()
	in := faults.New(t, seed, faults.Rates{})
	in.Script(func(op string, body []byte, _ int) faults.Fault { return before(op, body) })
	return w.process(t, opts, in.Wrap)
}

// spread puts every head's edges into n shards and reads strongly consistently.
func spread(n int) Options {
	return Options{Shards: func(string) int { return n }, Consistent: true}
}

var machines atomic.Uint32

// NewGenerator returns a generator with its own machine number.
func NewGenerator() (*ids.Generator, error) { return ids.New(uint16(machines.Add(1)), nil) }

// Generator is NewGenerator in a test.
func Generator(t testing.TB) *ids.Generator {
	t.Helper()
	gen, err := NewGenerator()
	require.NoError(t, err)
	return gen
}

// clock is a source of ids whose time is off.
type clock struct {
	gen ids.Source
	off time.Duration
}

func (c clock) Next(ctx context.Context) (ids.ID, error) {
	id, err := c.gen.Next(ctx)
	return ids.At(id.Time().Add(c.off)) | (id - ids.At(id.Time())), err
}

func (w world[E]) id(t testing.TB) ids.ID {
	t.Helper()
	id, err := w.gen.Next(t.Context())
	require.NoError(t, err)
	return id
}

// idIn mints an id in the first of the shards, or in another one.
func (w world[E]) idIn(t testing.TB, shards int, first bool) ids.ID {
	t.Helper()
	for {
		if id := w.id(t); (shardOf(id, shards) == 0) == first {
			return id
		}
	}
}

// try calls Begin.
func (w world[E]) try(ctx context.Context, e Edge) (Edge, bool, error) {
	standing, begun, err := w.Begin(ctx, w.f.Of(e))
	return w.f.See(standing), begun, err
}

// begin begins an edge that does not exist yet.
func (w world[E]) begin(t testing.TB, tail, head, kind string) Edge {
	t.Helper()
	return w.give(t, Edge{Tail: tail, Head: head, Kind: kind})
}

// give is begin for an edge that has an ID.
func (w world[E]) give(t testing.TB, e Edge) Edge {
	t.Helper()
	standing, begun, err := w.try(t.Context(), e)
	require.NoError(t, err)
	require.True(t, begun)
	return standing
}

// refuses fails unless Begin of e returns this error.
func (w world[E]) refuses(t testing.TB, e Edge, want error) {
	t.Helper()
	_, begun, err := w.try(t.Context(), e)
	require.ErrorIs(t, err, want)
	require.False(t, begun)
}

// finish ends an edge. want is whether an edge ends.
func (w world[E]) finish(t testing.TB, e Edge, want bool) {
	t.Helper()
	ended, err := w.End(t.Context(), w.f.Of(e))
	require.NoError(t, err)
	require.Equal(t, want, ended)
}

// repairs fails unless Repair reports this drift.
func (w world[E]) repairs(t testing.TB, of edge.Ends, want edge.Drift) {
	t.Helper()
	drift, err := w.Repair(t.Context(), of)
	require.NoError(t, err)
	require.Equal(t, want, drift)
}

// repair repairs ends, whatever is wrong with them.
func (w world[E]) repair(t testing.TB, ends ...edge.Ends) {
	t.Helper()
	for _, of := range ends {
		_, err := w.Repair(t.Context(), of)
		require.NoError(t, err)
	}
}

// toggle ends the edge if it exists, else begins it with another ID.
func (w world[E]) toggle(t testing.TB, e *Edge) {
	t.Helper()
	ended, err := w.End(t.Context(), w.f.Of(e.anyID()))
	require.NoError(t, err)
	if !ended {
		*e = w.begin(t, e.Tail, e.Head, e.Kind)
	}
}

// crowd adds n edges to head, with these kinds alternately, and returns them
// oldest first.
func (w world[E]) crowd(t testing.TB, head string, n int, kinds ...string) []Edge {
	t.Helper()
	all := make([]Edge, n)
	for i := range all {
		all[i] = w.begin(t, fmt.Sprintf("%s-fan-%03d", head, i), head, kinds[i%len(kinds)])
	}
	return all
}

type list[E any] = func(ctx context.Context, name, kind string, req cursor.PageRequest) (cursor.Page[E], error)

// read reads a list to its end, limit at a time.
func (w world[E]) read(t testing.TB, list list[E], name, kind string, limit int) []Edge {
	t.Helper()
	return w.see(pagetest.All(t, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[E], error) {
		return list(ctx, name, kind, req)
	}, limit))
}

// walk is Walk as a list.
func (w world[E]) walk(ctx context.Context, head, _ string, req cursor.PageRequest) (cursor.Page[E], error) {
	return w.Walk(ctx, head, req)
}

func (w world[E]) see(all []E) []Edge { return SeeAll(all, w.f.See) }

// SeeAll converts edges of a feature.
func SeeAll[E any](all []E, see func(E) Edge) []Edge {
	seen := make([]Edge, len(all))
	for i, e := range all {
		seen[i] = see(e)
	}
	return seen
}

// anyID is the edge without its ID.
func (e Edge) anyID() Edge {
	e.ID = 0
	return e
}

// graph has the ids of the edges that should exist, by edges without an ID.
type graph map[Edge]ids.ID

func standing(all ...Edge) graph {
	g := graph{}
	for _, e := range all {
		g[e.anyID()] = e.ID
	}
	return g
}

func (g graph) edges() []Edge {
	return g.list(func(Edge) bool { return true })
}

// list returns the edges for which want is true, newest first.
func (g graph) list(want func(Edge) bool) []Edge {
	list := []Edge{}
	for e, id := range g {
		if want(e) {
			e.ID = id
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(b.ID, a.ID), cmp.Compare(b.Kind, a.Kind))
	})
	return list
}

// supersede removes the edges that e replaces, and returns them.
func (f Feature[E]) supersede(g graph, e Edge) (gone []Edge) {
	if !slices.Contains(f.OneOf, e.Kind) {
		return nil
	}
	for _, kind := range f.OneOf {
		other := Edge{Tail: e.Tail, Head: e.Head, Kind: kind}
		if id, stands := g[other]; stands && kind != e.Kind {
			delete(g, other)
			other.ID = id
			gone = append(gone, other)
		}
	}
	return gone
}

// holds fails unless every read of these names returns exactly the edges of g.
func (w world[E]) holds(t testing.TB, g graph, tails, heads []string) {
	t.Helper()
	of := func(kind string, e Edge) bool { return kind == "" || kind == e.Kind }
	kinds := []string{""}
	if w.f.hasKinds() {
		kinds = append(kinds, w.f.first(), w.f.free())
	}
	for _, kind := range kinds {
		for _, head := range heads {
			want := g.list(func(e Edge) bool { return e.Head == head && of(kind, e) })
			require.Equal(t, want, w.read(t, w.ByHead, head, kind, 7), "%q to %q", kind, head)
		}
		for _, tail := range tails {
			want := g.list(func(e Edge) bool { return e.Tail == tail && of(kind, e) })
			require.Equal(t, want, w.read(t, w.ByTail, tail, kind, 7), "%q from %q", kind, tail)
		}
	}
	for _, head := range heads {
		got, err := w.Counts(t.Context(), head)
		require.NoError(t, err)
		require.Equal(t, w.countIn(g, head), got, "counts of %q", head)
	}
	if w.Shows != nil {
		require.NoError(t, w.Shows(t.Context(), g.edges(), heads))
	}
	for i := 0; i < len(heads) && w.Walk != nil; i++ {
		walked := w.read(t, w.walk, heads[i], "", 2)
		require.ElementsMatch(t, g.list(func(e Edge) bool { return e.Head == heads[i] }), walked, "a walk of %q", heads[i])
	}
	w.holdsMany(t, g, tails, heads)
}

// holdsMany is holds for the calls that read many at once.
func (w world[E]) holdsMany(t testing.TB, g graph, tails, heads []string) {
	t.Helper()
	counts := map[string]edge.Count{}
	for _, head := range heads {
		counts[head] = w.countIn(g, head)
	}
	got, err := w.CountsMany(t.Context(), heads)
	require.NoError(t, err)
	require.Equal(t, counts, got)
	for _, tail := range tails {
		want := map[string][]string{}
		for _, head := range heads {
			want[head] = []string{}
			for _, kind := range w.f.kinds() {
				if _, stands := g[Edge{Tail: tail, Head: head, Kind: kind}]; stands {
					want[head] = append(want[head], kind)
				}
			}
		}
		got, err := w.Kinds(t.Context(), tail, heads)
		require.NoError(t, err)
		require.Equal(t, want, got, "edges of %q", tail)
	}
}

func (w world[E]) countIn(g graph, name string) edge.Count {
	count := edge.Count{Heads: map[string]int64{}}
	for _, kind := range w.f.kinds() {
		count.Heads[kind] = 0
	}
	for e := range g {
		if e.Head == name {
			count.Heads[e.Kind]++
		}
		if e.Tail == name && w.f.mutual() {
			count.Tail++
		}
	}
	return count
}

// persist repeats call until it succeeds, each time in a new process that has
// faults and is killed at one of its first writes. The faults are harsh and
// mild alternately, because hundreds of reads seldom survive the harsh ones.
func (w world[E]) persist(t testing.TB, random *rand.Rand, call func(world[E]) error) {
	t.Helper()
	harsh := faults.Standard
	harsh.Conflict, harsh.Unprocessed, harsh.Stale = 0.05, 0.05, 0.30
	mild := faults.Rates{LostBefore: 0.01, LostAfter: 0.05, Throttled: 0.01, Conflict: 0.05, Unprocessed: 0.05, Stale: 0.30}
	for i := range 100 {
		in := faults.New(t, random.Uint64(), []faults.Rates{harsh, mild}[i%2])
		in.KillAt(1 + random.IntN(50))
		if call(w.process(t, spread(1+random.IntN(3)), in.Wrap)) == nil {
			return
		}
	}
	t.Fatal("no run of a hundred came through")
}
