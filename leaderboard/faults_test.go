package leaderboard_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// faultMixes are the mixes of faults that writes must survive.
var faultMixes = []faults.Rates{
	faults.Standard,
	{LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05, Conflict: 0.15, Stale: 0.30},
	{LostBefore: 0.10, LostAfter: 0.30, Throttled: 0.20, Twice: 0.10, Delayed: 0.05, Stale: 0.25},
}

// submitUntilDone repeats the submission until it succeeds.
func (w world) submitUntilDone(t testing.TB, s leaderboard.Submission) (got leaderboard.Result, created bool) {
	t.Helper()
	faults.Acknowledged(t, func() (err error) {
		got, created, err = w.Submit(t.Context(), s)
		return err
	})
	return got, created
}

func TestEveryOperatorUnderFaults(t *testing.T) {
	t.Parallel()
	shared := newWorld(t, nil)
	const best, set, up, down = leaderboard.Best, leaderboard.Set, leaderboard.Increment, leaderboard.Decrement
	for name, c := range faults.Sample(2, map[string]struct {
		board     leaderboard.Board
		operators []leaderboard.Operator
		versions  bool
	}{
		"best":        {leaderboard.Board{}, []leaderboard.Operator{best}, false},
		"set":         {every(""), []leaderboard.Operator{set}, false},
		"by version":  {every(""), []leaderboard.Operator{set}, true},
		"increment":   {every(""), []leaderboard.Operator{up}, false},
		"decrement":   {every(""), []leaderboard.Operator{down}, false},
		"any of them": {every(""), []leaderboard.Operator{best, set, up, down}, false},
	}) {
		for seed := range faults.Seeds(6) {
			t.Run(fmt.Sprint(name, ", seed ", seed), func(t *testing.T) {
				t.Parallel()
				in := faults.New(t, seed, faultMixes[seed%3])
				w := shared.process(t, nil, in.Wrap)
				random := rand.New(rand.NewPCG(seed, 1))
				board := c.board // the cases are shared by all seeds
				board.Name = t.Name()
				faults.Acknowledged(t, func() error { return errorOf(w.Define(t.Context(), board)) })
				processes := []world{w, w.process(t, nil, in.Wrap)}
				var sent []leaderboard.Submission
				answers := map[ids.ID]leaderboard.Result{}
				stands, exists := int64(0), false
				for i := range faults.Size(10, 7) {
					s := with(score(board.Name, "ann", int64(random.IntN(9)+1), i), c.operators[random.IntN(len(c.operators))])
					s.Op = w.id()
					if c.versions {
						s.Version = uint64(i + 1)
					}
					want := leaderboard.Result{Op: s.Op, Period: forever, Existed: exists, Old: leaderboard.Int(stands)}
					v := s.Score.Int64()
					switch s.Operator {
					case best:
						if !exists || v > stands {
							stands = v
						}
					case set:
						stands = v
					case up:
						stands += v
					case down:
						stands -= v
					}
					exists = true
					want.New = leaderboard.Int(stands)
					want.Improved = !want.Existed || want.New.Compare(want.Old) > 0
					got, created := processes[random.IntN(2)].submitUntilDone(t, s)
					if c.versions && !created && got.Old == got.New {
						want.Old, want.Existed, want.Improved = got.Old, true, false // the entry no longer remembers it
					}
					require.Equal(t, want, got, "step %d", i)
					answers[s.Op] = got
					sent = append(sent, s)

					again := sent[random.IntN(len(sent))] // delivered again
					got, created = processes[random.IntN(2)].submitUntilDone(t, again)
					require.Equal(t, leaderboard.Int(stands).String(), w.entry(t, "ann", board.Name, forever).Score)
					if !c.versions && name != "best" {
						require.False(t, created)
						require.Equal(t, answers[again.Op], got, "the first answer")
					}
				}
				require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice))
				require.Equal(t, []string{fmt.Sprint("ann ", stands)}, w.standings(t, board.Name, forever, 1))
			})
		}
	}
}

// Two processes send 1,000 increments at once, 120 without CI. Each increment is
// repeated later, some twice and some through the other process.
func TestConcurrentIncrementsAreAllCounted(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1000, faults.Rates{LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05, Stale: 0.10})
	w := newWorld(t, nil, in.Wrap)
	faults.Acknowledged(t, func() error {
		return errorOf(w.Define(t.Context(), leaderboard.Board{Name: "b", Operator: leaderboard.Increment}))
	})
	processes := []world{w, w.process(t, nil, in.Wrap)}
	const each = 4 // by two processes: too few for the entry to forget a pending operation
	var mu sync.Mutex
	var sent []leaderboard.Submission
	old := 0
	many := faults.Size(50, 6)
	redeliver := func(p world, s leaderboard.Submission) {
		for {
			_, created, err := p.Submit(t.Context(), s)
			switch {
			case errors.Is(err, leaderboard.ErrOpTooOld):
				mu.Lock()
				defer mu.Unlock()
				old++
				return
			case err == nil:
				require.False(t, created)
				return
			}
			require.True(t, faults.Passing(err), "%v", err)
		}
	}
	for round := range many {
		var group sync.WaitGroup
		for i, p := range processes {
			random := rand.New(rand.NewPCG(uint64(round), uint64(i)))
			group.Go(func() {
				for range each {
					s := score("b", "ann", 1, 0)
					s.Op = w.id()
					p.submitUntilDone(t, s)
					mu.Lock()
					sent = append(sent, s)
					again := []leaderboard.Submission{s, sent[max(0, len(sent)-1-random.IntN(12))], sent[random.IntN(len(sent))]}
					mu.Unlock()
					redeliver(processes[random.IntN(2)], again[random.IntN(len(again))])
				}
			})
		}
		group.Wait()
	}
	total := w.entry(t, "ann", "b", forever).Score
	t.Logf("%d increments, %d redelivered of which %d were too old, %v: total %s", len(sent), len(sent), old, in, total)
	require.Equal(t, fmt.Sprint(2*each*many), total)
	require.NotZero(t, old)
}

func TestEveryContendingWriterSucceeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	const writers = 8
	var group sync.WaitGroup
	for range writers {
		group.Go(func() { w.submit(t, score("b", "ann", 1, 0)) })
	}
	group.Wait()
	require.Equal(t, fmt.Sprint(writers), w.entry(t, "ann", "b", forever).Score)
}

// Others are faster again and again, with newer operations.
func TestAPendingOperationIsNotForgotten(t *testing.T) {
	t.Parallel()
	for name, c := range faults.Sample(2, map[string]struct {
		before  string // which of our requests
		others  int    // how many others come before each of them
		times   int
		given   bool // the caller chose the Op
		refused bool
	}{
		"few before each write":          {"UpdateItem", 10, faults.Size(5, 2), false, false},
		"few before each write, given":   {"UpdateItem", 10, faults.Size(5, 2), true, false},
		"as many as an entry remembers":  {"UpdateItem", 16, faults.Size(3, 1), true, false},
		"more before each write":         {"UpdateItem", 17, 3, true, true},
		"many before it was read":        {"GetItem", 40, 1, false, false},
		"many before it was read, given": {"GetItem", 40, 1, true, true},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, 1, faults.Rates{})
			rival := newWorld(t, nil)
			rival.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
			rival.submit(t, score("b", "ann", 1, 0))
			w := rival.process(t, nil, in.Wrap)
			w.submit(t, score("b", "bob", 1, 0)) // reads the board
			total, times := 1, 0
			in.Script(func(op string, _ []byte, _ int) faults.Fault {
				if op == c.before && times < c.times {
					times++
					for range c.others {
						rival.submit(t, score("b", "ann", 1, 0))
						total++
					}
				}
				return faults.Fault{}
			})
			s := score("b", "ann", 1, 0)
			if c.given {
				s.Op = w.id()
			}
			_, _, err := w.Submit(t.Context(), s)
			if c.refused {
				require.ErrorIs(t, err, leaderboard.ErrOpTooOld)
			} else {
				require.NoError(t, err)
				require.Equal(t, c.times, times)
				total++
			}
			require.Equal(t, fmt.Sprint(total), rival.entry(t, "ann", "b", forever).Score)
		})
	}
}

func TestContentionWithoutEndIsBusy(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	w.submit(t, score("b", "ann", 1, 0))
	rival, requests := w.raw(t), in.Requests()
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" { // somebody is faster each time
			err := rival.Update("pk", "P#ann").Range("sk", "LB#b#"+forever).Add("rev", 1).Run(t.Context())
			require.NoError(t, err)
		}
		return faults.Fault{}
	})
	_, _, err := w.Submit(t.Context(), score("b", "ann", 1, 0))
	require.ErrorIs(t, err, plaza.ErrBusy)
	require.LessOrEqual(t, in.Requests()-requests, 1+64)
	in.Off()
	require.Equal(t, "1", w.entry(t, "ann", "b", forever).Score)
}
