package edgetest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

// repeats begins and ends an edge again and again: by its names, its id and other ids.
func repeats[E any](t *testing.T, f Feature[E]) {
	w := newWorld(t, f, spread(1))
	stays := graph{} // an edge of another kind, if there are any
	if f.hasKinds() {
		stays = standing(w.begin(t, "jack", "chris", f.free()))
	}
	pair := Edge{Tail: "jack", Head: "chris", Kind: f.first()}
	_, err := w.Get(t.Context(), f.Of(pair))
	require.ErrorIs(t, err, plaza.ErrNotFound)
	first, _, err := w.Begin(t.Context(), f.Of(pair))
	require.NoError(t, err)
	e := f.See(first)
	for name, c := range map[string]struct {
		id    ids.ID
		begun bool
	}{
		"without an id": {0, false},
		"its own id":    {e.ID, true},
		"another id":    {w.id(t), false},
	} {
		repeat := e
		repeat.ID = c.id
		again, begun, err := w.Begin(t.Context(), f.Of(repeat))
		require.NoError(t, err, name)
		require.Equal(t, c.begun, begun, name)
		require.Equal(t, first, again, name)
	}
	got, err := w.Get(t.Context(), f.Of(pair))
	require.NoError(t, err)
	require.Equal(t, first, got)

	var ended []E
	for name, by := range map[string]func(E) E{
		"by the names":        func(e E) E { return f.Of(f.See(e).anyID()) },
		"by the names and id": func(e E) E { return f.Of(f.See(e)) },
		"by the edge":         func(e E) E { return e },
	} {
		now := standing(f.See(first))
		maps.Copy(now, stays)
		for _, old := range append(ended, f.Of(Edge{Tail: "jack", Head: "chris", Kind: f.first(), ID: w.id(t)})) {
			ends, err := w.End(t.Context(), old)
			require.NoError(t, err, name)
			require.False(t, ends, "%s: it is of another id", name)
		}
		w.holds(t, now, []string{"jack"}, []string{"chris"})
		for _, want := range []bool{true, false} {
			ends, err := w.End(t.Context(), by(first))
			require.NoError(t, err, name)
			require.Equal(t, want, ends, name)
			w.holds(t, stays, []string{"jack"}, []string{"chris"})
		}
		ended = append(ended, first, f.Of(f.See(first)))
		first, _, err = w.Begin(t.Context(), f.Of(pair))
		require.NoError(t, err, name)
	}
}

func endedID[E any](t *testing.T, f Feature[E]) {
	w := newWorld(t, f, spread(1))
	earlier := w.id(t)
	first := w.begin(t, "jack", "chris", f.first())
	w.finish(t, first, true)
	for _, shards := range []int{1, edge.MaxShards} {
		for _, id := range []ids.ID{first.ID, earlier} {
			late := first
			late.ID = id
			w.process(t, spread(shards)).refuses(t, late, plaza.ErrRemoved)
			w.holds(t, graph{}, []string{"jack"}, []string{"chris"})
		}
	}
	stays := []Edge{}
	if f.hasKinds() { // each kind has its own ended id
		stays = append(stays, w.give(t, Edge{Tail: "jack", Head: "chris", Kind: f.free(), ID: first.ID}))
	}
	again := w.begin(t, "jack", "chris", f.first())
	require.Greater(t, again.ID, first.ID)
	stands, begun, err := w.try(t.Context(), first)
	require.NoError(t, err)
	require.False(t, begun)
	require.Equal(t, again, stands)
	stays = append(stays, again)
	w.holds(t, standing(stays...), []string{"jack"}, []string{"chris"})
	w.requireStored(t, stays...)
}

func takenID[E any](t *testing.T, f Feature[E]) {
	w := newWorld(t, f, spread(1))
	e := w.begin(t, "jack", "chris", f.first())
	for _, other := range []Edge{{Tail: "jack", Head: "anna"}, {Tail: "anna", Head: "chris"}} {
		other.Kind, other.ID = e.Kind, e.ID
		w.refuses(t, other, plaza.ErrConflict)
	}
	w.requireStored(t, e)
	// No list of these two has the id.
	reverse := w.give(t, Edge{Tail: "chris", Head: "jack", Kind: e.Kind, ID: e.ID})
	w.requireStored(t, e, reverse)
}

// ownFirstAttempt repeats a transaction while the guard is still locked by its
// first attempt.
func ownFirstAttempt[E any](t *testing.T, f Feature[E]) {
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, f, spread(1), in.Wrap)
	reasons := []string{"TransactionConflict", "ConditionalCheckFailed", "ConditionalCheckFailed", "TransactionConflict"}
	if f.mutual() {
		reasons = append(reasons, "None")
	}
	in.Script(func(op string, _ []byte, n int) faults.Fault {
		if n == 1 {
			return faults.Fault{Kind: faults.Conflict, Reasons: reasons}
		}
		return faults.Fault{}
	})
	e := w.give(t, Edge{Tail: "jack", Head: "chris", Kind: f.free(), ID: w.id(t)})
	require.Positive(t, in.Count(faults.Conflict))
	w.holds(t, standing(e), []string{"jack"}, []string{"chris"})
}

// namesNeverShareAKey uses odd names of tails, heads and kinds.
func namesNeverShareAKey[E any](t *testing.T, f Feature[E]) {
	odd := []string{
		"a_b", "c", "a", "b_c", "a#0", "a#1", `a\`, `a\#0`, "#", `\`, `\\`, "0", "E#a", "\u00e9", "e\u0301",
		"用户", "🥰", "it's.[0]", " ", "A", "ver", "like", "shards", strings.Repeat("x", 256), strings.Repeat("x", 255) + "#",
	}
	opts, kinds := spread(faults.Size(2, 1)), []string{""}
	if f.hasKinds() {
		kinds = faults.Some(4, "a_b", "a#0", `a\`, `a\#0`, "#", strings.Repeat("x", 64), "0", "é", "🥰", "it's.[0]", "ver", "like", "shards", `\`, " ", "S")
		opts.Kinds = kinds
		f.Shape.Kinds, f.OneOf = kinds, nil
	}
	w := newWorld(t, f, opts)
	g := graph{}
	for i, tail := range odd {
		for _, j := range faults.Some(1, 1, 3) {
			head := odd[(i+j)%len(odd)]
			for _, kind := range slices.Compact(faults.Some(1, kinds[i%len(kinds)], kinds[(i+5)%len(kinds)])) {
				e := w.begin(t, tail, head, kind)
				g[e.anyID()] = e.ID
			}
		}
	}
	for e, id := range g {
		if e.Tail < e.Head {
			delete(g, e)
			e.ID = id
			w.finish(t, e, true)
		}
	}
	var names []string
	for i := 0; i < len(odd); i += faults.Size(1, 4) {
		names = append(names, odd[i])
		w.requireSound(t, Edge{Tail: odd[i], Head: odd[i]})
	}
	w.holds(t, g, names, names)
}

func verify[E any](t *testing.T, f Feature[E]) {
	m := dynamotest.NewMeter()
	w := newWorld(t, f, spread(1), m.Wrap)
	require.ErrorIs(t, w.Verify(t.Context()), plaza.ErrTable, "it has no expiry")
	require.ErrorIs(t, w.Init(t.Context()), plaza.ErrTable)
	_, err := dynamotest.DB(t).Client().UpdateTimeToLive(t.Context(), f.TTL(w.table))
	require.NoError(t, err)

	verify := dynamotest.Cost{Requests: 3, Read: 0.5}
	m.AtMost(t, "Verify", verify, func() { require.NoError(t, w.Verify(t.Context())) })
	m.AtMost(t, "Init", dynamotest.Cost{Requests: 4, Read: 0.5, Write: 1}, func() { require.NoError(t, w.Init(t.Context())) })
	m.AtMost(t, "Verify of what is marked", verify, func() { require.NoError(t, w.Verify(t.Context())) })
	require.NoError(t, w.Init(t.Context()))

	table, err := store.Open(dynamotest.DB(t), w.table, nil, true)
	require.NoError(t, err)
	other := store.Feature{Name: "other", Format: 1, Schema: store.Schema}
	require.ErrorIs(t, table.Verify(t.Context(), other), plaza.ErrTable, "it is not another feature's")
}
