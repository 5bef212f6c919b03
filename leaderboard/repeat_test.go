package leaderboard_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

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
			_, _, err := w.Submit(t.Context(), other)
			require.ErrorIs(t, err, plaza.ErrConflict)
			if c.refusal != nil {
				for _, player := range []string{"ann", "bob"} {
					s.Op, s.Player = w.id(), player
					_, _, err = w.Submit(t.Context(), s)
					require.ErrorIs(t, err, c.refusal)
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

// An increment reads an entry. Before its write, the entry is erased and created again
// with the same revision count.
func TestAnIncrementDoesNotApplyToARecreatedEntry(t *testing.T) {
	t.Parallel()
	sent := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	w.submit(t, score("b", "ann", 5, 0))
	slow := w.process(t, nil, sent.Wrap)
	met := false
	sent.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" && !met {
			met = true
			require.NoError(t, w.Erase(context.Background(), "ann"))
			w.submit(t, score("b", "ann", 100, 0))
		}
		return faults.Fault{}
	})
	late := score("b", "ann", 1, 0)
	late.Op = ids.At(noon.Add(9 * time.Second)) // by a clock that is ahead, so it is later than Erase
	got := slow.submit(t, late)
	require.True(t, met)
	require.Equal(t, leaderboard.Int(101), got.New)
}

// As above, and the first operation is delivered again after Erase.
func TestARecreatedEntryRefusesTheErasedOp(t *testing.T) {
	t.Parallel()
	sent := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	first := score("b", "ann", 5, 0)
	first.Op = w.id()
	w.submit(t, first)
	w.submit(t, score("b", "ann", 3, 0))
	slow := w.process(t, nil, sent.Wrap)
	met := false
	sent.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" && !met {
			met = true
			require.NoError(t, w.Erase(context.Background(), "ann"))
			_, _, err := w.Submit(t.Context(), first)
			require.ErrorIs(t, err, plaza.ErrRemoved)
			w.submit(t, score("b", "ann", 100, 0))
		}
		return faults.Fault{}
	})
	late := score("b", "ann", 1, 0)
	late.Op = ids.At(noon.Add(9 * time.Second))
	require.Equal(t, leaderboard.Int(101), slow.submit(t, late).New)
	require.True(t, met)
}
