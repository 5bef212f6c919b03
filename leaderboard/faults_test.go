package leaderboard_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
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
				stands, exists, named := int64(0), false, ""
				for i := range faults.Size(10, 7) {
					s := with(score(board.Name, "ann", int64(random.IntN(9)+1), i), c.operators[random.IntN(len(c.operators))])
					s.Op, s.Name = w.id(), fmt.Sprint("name ", i)
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
					if exists = true; s.Operator != best || v == stands {
						named = s.Name
					}
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
					e := w.entry(t, "ann", board.Name, forever)
					require.Equal(t, []string{leaderboard.Int(stands).String(), named}, []string{e.Score, e.Name})
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

// The board's partition of the index is throttled, and the index lags. A list is then the
// board as it was some writes ago, never a mix.
func TestAHotBoardAndAnIndexThatLags(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			lag, hot := faults.NewLag(t, seed), &faults.Buckets{PerSecond: 300}
			w := newWorld(t, nil, lag.Wrap, hot.Wrap)
			w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
			random := rand.New(rand.NewPCG(seed, 0))
			scores := map[string]int64{}
			states, seen := [][]string{{}}, 0
			ask := func(call func() error) { hot.Ask(t, call) }
			for n := 0; hot.Throttled() < 50 || lag.Reads() < 50 || hot.Busy() == 0; n++ {
				require.Less(t, n, 400)
				i := random.IntN(8)
				player := fmt.Sprint("p", i)
				if n%10 == 9 {
					ask(func() error { return errorOf(w.Remove(t.Context(), in("b"), player)) })
					delete(scores, player)
				} else {
					s := score("b", player, int64(8*random.IntN(5)+8), n)
					if scores[player] == 0 {
						s.Score = leaderboard.Int(int64(8 + i)) // so that no two are equal
					}
					s.Op, s.Meta = w.id(), json.RawMessage(fmt.Sprintf("%q", page[:3000]))
					ask(func() error {
						_, _, err := w.Submit(t.Context(), s)
						return err
					})
					scores[player] += s.Score.Int64()
				}
				states = append(states, listOf(scores))

				ask(func() error {
					got, err := w.Top(t.Context(), in("b"), cursor.PageRequest{})
					if err == nil {
						at := slices.IndexFunc(states[seen:], func(s []string) bool { return slices.Equal(s, playersOf(got.Items)) })
						require.GreaterOrEqual(t, at, 0, "%v was not the board since %v", playersOf(got.Items), states[seen])
						seen += at
					}
					return err
				})
				ask(func() error {
					rows, err := w.Around(t.Context(), in("b"), player, 25)
					if errors.Is(err, plaza.ErrNotFound) && scores[player] == 0 {
						return nil
					}
					if err == nil {
						require.Contains(t, playersOf(rows), fmt.Sprint(player, " ", scores[player]), "the player's own row is current")
						own := slices.DeleteFunc(rows, func(s leaderboard.Standing) bool { return s.Player != player })
						require.Len(t, playersOf(own), 1, "though the index may have an older one")
					}
					return err
				})
				ask(func() error {
					drift, err := w.Repair(t.Context(), in("b"))
					require.Zero(t, drift.Broken, "an index that lags needs no repair")
					return err
				})
			}
			t.Logf("%d writes, %d requests throttled, %d calls failed, %d reads of an index that lagged", len(states), hot.Throttled(), hot.Busy(), lag.Reads())
			w = w.process(t, nil, lag.Wrap)
			for range 50 {
				all(t, 25, w.top(in("b")))
			}
			require.Equal(t, listOf(scores), playersOf(all(t, 25, w.top(in("b")))))
			for i, row := range listOf(scores) {
				player, _, _ := strings.Cut(row, " ")
				require.EqualValues(t, i+1, w.rank(t, in("b"), player).Ordinal)
			}
			w.isWhole(t, in("b"))
		})
	}
}

// listOf returns "player score" of each, the best first.
func listOf(scores map[string]int64) []string {
	list := slices.SortedFunc(maps.Keys(scores), func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	for i, player := range list {
		list[i] = fmt.Sprint(player, " ", scores[player])
	}
	return list
}

// playersOf returns "player score" of each row.
func playersOf(rows []leaderboard.Standing) []string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = fmt.Sprint(r.Player, " ", r.Score)
	}
	return list
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
	w.refuses(t, score("b", "ann", 1, 0), plaza.ErrBusy)
	require.LessOrEqual(t, in.Requests()-requests, 1+64)
	in.Off()
	require.Equal(t, "1", w.entry(t, "ann", "b", forever).Score)
}

func TestAProcessSubmitsAfterAnEndByOneWhoseClockIsAhead(t *testing.T) {
	t.Parallel()
	boards := map[string]leaderboard.Board{
		"best":      {Name: "b"},
		"increment": {Name: "b", Operator: leaderboard.Increment},
	}
	for name, b := range boards {
		for end, ends := range ends {
			t.Run(name+", "+end, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				w.define(t, b)
				w.submit(t, score("b", "ann", 5, 0))
				ends(t, w.ahead(t), "ann")

				own, late := score("b", "ann", 2, 0), score("b", "ann", 3, 0)
				own.Op, late.Op = w.id(), ids.At(noon.Add(-2*time.Second))
				_, _, err := w.Submit(t.Context(), own)
				older := (*plaza.OlderError)(nil)
				require.ErrorAs(t, err, &older)
				require.ErrorIs(t, err, plaza.ErrRemoved)
				err = w.refusal(t, late)
				require.ErrorIs(t, err, plaza.ErrRemoved)
				require.NotErrorAs(t, err, &older)

				mine := score("b", "ann", 1, 0)
				got, created, err := w.Submit(t.Context(), mine)
				if end == "erased" { // it may be a late repeat
					require.ErrorAs(t, err, &older)
					w.set(noon.Add(older.RetryAfter))
					got, created, err = w.Submit(t.Context(), mine)
				}
				require.NoError(t, err)
				require.True(t, created)
				require.Equal(t, leaderboard.Int(1), got.New)
				mine.Op = got.Op
				_, created, err = w.Submit(t.Context(), mine)
				require.NoError(t, err)
				if b.Operator == leaderboard.Increment {
					require.False(t, created, "the Op that is returned is the one that was stored")
				}
				require.Equal(t, []string{"ann 1"}, w.standings(t, "b", forever, 1))
			})
		}
	}
}

// counter makes ids as ids.New does: those of different milliseconds differ in time alone.
type counter struct{ n atomic.Int64 }

func (c *counter) Next(context.Context) (ids.ID, error) {
	return ids.At(noon.Add(time.Duration(c.n.Add(1)) * time.Millisecond)), nil
}

func TestSubmissionsAfterARemovalByAClockAheadAllCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	w.submit(t, score("b", "ann", 5, 0))
	ahead := w.ahead(t)
	changes(t, ahead.Remove, "ann", true)
	var err error
	w.Repository, err = leaderboard.New(w.db(t), w.table, &counter{}, &leaderboard.Options{Now: w.Now})
	require.NoError(t, err)
	for n := range 3 {
		require.Equal(t, leaderboard.Int(int64(n+1)), w.submit(t, score("b", "ann", 1, 0)).New)
	}
}

func TestNoSubmissionIsRaisedIntoTheNextPeriod(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.set(march(10, 23).Add(time.Hour - 5*time.Second))
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
	s := leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(1)}
	w.submit(t, s)
	ahead := w
	ahead.clock = &clock{now: w.Now().Add(4 * time.Second)}
	ahead = ahead.process(t, nil)
	changes(t, ahead.Remove, "ann", true)
	s.Score = leaderboard.Int(2)
	_, _, err := w.Submit(t.Context(), s)
	require.ErrorAs(t, err, new(*plaza.OlderError))
	w.set(w.Now().Add(4*time.Second + time.Millisecond))
	w.submit(t, s)
}
