package edgetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// fans adds edges of n fans to star and film, and of jack to five heads. If a
// name can be both a tail and a head, star and jack follow some of their fans.
func fans[E any](t testing.TB, w world[E], n int) (all []Edge) {
	t.Helper()
	f := w.f
	for i := range n {
		all = append(all, w.begin(t, fmt.Sprint("fan ", i), []string{"star", "film"}[i%2], f.kinds()[i%len(f.kinds())]))
		if f.mutual() && i > 2 {
			all = append(all, w.begin(t, []string{"star", "jack"}[i%2], fmt.Sprint("fan ", i), f.free()))
		}
	}
	for i, head := range faults.Some(3, "star", "film", "lake", "moon", "sun") {
		for _, kind := range slices.Compact([]string{f.kinds()[i%3%len(f.kinds())], f.free()}) {
			all = append(all, w.begin(t, "jack", head, kind))
		}
	}
	return all
}

// nameOf is the name in ends.
func nameOf(of edge.Ends) string { return of.Tail + of.Head }

// touches reports whether Erase of these ends must end e.
func (f Feature[E]) touches(of edge.Ends, e Edge) bool {
	name := nameOf(of)
	return of.Tail == e.Tail || of.Head == e.Head || f.mutual() && (e.Tail == name || e.Head == name)
}

// split separates the edges that Erase ends from the others.
func (f Feature[E]) split(of edge.Ends, all []Edge) (gone, left []Edge) {
	for _, e := range all {
		if f.touches(of, e) {
			gone = append(gone, e.anyID())
		} else {
			left = append(left, e)
		}
	}
	return gone, left
}

// RequireErased fails if anything is left of a name except guards of ended edges and the
// mark of an Erase, and returns these edges. Both must expire.
func RequireErased(t testing.TB, shape edge.Shape, table string, of edge.Ends, left ...Edge) (ended []Edge) {
	t.Helper()
	name := nameOf(of)
	RequireStored(t, shape, table, left...)
	for key, item := range Scan(t, table) {
		if key == (layout{shape}).counter(name, 0) {
			require.Contains(t, item, "ttl")
			require.Len(t, item, 4, "it has ver and its key, too")
			continue
		}
		tail, isGuard := strings.CutPrefix(key[0], shape.Guard+"#")
		if !isGuard || tail != name && key[1] != name {
			require.NotContains(t, key[0]+"#", "#"+name+"#")
			require.NotEqual(t, name, key[1])
			for attribute, value := range item {
				require.NotEqual(t, name, value, attribute)
			}
			continue
		}
		require.Contains(t, item, "ttl")
		for attribute := range item {
			if kind, ok := kindOf(attribute, "ended"); ok {
				ended = append(ended, Edge{Tail: tail, Head: key[1], Kind: kind})
			} else {
				require.Contains(t, []string{"pk", "sk", "ver", "ttl"}, attribute)
			}
		}
	}
	return ended
}

func (w world[E]) requireErased(t testing.TB, of edge.Ends, left []Edge) (ended []Edge) {
	t.Helper()
	return RequireErased(t, w.f.Shape, w.table, of, left...)
}

// erasable are a tail and a head in fans.
var erasable = []edge.Ends{{Tail: "jack"}, {Head: "star"}}

func eraseEverything[E any](t *testing.T, f Feature[E]) {
	ends := erasable
	if f.mutual() { // either name is both
		ends = faults.Some(1, ends...)
	}
	for _, shards := range faults.Some(1, 2, 8) {
		for _, of := range ends {
			m := dynamotest.NewMeter()
			w := newWorld(t, f, spread(shards), m.Wrap)
			all := fans(t, w, faults.Size(12, 3))
			was := w.begin(t, "jack", "past", f.first())
			w.finish(t, was, true)
			gone, left := f.split(of, all)
			erase := func() { require.NoError(t, w.Erase(t.Context(), of)) }
			n := len(gone)
			switch {
			case f.mutual():
				m.AtMost(t, "Erase", dynamotest.Cost{
					Requests: n + 8*(shards+2), Write: float64(10*n + 2*shards), Read: float64(n + 16*(shards+2)),
				}, erase)
			case of.Tail != "":
				const guards = 6
				m.AtMost(t, "Erase", dynamotest.Cost{Requests: n + guards + 30, Write: float64(8*n + guards), Read: 30}, erase)
			default:
				erase()
			}
			if of.Tail != "" {
				gone = append(gone, was.anyID())
			}
			require.ElementsMatch(t, gone, w.requireErased(t, of, left))
			if f.mutual() || faults.Full() {
				before := Scan(t, w.table)
				erase()
				require.Equal(t, before, Scan(t, w.table))
			}
			for i, e := range all {
				if f.touches(of, e) && (faults.Full() || i%2 == 0) {
					w.refuses(t, e, plaza.ErrRemoved)
				}
			}

			back := w.begin(t, "jack", "star", f.first()) // the names may come back
			w.requireStored(t, append(left, back)...)
			erase()
			w.requireErased(t, of, left)
		}
	}
}

func eraseTorn[E any](t *testing.T, f Feature[E]) {
	for of, torn := range map[edge.Ends][]string{
		{Tail: "ann"}: faults.Some(1, "guard gone", "the head's row gone", "the tail's row gone", "only the tail's row left", "a second row of the tail"),
		{Head: "bob"}: faults.Some(1, "only the head's row left", "wrong count", "guard gone", "the tail's row gone", "counter gone"),
	} {
		if of.Head == "" && !faults.Full() {
			continue // eraseCounts erases a tail
		}
		for _, name := range torn {
			s := damagedScene(t, f, 1, damages(f)[name].do)
			require.NoError(t, s.Erase(t.Context(), of), name)
			s.repair(t, s.edge.ends()...)
			_, left := f.split(of, s.others)
			s.requireErased(t, of, left)
		}
	}
}

// eraseUnread erases a head whose list has a row that names no tail.
func eraseUnread[E any](t *testing.T, f Feature[E]) {
	for i, value := range []any{true, "", "bob"} {
		if value == "bob" && !f.mutual() {
			continue // it is a name like any other
		}
		s := damagedScene(t, f, 1+4*i, func(s scene[E]) { s.Set(s.rowOfHead(), f.Shape.Tail, value) })
		of := edge.Ends{Head: "bob"}
		_, left := f.split(of, s.others)
		require.ErrorIs(t, s.Erase(t.Context(), of), plaza.ErrCorrupt)
		require.ErrorIs(t, s.Erase(t.Context(), of), plaza.ErrCorrupt)
		if i == 1 { // it is given up
			s.repair(t, of)
			require.NoError(t, s.Erase(t.Context(), of))
		}
		s.repair(t, edge.Ends{Tail: "ann"})
		s.requireStored(t, append(left, s.edge)...)
		require.NoError(t, s.Erase(t.Context(), of))
		s.requireErased(t, of, left)
	}
}

func eraseCounts[E any](t *testing.T, f Feature[E]) {
	s := damagedScene(t, f, 1, damages(f)["the head's row gone"].do)
	s.repair(t, edge.Ends{Head: "bob"})
	require.NoError(t, s.Erase(t.Context(), edge.Ends{Tail: "ann"}))
	counts, err := s.Counts(t.Context(), "bob")
	require.NoError(t, err)
	require.Zero(t, counts.Heads[f.first()])
}

// eraseUncounted erases either end of an edge that the counter of its head does not count,
// and a tail that has nothing but what has ended.
func eraseUncounted[E any](t *testing.T, f Feature[E]) {
	for _, of := range []edge.Ends{{Tail: "ann"}, {Head: "bob"}} {
		s := damagedScene(t, f, 1, damages(f)["edge not counted"].do)
		require.NoError(t, s.Erase(t.Context(), of))
		_, left := f.split(of, s.others)
		s.requireErased(t, of, left)

		idle := edge.Ends{Tail: "idle"}
		s.finish(t, s.begin(t, idle.Tail, "past", f.first()), true)
		require.NoError(t, s.Erase(t.Context(), idle))
		s.requireErased(t, idle, left)
	}
}

func eraseUnderFaults[E any](t *testing.T, f Feature[E]) {
	for seed := range faults.Seeds(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, f, spread(1+int(seed)%4))
			of := erasable[seed%2]
			gone, left := f.split(of, fans(t, w, 8))
			w.persist(t, rand.New(rand.NewPCG(seed, 2)), func(process world[E]) error {
				return process.Erase(t.Context(), of)
			})
			require.ElementsMatch(t, gone, w.requireErased(t, of, left))
		})
	}
}

// eraseMeetsNew adds edges at the worst moments.
func eraseMeetsNew[E any](t *testing.T, f Feature[E]) {
	l := layout{f.Shape}
	type moment struct {
		of     edge.Ends
		before func(op string, body []byte) bool
	}
	reads := 0
	moments := map[string]moment{
		"counters are dropped": {edge.Ends{Head: "star"}, func(op string, body []byte) bool {
			return op == "TransactWriteItems" && names(body, l.counter("star", 0)[0]) && !names(body, l.Guard+"#")
		}},
	}
	if f.Shape.Apart {
		moments["counters are read to be dropped"] = moment{edge.Ends{Head: "star"}, func(op string, body []byte) bool {
			if !l.readsCounters(op, body, "star") {
				return false
			}
			reads++
			return reads%2 == 0 // each round reads them to repair, and to remove counters
		}}
	}
	if f.hasKinds() {
		moments["guards are to expire"] = moment{edge.Ends{Tail: "jack"}, func(op string, _ []byte) bool { return op == "UpdateItem" }}
	}
	for name, c := range faults.Sample(2, moments) {
		w := newWorld(t, f, spread(1))
		arrive := func(i int) {
			if c.of.Tail != "" { // under one guard
				w.begin(t, c.of.Tail, "star", f.OneOf[i%len(f.OneOf)])
			} else {
				w.begin(t, fmt.Sprint("late ", i), c.of.Head, f.free())
			}
		}
		arrive(0)
		arrivals, most := 0, 3
		busy := w.watched(t, spread(1), func(op string, body []byte) faults.Fault {
			if arrivals < most && c.before(op, body) {
				arrivals++
				arrive(arrivals)
			}
			return faults.Fault{}
		})
		require.NoError(t, busy.Erase(t.Context(), c.of), name)
		require.Equal(t, most, arrivals, name)
		w.requireErased(t, c.of, nil)

		arrive(101)
		most, reads = 100, 0
		require.ErrorIs(t, busy.Erase(t.Context(), c.of), plaza.ErrBusy, name)
		require.NoError(t, w.Erase(t.Context(), c.of), name)
		w.requireErased(t, c.of, nil)
	}
}
