package reaction_test

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
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

type call int

const (
	reacting call = iota
	unreacting
	getting
)

// question is one call about a pair, and answer what it gave.
type (
	question struct {
		call  call
		place place
		id    ids.ID // to react with
	}
	answer struct {
		open    bool   // no answer: it may have happened, or happen later
		late    bool   // plaza.ErrRemoved
		changed bool   // or removed
		id      ids.ID // that stands; 0: none
	}
)

// state is what stands of a pair: of like, love and haha at most one; and the
// last id of each kind that has ended, while none of the kind stands.
type state struct {
	kind     string
	one, pin ids.ID
	ended    [4]ids.ID
}

func (s state) of(kind string) ids.ID {
	switch kind {
	case "pin":
		return s.pin
	case s.kind:
		return s.one
	}
	return 0
}

func (s state) begun(kind string, id ids.ID) state {
	if kind == "pin" {
		s.pin = id
	} else {
		if s.kind != "" {
			s.ended[slices.Index(kinds, s.kind)] = s.one
		}
		s.kind, s.one = kind, id
	}
	s.ended[slices.Index(kinds, kind)] = 0
	return s
}

func (s state) over(kind string) state {
	s.ended[slices.Index(kinds, kind)] = s.of(kind)
	if kind == "pin" {
		s.pin = 0
	} else {
		s.kind, s.one = "", 0
	}
	return s
}

// onePair is what a pair must look like to all clients. What never happened is
// placed at the end.
var onePair = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byPair := map[[2]string][]porcupine.Operation{}
		for _, op := range history {
			p := op.Input.(question).place
			pair := [2]string{p.user, p.object}
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
		stands := s.of(q.place.kind)
		switch {
		case q.call == getting:
			return a.open || a.id == stands, s
		case q.call == reacting && stands == 0 && q.id <= s.ended[slices.Index(kinds, q.place.kind)]:
			return a.open || a.late, s
		case q.call == reacting && stands == 0:
			return a.open || a.changed && a.id == q.id, s.begun(q.place.kind, q.id)
		case q.call == reacting:
			return a.open || !a.late && !a.changed && a.id == stands, s
		case stands == 0:
			return a.open || !a.changed, s
		}
		return a.open || a.changed, s.over(q.place.kind)
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v → %+v", input, output) },
}

func TestHistoriesOfAPairAreLinearizable(t *testing.T) {
	t.Parallel()
	const clients, calls = 8, 100
	pairs := [][2]string{{"anna", "photo"}, {"anna", "film"}, {"jack", "photo"}, {"jack", "film"}}
	base := newWorld(t, options(1))
	var (
		mu      sync.Mutex
		history []porcupine.Operation
		ticks   atomic.Int64
		group   errgroup.Group
	)
	for client := range clients {
		in := faults.New(t, uint64(client), faults.Rates{
			LostBefore: 0.10, LostAfter: 0.15, Throttled: 0.10, Twice: 0.05, Conflict: 0.05, Delayed: 0.05, Stale: 0.40,
		})
		w := base.process(t, options(1+client%3), in.Wrap)
		random := rand.New(rand.NewPCG(uint64(client), 7))
		group.Go(func() error {
			for range calls {
				pair := pairs[random.IntN(len(pairs))]
				q := question{call: call(random.IntN(3)), place: place{pair[0], pair[1], kinds[random.IntN(len(kinds))]}}
				if q.call == reacting {
					var err error
					if q.id, err = w.gen.Next(t.Context()); err != nil {
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
	require.Len(t, history, clients*calls)
	require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(onePair, history, time.Minute))
}

func (w world) ask(t *testing.T, q question) (a answer, err error) {
	r := reaction.Reaction{User: q.place.user, Object: q.place.object, Kind: q.place.kind, ID: q.id}
	switch q.call {
	case reacting:
		r, a.changed, err = w.React(t.Context(), r)
		if errors.Is(err, plaza.ErrRemoved) {
			return answer{late: true}, nil
		}
		a.id = r.ID
	case unreacting:
		a.changed, err = w.Unreact(t.Context(), r)
	case getting:
		if r, err = w.Get(t.Context(), r); errors.Is(err, plaza.ErrNotFound) {
			return answer{}, nil
		}
		a.id = r.ID
	}
	if faults.Passing(err) {
		return answer{open: true}, nil
	}
	return a, err
}
