package edgetest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// model has the edges that should be there, and the greatest ended id of each pair
// and kind.
type model[E any] struct {
	f            Feature[E]
	stands, gone graph
}

func newModel[E any](f Feature[E]) model[E] { return model[E]{f, graph{}, graph{}} }

// late reports whether an edge with the ID of e has ended.
func (m model[E]) late(e Edge) bool {
	return m.stands[e.anyID()] == 0 && e.ID != 0 && e.ID <= m.gone[e.anyID()]
}

// begun compares an answer with the model and applies it. Without an ID, only
// the first call is sure to report that it began the edge.
func (m model[E]) begun(t testing.TB, e, got Edge, begun, first bool) {
	t.Helper()
	switch before := m.stands[e.anyID()]; {
	case before != 0:
		require.Equal(t, before, got.ID)
		require.Equal(t, before == e.ID, begun)
	case e.ID != 0:
		require.Equal(t, e.ID, got.ID)
		require.True(t, begun, "a repeat returns the first answer")
	case first:
		require.True(t, begun)
	}
	require.NotZero(t, got.ID)
	if m.stands[e.anyID()] == 0 {
		for _, old := range m.f.supersede(m.stands, e) {
			m.gone[old.anyID()] = old.ID
		}
	}
	m.stands[e.anyID()] = got.ID
}

// ended applies the end of e and reports whether that ends an edge.
func (m model[E]) ended(e Edge) bool {
	before, stood := m.stands[e.anyID()]
	meant := stood && (e.ID == 0 || e.ID == before)
	if meant {
		m.gone[e.anyID()] = before
		delete(m.stands, e.anyID())
	}
	if !stood {
		m.gone[e.anyID()] = max(m.gone[e.anyID()], e.ID) // remembered
	}
	return meant
}

// harshness are fault rates that each write must survive, alternately.
var harshness = []faults.Rates{
	faults.Standard,
	{LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05, Conflict: 0.15, Stale: 0.30},
	{LostBefore: 0.10, LostAfter: 0.30, Throttled: 0.20, Twice: 0.10, Delayed: 0.05, Stale: 0.25},
}

func underFaults[E any](t *testing.T, f Feature[E]) {
	for seed := range faults.Seeds(12) {
		for _, shards := range faults.Some(1, 4, 1) {
			t.Run(fmt.Sprintf("seed %d, %d shards", seed, shards), func(t *testing.T) {
				t.Parallel()
				in := faults.New(t, seed, harshness[seed%3])
				m := crowd[E]{newWorld(t, f, spread(shards), in.Wrap), newModel(f), rand.New(rand.NewPCG(seed, 1))}
				for range 40 {
					m.step(t)
				}
				require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice))
				m.requireStored(t, m.stands.edges()...)
				lagging := faults.New(t, seed, faults.Rates{Stale: 1})
				tails, heads := f.names()
				m.process(t, spread(1), lagging.Wrap).holds(t, m.stands, tails, heads)
			})
		}
	}
}

// crowd begins and ends edges at random.
type crowd[E any] struct {
	world[E]
	model[E]
	random *rand.Rand
}

func (m crowd[E]) step(t *testing.T) {
	t.Helper()
	slots := m.model.f.slots()
	plain := slots[m.random.IntN(len(slots))]
	fresh, late, standing := plain, plain, plain
	fresh.ID, late.ID, standing.ID = m.id(t), m.gone[plain], m.stands[plain]
	switch m.random.IntN(7) {
	case 0, 1:
		if m.random.IntN(4) == 0 {
			m.keepEnding(t, fresh) // before it begins
		}
		m.keepBeginning(t, fresh)
	case 2:
		m.keepBeginning(t, late)
	case 3:
		m.keepBeginning(t, plain)
	case 4:
		m.keepEnding(t, standing)
	case 5:
		m.keepEnding(t, late)
	case 6:
		m.keepEnding(t, plain)
	}
}

func (m crowd[E]) keepBeginning(t *testing.T, e Edge) {
	t.Helper()
	var got Edge
	var begun bool
	late := m.late(e)
	calls := faults.Acknowledged(t, func() (err error) {
		got, begun, err = m.try(t.Context(), e)
		if late && errors.Is(err, plaza.ErrRemoved) {
			return nil
		}
		return err
	})
	if late {
		require.False(t, begun)
		return
	}
	m.begun(t, e, got, begun, calls == 1)
}

func (m crowd[E]) keepEnding(t *testing.T, e Edge) {
	t.Helper()
	var ended bool
	calls := faults.Acknowledged(t, func() (err error) {
		ended, err = m.End(t.Context(), m.model.f.Of(e))
		return err
	})
	if meant := m.ended(e); ended || calls == 1 {
		require.Equal(t, meant, ended)
	}
}

type call int

const (
	beginning call = iota
	ending
	getting
)

// question is a call about an edge, and answer its result.
type (
	question struct {
		call call
		edge Edge // with an ID, for Begin
	}
	answer struct {
		open    bool   // no answer: it may have been applied, or be applied later
		late    bool   // plaza.ErrRemoved
		changed bool   // it began or ended an edge
		id      ids.ID // of the edge; 0: none
	}
)

// maxKinds is the most kinds of a Feature.
const maxKinds = 4

// state has, by kind, the id of a pair's edge or, if there is none, of
// the last ended one.
type state struct{ stands, ended [maxKinds]ids.ID }

func (s state) end(kind int) state {
	if s.stands[kind] != 0 {
		s.stands[kind], s.ended[kind] = 0, s.stands[kind]
	}
	return s
}

// pairModel is the sequential model of one pair. A call that was never applied
// is placed at the end.
func pairModel[E any](f Feature[E]) porcupine.Model {
	begin := func(s state, kind int, id ids.ID) state {
		if kind < len(f.OneOf) {
			for other := range f.OneOf {
				s = s.end(other)
			}
		}
		s.stands[kind], s.ended[kind] = id, 0
		return s
	}
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			byPair := map[[2]string][]porcupine.Operation{}
			for _, op := range history {
				e := op.Input.(question).edge
				pair := [2]string{e.Tail, e.Head}
				byPair[pair] = append(byPair[pair], op)
			}
			var parts [][]porcupine.Operation
			for _, part := range byPair {
				parts = append(parts, part)
			}
			return parts
		},
		Init: func() any { return state{} },
		Step: func(before, input, output any) (bool, any) {
			s, q, a := before.(state), input.(question), output.(answer)
			kind := slices.Index(f.kinds(), q.edge.Kind)
			stands := s.stands[kind]
			switch {
			case q.call == getting:
				return a.open || a.id == stands, s
			case q.call == beginning && stands == 0 && q.edge.ID <= s.ended[kind]:
				return a.open || a.late, s
			case q.call == beginning && stands == 0:
				return a.open || a.changed && a.id == q.edge.ID, begin(s, kind, q.edge.ID)
			case q.call == beginning:
				return a.open || !a.late && !a.changed && a.id == stands, s
			case stands == 0:
				return a.open || !a.changed, s
			}
			return a.open || a.changed, s.end(kind)
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v → %+v", input, output) },
	}
}

// histories are of processes with 1 to 3 shards, while another repairs every name again and
// again. What they leave is whole. The stream reports what is there in the end, and each edge
// begins and ends once.
func histories[E any](t *testing.T, f Feature[E]) {
	const clients = 8
	calls := len(slices.Collect(faults.Seeds(120))) // calls of each client
	slots := f.slots()
	base, changes := newStreamed(t, f, spread(1))
	tails, heads := f.names()
	torn := base.begin(t, "zoe", heads[0], f.free())
	miscounted := base.begin(t, tails[0], "zoo", f.free())
	l, hand := layout{f.Shape}, base.hand(t)
	hand.Remove(l.inTail(torn))
	hand.Set(l.counter(torn.Head, 0), of(f.free(), f.Shape.Count), 9)
	if f.mutual() {
		hand.Set(l.counter(miscounted.Tail, 0), f.Shape.TailCount, 9)
	}
	tails, heads = append(slices.Clone(tails), torn.Tail), append(slices.Clone(heads), miscounted.Head)
	var (
		mu      sync.Mutex
		history []porcupine.Operation
		ticks   atomic.Int64
		group   errgroup.Group
		repairs errgroup.Group
		done    atomic.Bool
	)
	repairing := base.process(t, spread(2))
	repairs.Go(func() error {
		for i := 0; !done.Load(); i++ {
			for _, of := range (Edge{Tail: tails[i%len(tails)], Head: heads[i%len(heads)]}).ends() {
				if _, err := repairing.Repair(t.Context(), of); err != nil && !errors.Is(err, plaza.ErrBusy) {
					return err
				}
			}
		}
		return nil
	})
	for client := range clients {
		in := faults.New(t, uint64(client), faults.Rates{
			LostBefore: 0.10, LostAfter: 0.15, Throttled: 0.10, Twice: 0.05, Conflict: 0.05, Delayed: 0.05, Stale: 0.40,
		})
		w := base.process(t, spread(1+client%3), in.Wrap)
		random := rand.New(rand.NewPCG(uint64(client), 7))
		group.Go(func() error {
			for range calls {
				q := question{call: call(random.IntN(3)), edge: slots[random.IntN(len(slots))]}
				if q.call == beginning {
					var err error
					if q.edge.ID, err = w.gen.Next(t.Context()); err != nil {
						return err
					}
				}
				op := porcupine.Operation{ClientId: client, Input: q, Call: ticks.Add(1)}
				a, err := w.ask(t, q)
				if err != nil {
					return err
				}
				op.Output, op.Return = a, ticks.Add(1)
				if a.open {
					op.Return = math.MaxInt64
				}
				mu.Lock()
				history = append(history, op)
				mu.Unlock()
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	done.Store(true)
	require.NoError(t, repairs.Wait())
	require.Len(t, history, clients*calls)
	require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(pairModel(f), history, time.Minute))

	g := standing(torn, miscounted)
	for _, e := range slots {
		got, err := base.Get(t.Context(), f.Of(e))
		if err != nil {
			require.ErrorIs(t, err, plaza.ErrNotFound)
			continue
		}
		g[e] = f.See(got).ID
	}
	for i, tail := range tails {
		base.repair(t, Edge{Tail: tail, Head: heads[i%len(heads)]}.ends()...)
	}
	base.holds(t, g, tails, heads)
	base.requireStored(t, g.edges()...)

	reported, met := graph{}, map[Change]bool{}
	for _, c := range changes.Next(t) {
		require.False(t, met[c], "%+v is reported twice", c)
		met[c] = true
		if c.Began {
			reported[c.Edge.anyID()] = c.Edge.ID
		} else {
			require.Equal(t, reported[c.Edge.anyID()], c.Edge.ID, "what ends had begun")
			delete(reported, c.Edge.anyID())
		}
	}
	require.Equal(t, g, reported)
}

func (w world[E]) ask(t *testing.T, q question) (a answer, err error) {
	switch e := w.f.Of(q.edge); q.call {
	case beginning:
		e, a.changed, err = w.Begin(t.Context(), e)
		if errors.Is(err, plaza.ErrRemoved) {
			return answer{late: true}, nil
		}
		a.id = w.f.See(e).ID
	case ending:
		a.changed, err = w.End(t.Context(), e)
	case getting:
		if e, err = w.Get(t.Context(), e); errors.Is(err, plaza.ErrNotFound) {
			return answer{}, nil
		}
		a.id = w.f.See(e).ID
	}
	if faults.Passing(err) {
		return answer{open: true}, nil
	}
	return a, err
}
