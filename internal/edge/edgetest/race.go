package edgetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

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
	drift, err := repairing.Repair(t.Context(), edge.Ends{Head: "bob"})
	require.NoError(t, err)
	require.Equal(t, 2, step)
	require.Zero(t, drift)
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
			drift, err := w.Repair(t.Context(), edge.Ends{Tail: "ann"})
			require.NoError(t, err)
			require.Equal(t, edge.Drift{Torn: 1}, drift)
		}
		return faults.Fault{}
	})
	drift, err := repairing.Repair(t.Context(), edge.Ends{Tail: "ann"})
	require.NoError(t, err)
	require.True(t, repaired)
	require.Zero(t, drift)
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
	drift, err := repairing.Repair(t.Context(), edge.Ends{Head: "bob"})
	require.NoError(t, err)
	require.Equal(t, edge.Drift{Heads: map[string]int64{f.first(): 1}, Counters: 1}, drift)
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
		for _, of := range s.edge.ends() {
			_, err := s.Repair(t.Context(), of)
			require.NoError(t, err, name)
		}
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
		repaired, err := watched.Repair(t.Context(), edge.Ends{Head: "bob"})
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, 3, phase)
		drift, err := w.Check(t.Context(), edge.Ends{Tail: "ann"})
		require.NoError(t, err)
		require.Zero(t, drift, "seed %d, Repair reported %+v", seed, repaired)
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

// repairDuringWrites repairs every name again and again, from two processes,
// while some edges change and others are torn.
func repairDuringWrites[E any](t *testing.T, f Feature[E]) {
	const tails = 5
	w, l := newWorld(t, f, spread(2)), layout{f.Shape}
	tail := func(i int) string { return fmt.Sprint("u", i%tails) }
	head := func(i int) string {
		if f.mutual() {
			return tail(i)
		}
		return fmt.Sprint("o", i%2)
	}
	var stand []Edge
	for i := range tails {
		stand = append(stand, w.begin(t, tail(i), head(i+1), f.free()))
	}
	h := w.hand(t)
	if f.hasKinds() {
		h.unset(l.guard(stand[0]), of(f.free(), "id"))
	} else {
		h.Remove(l.guard(stand[0]))
	}
	h.Remove(l.inTail(stand[1]))
	h.Set(l.counter(stand[2].Head, 0), of(f.free(), f.Shape.Count), 9)
	if f.mutual() {
		h.Set(l.counter(stand[3].Tail, 0), f.Shape.TailCount, 9)
	}

	ctx, done := context.WithCancel(t.Context())
	var repairs errgroup.Group
	for range 2 {
		process := w.process(t, spread(2))
		repairs.Go(func() error {
			for i := 0; ctx.Err() == nil; i++ {
				_, err := process.Repair(ctx, edge.Ends{Tail: tail(i)})
				if err == nil {
					_, err = process.Repair(ctx, edge.Ends{Head: head(i)})
				}
				if err != nil && !errors.Is(err, plaza.ErrBusy) && ctx.Err() == nil {
					return err
				}
			}
			return nil
		})
	}
	kinds := f.OneOf
	if !f.hasKinds() {
		kinds = []string{""}
	}
	var writers errgroup.Group
	left := make([]graph, tails)
	for i := range tails {
		left[i] = graph{}
		writers.Go(func() error {
			random := rand.New(rand.NewPCG(uint64(i), 0))
			for range faults.Seeds(60) {
				e := Edge{Tail: tail(i), Head: head(i + 2 + random.IntN(tails-2)), Kind: kinds[random.IntN(len(kinds))]}
				if _, stands := left[i][e]; stands {
					if _, err := w.End(t.Context(), f.Of(e)); err != nil {
						return err
					}
					delete(left[i], e)
					continue
				}
				got, _, err := w.try(t.Context(), e)
				if err != nil {
					return err
				}
				f.supersede(left[i], e)
				left[i][e] = got.ID
			}
			return nil
		})
	}
	require.NoError(t, writers.Wait())
	done()
	require.NoError(t, repairs.Wait())
	want := standing(stand...)
	for i := range tails {
		maps.Copy(want, left[i])
		for _, of := range []edge.Ends{{Tail: tail(i)}, {Head: head(i)}} {
			_, err := w.Repair(t.Context(), of)
			require.NoError(t, err)
		}
	}
	w.requireStored(t, want.edges()...)
}
