package follow_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

type kind int

const (
	following kind = iota
	unfollowing
	getting
)

// question is one call about a pair, and answer what it gave.
type (
	question struct {
		kind kind
		pair pair
		id   ids.ID // to follow with
	}
	answer struct {
		open    bool   // no answer: it may have happened, or happen later
		late    bool   // plaza.ErrRemoved
		changed bool   // created or removed
		id      ids.ID // that stands; 0: none
	}
)

// state is the id of a pair's edge that stands, or 0, and of the last that
// ended.
type state struct{ stands, ended ids.ID }

// onePair is what a pair must look like to all clients. What never happened is
// placed at the end.
var onePair = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byPair := map[pair][]porcupine.Operation{}
		for _, op := range history {
			p := op.Input.(question).pair
			byPair[p] = append(byPair[p], op)
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
		switch {
		case q.kind == following && s.stands == 0 && q.id <= s.ended:
			return a.open || a.late, s
		case q.kind == following && s.stands == 0:
			return a.open || a.changed && a.id == q.id, state{stands: q.id}
		case q.kind == following:
			return a.open || !a.late && !a.changed && a.id == s.stands, s
		case q.kind == unfollowing && s.stands == 0:
			return a.open || !a.changed, s
		case q.kind == unfollowing:
			return a.open || a.changed, state{ended: s.stands}
		}
		return a.open || a.id == s.stands, s
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v → %+v", input, output) },
}

func TestHistoriesOfAPairAreLinearizable(t *testing.T) {
	t.Parallel()
	const clients, calls = 8, 200
	pairs := []pair{{"anna", "chris"}, {"chris", "anna"}, {"jack", "chris"}, {"anna", "jack"}}
	base := newWorld(t, nil)
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
		w := base.process(t, sharded(1+client%3), in.Wrap)
		random := rand.New(rand.NewPCG(uint64(client), 7))
		group.Go(func() error {
			for range calls {
				q := question{kind: kind(random.IntN(3)), pair: pairs[random.IntN(len(pairs))]}
				if q.kind == following {
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
	e := follow.Edge{Follower: q.pair.follower, Followee: q.pair.followee, ID: q.id}
	switch q.kind {
	case following:
		e, a.changed, err = w.Follow(t.Context(), e)
		if errors.Is(err, plaza.ErrRemoved) {
			return answer{late: true}, nil
		}
		a.id = e.ID
	case unfollowing:
		a.changed, err = w.Unfollow(t.Context(), e)
	case getting:
		if e, err = w.Get(t.Context(), e); errors.Is(err, plaza.ErrNotFound) {
			return answer{}, nil
		}
		a.id = e.ID
	}
	if faults.Passing(err) {
		return answer{open: true}, nil
	}
	return a, err
}
