package edgetest

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func names(body []byte, text string) bool { return bytes.Contains(body, []byte(`"`+text)) }

// readsCounters reports whether a request reads the counters of name for a
// Check, Repair or Erase.
func (l layout) readsCounters(op string, body []byte, name string) bool {
	if l.Apart {
		return op == "BatchGetItem" && names(body, l.counter(name, edge.MaxShards-1)[0]+`"`)
	}
	return op == "Query" && names(body, l.counter(name, 0)[0]+`"`)
}

// readsHead reports whether a request reads the list of head in the first
// shard.
func (l layout) readsHead(op string, body []byte, head, kind string) bool {
	return op == "Query" && names(body, l.inHead(Edge{Head: head, Kind: kind}, 0)[0]+`"`)
}

// repairGuardsOnVersion ends an edge while its list is read and begins it again
// before the count is set. The count is then unchanged and right.
func repairGuardsOnVersion[E any](t *testing.T, f Feature[E]) {
	w, l := newWorld(t, f, spread(1)), layout{f.Shape}
	all := w.crowd(t, "bob", 3, f.first())
	counters, step := 0, 0
	repairing := w.watched(t, spread(1), func(op string, body []byte) faults.Fault {
		switch {
		case l.readsCounters(op, body, "bob"):
			counters++
		case l.readsHead(op, body, "bob", f.first()) && counters == 2 && step == 0,
			op == "TransactWriteItems" && step == 1:
			step++
			w.toggle(t, &all[0])
		}
		return faults.Fault{}
	})
	repairing.repairs(t, edge.Ends{Head: "bob"}, edge.Drift{})
	require.Equal(t, 2, step)
	w.requireStored(t, all...)
}

// repairRaisesVersion tears an edge before it is counted, and restores it by
// another Repair before the count is set.
func repairRaisesVersion[E any](t *testing.T, f Feature[E]) {
	w, l := newWorld(t, f, spread(1)), layout{f.Shape}
	e := w.begin(t, "ann", "bob", f.first())
	counters, repaired := 0, false
	repairing := w.watched(t, spread(1), func(op string, body []byte) faults.Fault {
		switch {
		case l.readsCounters(op, body, "ann"):
			if counters++; counters == 2 {
				w.hand(t).Remove(l.inTail(e))
			}
		case op == "TransactWriteItems" && !repaired:
			repaired = true
			w.repairs(t, edge.Ends{Tail: "ann"}, edge.Drift{Torn: 1})
		}
		return faults.Fault{}
	})
	repairing.repairs(t, edge.Ends{Tail: "ann"}, edge.Drift{})
	require.True(t, repaired)
	w.requireStored(t, e)
}

// repairReadsAgain adds an edge after the wrong count was read and before the
// list is read, so that the two agree.
func repairReadsAgain[E any](t *testing.T, f Feature[E]) {
	w, l := newWorld(t, f, spread(1)), layout{f.Shape}
	all := w.crowd(t, "bob", 3, f.first())
	w.hand(t).Set(l.counter("bob", 0), of(f.first(), f.Shape.Count), 4)
	counters := 0
	repairing := w.watched(t, spread(1), func(op string, body []byte) faults.Fault {
		switch {
		case l.readsCounters(op, body, "bob"):
			counters++
		case l.readsHead(op, body, "bob", f.first()) && counters == 2 && len(all) == 3:
			all = append(all, w.begin(t, "late", "bob", f.first()))
		}
		return faults.Fault{}
	})
	repairing.repairs(t, edge.Ends{Head: "bob"}, edge.Drift{Heads: map[string]int64{f.first(): 1}, Counters: 1})
	w.requireStored(t, all...)
}

// repairEndsMeanwhile ends the torn edge just before Repair writes.
func repairEndsMeanwhile[E any](t *testing.T, f Feature[E]) {
	for _, name := range faults.Some(1, "the head's row gone", "the tail's row gone") {
		s := damagedScene(t, f, 1, damages(f)[name].do)
		ended := false
		repairing := s.process(t, spread(1), faults.Before(t, "TransactWriteItems", func() {
			ended = true
			s.finish(t, s.edge.anyID(), true)
		}).Wrap)
		drift, err := repairing.Repair(t.Context(), edge.Ends{Tail: "ann"})
		require.NoError(t, err, name)
		require.True(t, ended, name)
		require.Zero(t, drift.Torn, name)
		s.repair(t, s.edge.ends()...)
		s.requireStored(t, s.others...)
	}
}

// repairDuringMoves ends an edge and begins it again in another shard, twice,
// while Repair reads its items.
func repairDuringMoves[E any](t *testing.T, f Feature[E]) {
	for seed := range faults.Seeds(6) {
		w, l := newWorld(t, f, spread(1)), layout{f.Shape}
		two := w.process(t, spread(2))
		e := Edge{Tail: "ann", Head: "bob", Kind: f.first()}
		processes := []world[E]{two, w, two}
		begin := func() {
			e.ID = w.idIn(t, 2, false)
			processes[0].give(t, e)
			processes = processes[1:]
		}
		begin()
		move := func() {
			w.finish(t, e.anyID(), true)
			begin()
		}
		phase := 0
		watched := w.seeded(t, seed, spread(1), func(op string, body []byte) faults.Fault {
			if op != "BatchGetItem" || names(body, l.Counter+"#bob") {
				return faults.Fault{}
			}
			rows := names(body, of(e.Kind, l.Heads+"#bob")+"#")
			switch {
			case phase == 0 && !rows: // after the row of shard 1 and before its guard
				phase = 1
				move()
			case phase == 1 && rows:
				phase = 2
				return faults.Fault{Kind: faults.Unprocessed, Entries: 33}
			case phase == 2:
				phase = 3
				move()
			}
			return faults.Fault{}
		})
		watched.repair(t, edge.Ends{Head: "bob"})
		require.Equal(t, 3, phase)
		w.requireSound(t, Edge{Tail: "ann", Head: "bob"})
	}
}

// checkDuringChange ends and begins an edge between the two halves of a read of
// its items. Its tail is not counted, so there is no version to compare.
func checkDuringChange[E any](t *testing.T, f Feature[E]) {
	for seed := range faults.Seeds(5) {
		w, l := newWorld(t, f, spread(1)), layout{f.Shape}
		e := w.begin(t, "ann", "bob", f.first())
		half, halves := false, 0
		const most = 2
		watched := w.seeded(t, seed, spread(1), func(op string, body []byte) faults.Fault {
			rows := names(body, of(e.Kind, l.Heads+"#bob")+"#")
			switch {
			case op != "BatchGetItem" || !rows || halves == most:
				return faults.Fault{}
			case halves == 0: // after the guards, before the rows
				w.toggle(t, &e)
			case half:
				w.toggle(t, &e)
				half = false
				halves++
				return faults.Fault{}
			default:
				w.toggle(t, &e)
				half = true
				return faults.Fault{Kind: faults.Unprocessed, Entries: 33}
			}
			halves++
			return faults.Fault{}
		})
		drift, err := watched.Check(t.Context(), edge.Ends{Tail: "ann"})
		require.NoError(t, err)
		require.Zero(t, drift, "seed %d", seed)
		require.Equal(t, most, halves)
	}
}

type checker = func(context.Context, edge.Ends) (edge.Drift, error)

func (w world[E]) checkers() map[string]checker {
	return map[string]checker{"Check": w.Check, "Repair": w.Repair}
}

func busyChecks[E any](t *testing.T, f Feature[E]) {
	for _, name := range faults.Some(1, "Repair", "Check") {
		w, l := newWorld(t, f, spread(1)), layout{f.Shape}
		all := w.crowd(t, "bob", 3, f.first())
		toggles, until := 0, 100
		watched := w.watched(t, spread(1), func(op string, body []byte) faults.Fault {
			if l.readsHead(op, body, "bob", f.first()) && toggles < until {
				toggles++
				w.toggle(t, &all[0])
			}
			return faults.Fault{}
		})
		call := watched.checkers()[name]
		drift, err := call(t.Context(), edge.Ends{Head: "bob"})
		require.ErrorIs(t, err, plaza.ErrBusy, name)
		require.Zero(t, drift, name)
		if toggles%2 == 1 {
			w.toggle(t, &all[0])
		}
		w.requireStored(t, all...)

		toggles, until = 0, 4
		drift, err = call(t.Context(), edge.Ends{Head: "bob"})
		require.NoError(t, err, name)
		require.Zero(t, drift, name)
		w.requireStored(t, all...)
	}
}
