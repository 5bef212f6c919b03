package leaderboard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// every returns a board that allows every operator. Set is the default.
func every(name string) leaderboard.Board {
	return leaderboard.Board{
		Name: name, Operator: leaderboard.Set,
		Allow: []leaderboard.Operator{leaderboard.Best, leaderboard.Increment, leaderboard.Decrement},
	}
}

func with(s leaderboard.Submission, o leaderboard.Operator) leaderboard.Submission {
	s.Operator = o
	return s
}

func ptr(s leaderboard.Score) *leaderboard.Score { return &s }

func TestSubmissionsInSequence(t *testing.T) {
	t.Parallel()
	const (
		best, set, up, down = leaderboard.Best, leaderboard.Set, leaderboard.Increment, leaderboard.Decrement
		lowest, highest     = math.MinInt64, math.MaxInt64
	)
	type step struct {
		operator leaderboard.Operator
		score    int64
		sub      int64
	}
	type result struct {
		improved bool
		stands   int64
	}
	lows := every("")
	lows.Order = leaderboard.Ascending
	floored := every("")
	floored.Floor = ptr(leaderboard.Int(0))
	lowSubs := leaderboard.Board{SubOrder: leaderboard.Ascending}
	w := newWorld(t, nil)
	refusing := w.process(t, &leaderboard.Options{
		Refuse: func(context.Context, leaderboard.Submission, leaderboard.Result) error { return nil },
	})
	for name, c := range faults.Sample(2, map[string]struct {
		board leaderboard.Board
		steps []step
		want  []result // one for each step
		keeps bool     // the time of the first step is kept
	}{
		"best, then worse":             {leaderboard.Board{}, []step{{best, 10, 0}, {best, 9, 0}}, []result{{true, 10}, {false, 10}}, true},
		"best, then the same":          {leaderboard.Board{}, []step{{best, 10, 0}, {best, 10, 0}}, []result{{true, 10}, {false, 10}}, true},
		"the same, the later first":    {leaderboard.Board{Ties: leaderboard.LaterFirst}, []step{{best, 10, 0}, {best, 10, 0}}, []result{{true, 10}, {false, 10}}, true},
		"best, then better":            {leaderboard.Board{}, []step{{best, 10, 0}, {best, 11, 0}}, []result{{true, 10}, {true, 11}}, false},
		"lowest, then highest":         {leaderboard.Board{}, []step{{best, lowest, lowest}, {best, highest, highest}}, []result{{true, lowest}, {true, highest}}, false},
		"highest, then lowest":         {leaderboard.Board{}, []step{{best, highest, highest}, {best, lowest, lowest}}, []result{{true, highest}, {false, highest}}, true},
		"the low score wins":           {leaderboard.Board{Order: leaderboard.Ascending}, []step{{best, 30, 0}, {best, 25, 0}, {best, 26, 0}}, []result{{true, 30}, {true, 25}, {false, 25}}, false},
		"a better sub score":           {leaderboard.Board{}, []step{{best, 10, 1}, {best, 10, 2}, {best, 10, 1}}, []result{{true, 10}, {true, 10}, {false, 10}}, false},
		"a lower sub score":            {lowSubs, []step{{best, 10, 1}, {best, 10, 2}, {best, 10, 0}}, []result{{true, 10}, {false, 10}, {true, 10}}, false},
		"best among others":            {every(""), []step{{best, 10, 0}, {best, 9, 0}, {best, 11, 0}}, []result{{true, 10}, {false, 10}, {true, 11}}, false},
		"set":                          {every(""), []step{{set, 50, 0}, {set, 20, 0}, {set, 60, 0}}, []result{{true, 50}, {false, 20}, {true, 60}}, false},
		"set to the same":              {every(""), []step{{set, 50, 7}, {set, 50, 7}}, []result{{true, 50}, {false, 50}}, true},
		"set the sub score":            {every(""), []step{{set, 50, 7}, {set, 50, 6}}, []result{{true, 50}, {false, 50}}, false},
		"set, the low score wins":      {lows, []step{{set, 50, 0}, {set, 20, 0}}, []result{{true, 50}, {true, 20}}, false},
		"increment an absent one":      {every(""), []step{{up, 5, 0}, {up, 6, 0}}, []result{{true, 5}, {true, 11}}, false},
		"increment an absent one by 0": {every(""), []step{{up, 0, 0}, {up, 0, 0}}, []result{{true, 0}, {false, 0}}, true},
		"increment by 0":               {every(""), []step{{set, 5, 0}, {up, 0, 0}}, []result{{true, 5}, {false, 5}}, true},
		"increment by less than 0":     {every(""), []step{{set, 5, 0}, {up, -6, 0}}, []result{{true, 5}, {false, -1}}, false},
		"decrement below zero":         {every(""), []step{{set, 5, 0}, {down, 6, 0}}, []result{{true, 5}, {false, -1}}, false},
		"decrement by the lowest":      {every(""), []step{{set, -1, 0}, {down, lowest, 0}}, []result{{true, -1}, {true, highest}}, false},
		"decrement below the floor":    {floored, []step{{set, 5, 0}, {down, 6, 0}, {down, 1, 0}}, []result{{true, 5}, {false, 0}, {false, 0}}, false},
		"set below the floor":          {floored, []step{{set, -5, 0}}, []result{{true, 0}}, true},
		"best below the floor":         {leaderboard.Board{Floor: ptr(leaderboard.Int(3))}, []step{{best, -5, 0}, {best, 2, 0}}, []result{{true, 3}, {false, 3}}, true},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both := map[string]world{name: w, name + ", with rules": refusing}
			if !faults.Full() { // by turns
				delete(both, []string{name, name + ", with rules"}[len(name)%2])
			}
			for what, w := range both {
				c.board.Name = what
				w.define(t, c.board)
				var first, before leaderboard.Score
				var key []byte
				for i, step := range c.steps {
					s := with(score(what, "ann", step.score, i), step.operator)
					s.Sub = step.sub
					got := w.submit(t, s)
					require.NotZero(t, got.Op)
					want := leaderboard.Result{
						Op: got.Op, Period: forever, Improved: c.want[i].improved,
						Existed: i > 0, Old: before, New: leaderboard.Int(c.want[i].stands),
					}
					require.Equal(t, want, got, "step %d", i)
					before = got.New
					e := w.entry(t, "ann", what, forever)
					require.Equal(t, got.New.String(), e.Score)
					if i == 0 {
						first, key = got.New, e.Key
					}
				}
				e := w.entry(t, "ann", what, forever)
				require.Equal(t, c.keeps, string(key) == string(e.Key), "%v to %v", first, before)
				require.Equal(t, []string{"ann " + before.String()}, w.standings(t, what, forever, 1))
			}
		})
	}
}

func TestTheBestOfConcurrentScoresIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Shards: 4})
	players := faults.Size(32, 6)
	var group sync.WaitGroup
	for p := range players {
		for half := range uint64(2) {
			group.Go(func() {
				random := rand.New(rand.NewPCG(uint64(p), half))
				scores := append(random.Perm(1000)[:faults.Size(20, 4)], 1000)
				for _, i := range random.Perm(len(scores)) {
					w.submit(t, score("b", fmt.Sprintf("p%02d", p), int64(scores[i]), 0))
				}
			})
		}
	}
	group.Wait()
	var want []string
	for p := range players {
		want = append(want, fmt.Sprintf("p%02d 1000", p))
	}
	require.Equal(t, want, w.standings(t, "b", forever, 4))
}

func TestOnlyANewerVersionIsSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, every("b"))
	version := func(v uint64, n int64, i int) leaderboard.Submission {
		s := score("b", "ann", n, i)
		s.Version = v
		return s
	}
	var key []byte // the first
	for i, c := range []struct {
		version  uint64
		score    int64
		stands   int64
		repeated bool
		stored   uint64
	}{
		{5, 50, 50, false, 5},
		{4, 40, 50, false, 5}, // older
		{5, 50, 50, true, 5},
		{7, 50, 50, false, 7}, // the same score: the time stays, the version is stored
		{6, 60, 50, false, 7},
		{8, 20, 20, false, 8},
	} {
		got, created, err := w.Submit(t.Context(), version(c.version, c.score, i))
		require.NoError(t, err)
		e := w.entry(t, "ann", "b", forever)
		if i == 0 {
			key = e.Key
		}
		require.Equal(t, c.stands == 50, bytes.Equal(key, e.Key), "step %d", i)
		require.Equal(t, leaderboard.Int(c.stands), got.New, "step %d", i)
		require.Equal(t, c.repeated, !created, "step %d", i)
		require.Equal(t, c.stored, e.Version, "step %d", i)
	}
	w.submit(t, with(score("b", "ann", 3, 9), leaderboard.Increment))
	require.Equal(t, leaderboard.Int(23), w.submit(t, version(8, 20, 10)).New, "also among other operations")
}

func TestSubmitDoesNotRelyOnStaleReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	positive := every("b")
	positive.Min = ptr(leaderboard.Int(0))
	w.define(t, positive)
	w.submit(t, score("b", "ann", 5, 0))
	lagging := w.process(t, nil, faults.New(t, 1, faults.Rates{Stale: 1}).Wrap)
	got := lagging.submit(t, with(score("b", "ann", 3, 1), leaderboard.Decrement))
	require.Equal(t, leaderboard.Int(2), got.New)
}

func TestRefuseSeesTheResult(t *testing.T) {
	t.Parallel()
	cheat := errors.New("cannot be")
	var seen []leaderboard.Result
	w := newWorld(t, &leaderboard.Options{Refuse: func(_ context.Context, s leaderboard.Submission, r leaderboard.Result) error {
		require.NotZero(t, s.Op)
		require.False(t, s.At.IsZero())
		require.NotEmpty(t, s.Operator)
		seen = append(seen, r)
		if r.New.Int64() > r.Old.Int64()+100 || s.Name == "Rude" {
			return cheat
		}
		return nil
	}})
	w.define(t, leaderboard.Board{Name: "best"})
	w.define(t, leaderboard.Board{Name: "sum", Operator: leaderboard.Increment})
	for _, board := range []string{"best", "sum"} {
		seen = nil
		require.True(t, w.submit(t, score(board, "ann", 90, 0)).Improved)
		err := w.refusal(t, score(board, "ann", 300, 1))
		require.ErrorIs(t, err, cheat)
		require.ErrorIs(t, err, plaza.ErrForbidden)
		require.Len(t, seen, 2)
		require.Equal(t, leaderboard.Int(90), seen[1].Old)
		require.True(t, seen[1].Existed)
		require.Equal(t, []string{"ann 90"}, w.standings(t, board, forever, 1))
	}
	seen = nil
	require.False(t, w.submit(t, score("best", "ann", 80, 2)).Improved)
	require.Empty(t, seen, "what changes nothing is not asked about")
	rude := score("best", "ann", 90, 3)
	rude.Name = "Rude"
	w.refuses(t, rude, plaza.ErrForbidden)
	require.Equal(t, leaderboard.Int(90), seen[0].New)
	require.Empty(t, w.entry(t, "ann", "best", forever).Name)
}

func TestManySubmissionsAreAnsweredInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, every("b"))
	var many []leaderboard.Submission
	for i := range faults.Size(30, 20) {
		s := score("b", fmt.Sprint("p", i%7), int64(i), i)
		if i%10 == 9 {
			s.Player = ""
		}
		many = append(many, s)
	}
	last := map[string]int64{}
	results, err := w.SubmitMany(t.Context(), many)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	for i, o := range results {
		if many[i].Player == "" {
			require.ErrorIs(t, o.Err, plaza.ErrInvalid)
			continue
		}
		require.NoError(t, o.Err)
		require.Equal(t, many[i].Score, o.Value.New)
		before, existed := last[many[i].Player]
		require.Equal(t, existed, o.Value.Existed)
		require.Equal(t, leaderboard.Int(before), o.Value.Old, "those of one player in the order given")
		last[many[i].Player] = int64(i)
	}
	require.Empty(t, w.submitMany(t, nil))
}

// Submit makes the identity and returns it beside the error. A repeat with it gets the
// first answer, even after a reset.
func TestAFailedSubmissionIsRepeatedWithTheReturnedOp(t *testing.T) {
	t.Parallel()
	for then, operator := range map[faults.Kind]leaderboard.Operator{
		faults.LostAfter: leaderboard.Best, faults.Throttled: leaderboard.Increment, faults.Conflict: leaderboard.Best, faults.Refused: leaderboard.Increment,
	} {
		in := faults.New(t, 1, faults.Rates{})
		w := newWorld(t, nil, in.Wrap)
		w.define(t, leaderboard.Board{Name: "b", Operator: operator, Cron: "@hourly", Grace: time.Hour})
		s := leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(5)}
		w.submit(t, leaderboard.Submission{Board: "b", Player: "bob", Score: leaderboard.Int(1)}) // opens the period
		lost := false
		in.Script(func(op string, _ []byte, _ int) faults.Fault {
			if op != "UpdateItem" {
				return faults.Fault{}
			}
			if lost {
				return faults.Fault{Kind: then}
			}
			lost = true
			return faults.Fault{Kind: faults.LostAfter}
		})
		first, _, err := w.Submit(t.Context(), s)
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome, then)
		require.True(t, lost)
		in.Script(nil)
		s.Op = first.Op
		w.set(w.Now().Add(time.Hour))
		require.EqualValues(t, 5, w.repeat(t, s).New.Int64())
	}
}

// The SDK sends a submission again that the entry has just forgotten.
func TestAForgottenSubmissionWhoseAnswerWasLostIsUnknown(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	w.submit(t, score("b", "ann", 1, 0))
	slow, updates := w.process(t, nil, in.Wrap), 0
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op != "UpdateItem" {
			return faults.Fault{}
		}
		if updates++; updates == 1 {
			return faults.Fault{Kind: faults.LostAfter}
		}
		for i := range 17 {
			w.submit(t, score("b", "ann", 1, i))
		}
		return faults.Fault{}
	})
	err := slow.refusal(t, score("b", "ann", 1, 0))
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	require.NotErrorIs(t, err, plaza.ErrConflict)
	require.Equal(t, "19", w.entry(t, "ann", "b", forever).Score)
}

// Functions that the application provides panic in goroutines of ours.
func TestAPanicInAGoroutineIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily", Grace: 48 * time.Hour})
	w.submit(t, leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(1), At: march(9, 1)})
	w.submit(t, leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(1)})
	w.damage(t, "B#b", "T#20260309T000000Z", dynamo.Item{"shards": numberOf("0")})
	hook := w.process(t, &leaderboard.Options{OnCorrupt: func(*plaza.CorruptError) { panic("boom") }})
	for range 2 {
		_, err := hook.Top(t.Context(), in("b"), page1)
		require.ErrorContains(t, err, "boom")
	}
	rule := w.process(t, &leaderboard.Options{Refuse: func(_ context.Context, s leaderboard.Submission, _ leaderboard.Result) error {
		if s.Player == "bob" {
			panic("boom")
		}
		return nil
	}})
	results, err := rule.SubmitMany(t.Context(), []leaderboard.Submission{
		{Board: "b", Player: "ann", Score: leaderboard.Int(2)}, {Board: "b", Player: "bob", Score: leaderboard.Int(2)}, {Board: "b", Player: "bob", Score: leaderboard.Int(3)},
	})
	require.NoError(t, results[0].Err)
	var partial *plaza.PartialError
	require.ErrorAs(t, err, &partial)
	require.Len(t, partial.Errs, 2)
	for i, err := range partial.Errs {
		require.ErrorContains(t, err, "boom")
		require.Equal(t, err, results[i+1].Err)
	}
}

// The repeated submissions would be refused by now.
func TestARepeatGetsItsFirstAnswerAfterARedefinition(t *testing.T) {
	t.Parallel()
	daily := func(b leaderboard.Board) leaderboard.Board { b.Cron, b.Grace = "@daily", time.Hour; return b }
	nothing := func(t *testing.T, w world, b leaderboard.Board) {}
	becomes := func(change func(*leaderboard.Board)) func(*testing.T, world, leaderboard.Board) {
		return func(t *testing.T, w world, b leaderboard.Board) { change(&b); w.define(t, b) }
	}
	closes := func(t *testing.T, w world, _ leaderboard.Board) { w.set(noon.Add(13 * time.Hour)) }
	for name, c := range faults.Sample(3, map[string]struct {
		board    leaderboard.Board
		operator leaderboard.Operator
		version  uint64
		later    func(*testing.T, world, leaderboard.Board)
		refusal  error
	}{
		"best, a minimum":        {leaderboard.Board{}, "", 0, becomes(func(b *leaderboard.Board) { b.Min = ptr(leaderboard.Int(11)) }), plaza.ErrInvalid},
		"best, closed":           {daily(leaderboard.Board{}), "", 0, closes, leaderboard.ErrClosed},
		"set, a maximum":         {every(""), leaderboard.Set, 0, becomes(func(b *leaderboard.Board) { b.Max = ptr(leaderboard.Int(9)) }), plaza.ErrInvalid},
		"version, a maximum":     {every(""), leaderboard.Set, 3, becomes(func(b *leaderboard.Board) { b.Max = ptr(leaderboard.Int(9)) }), plaza.ErrInvalid},
		"increment, a floor":     {every(""), leaderboard.Increment, 0, becomes(func(b *leaderboard.Board) { b.Floor = ptr(leaderboard.Int(50)) }), nil},
		"increment, not allowed": {every(""), leaderboard.Increment, 0, becomes(func(b *leaderboard.Board) { b.Operator, b.Allow = leaderboard.Set, nil }), plaza.ErrInvalid},
		"increment, closed":      {daily(every("")), leaderboard.Increment, 0, closes, leaderboard.ErrClosed},
		"another default":        {every(""), "", 0, becomes(func(b *leaderboard.Board) { b.Operator = leaderboard.Decrement }), nil},
		"a version":              {every(""), leaderboard.Set, 4, nothing, nil},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			c.board.Name = "b"
			w.define(t, c.board)
			s := with(score("b", "ann", 10, 0), c.operator)
			s.Op, s.Version = w.id(), c.version
			first := w.submit(t, s)
			entry := w.entry(t, "ann", "b", first.Period)
			c.later(t, w, c.board)
			require.Equal(t, first, w.repeat(t, s))

			other := s
			if other.Sub = 1; c.version > 0 {
				other.Score, other.Version = leaderboard.Int(11), c.version+1
			}
			w.refuses(t, other, plaza.ErrConflict)
			if c.refusal != nil {
				for _, player := range []string{"ann", "bob"} {
					s.Op, s.Player = w.id(), player
					w.refuses(t, s, c.refusal)
				}
			}
			require.Equal(t, entry, w.entry(t, "ann", "b", first.Period))
			require.Equal(t, 3, w.items(t)-len(w.dueItems(t)), "board, period and entry")
		})
	}
}

func TestABoardOfBestAloneKnowsOnlyTheSubmissionWhoseScoreStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	var all []leaderboard.Submission
	var period string
	for _, n := range []int64{5, 3, 9} {
		s := score("b", "ann", n, 0)
		s.Op = w.id()
		period = w.submit(t, s).Period
		all = append(all, s)
	}
	entry := w.entry(t, "ann", "b", period)
	for i, s := range all {
		res, created, err := w.Submit(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, i != 2, created)
		require.Equal(t, i == 2, res.Improved)
		require.Equal(t, leaderboard.Int(9), res.New)
	}
	require.Equal(t, entry, w.entry(t, "ann", "b", period))
}
