package leaderboard_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// All else stays: the place among equals, the time, and the data of the score.
func TestAnEqualScoreRenames(t *testing.T) {
	t.Parallel()
	for name, c := range faults.Sample(3, map[string]struct {
		board   leaderboard.Board
		again   int64 // a score to submit that leaves the score as it is
		version bool
		refuse  bool
	}{
		"best":             {leaderboard.Board{}, 50, false, false},
		"best, with rules": {leaderboard.Board{}, 50, false, true},
		"best of others":   {leaderboard.Board{Allow: []leaderboard.Operator{leaderboard.Set}}, 50, false, false},
		"set":              {leaderboard.Board{Operator: leaderboard.Set}, 50, false, false},
		"increment":        {leaderboard.Board{Operator: leaderboard.Increment}, 0, false, false},
		"version":          {leaderboard.Board{Operator: leaderboard.Set}, 50, true, false},
	}, "version") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := &leaderboard.Options{}
			if c.refuse {
				opts.Refuse = func(context.Context, leaderboard.Submission, leaderboard.Result) error { return nil }
			}
			w := newWorld(t, opts)
			c.board.Name = "b"
			w.define(t, c.board)
			n := uint64(0)
			named := func(v int64, name string) leaderboard.Submission {
				n++
				s := score("b", "ann", v, int(n))
				s.Op, s.Name, s.Meta = w.id(), name, fmt.Appendf(nil, "%d", n)
				if c.version {
					s.Version = n
				}
				return s
			}
			w.submit(t, named(50, "Ann"))
			w.play(t, "b", "bob 50")
			before := w.entry(t, "ann", "b", forever)

			late := named(c.again, "Late")
			rename := named(c.again, "Anna")
			got := w.submit(t, rename)
			require.Equal(t, leaderboard.Result{Op: rename.Op, Period: forever, Existed: true, Old: leaderboard.Int(50), New: leaderboard.Int(50)}, got)
			require.Equal(t, got, w.repeat(t, rename))
			other := rename
			other.Meta = nil
			if !c.version {
				w.refuses(t, other, plaza.ErrConflict)
			}
			w.submit(t, late) // an earlier Op
			w.submit(t, named(c.again, ""))
			after := w.entry(t, "ann", "b", forever)
			require.Equal(t, "Anna", after.Name)
			require.Equal(t, before.Key, after.Key)
			require.Equal(t, before.Meta, after.Meta)
			require.Greater(t, after.Rev, before.Rev)
			rows := all(t, 0, w.top(in("b")))
			require.Equal(t, "Anna", rows[0].Name+rows[1].Name)

			if c.board.Operator == "" {
				w.submit(t, named(49, "Worse"))
				require.Equal(t, "Anna", w.entry(t, "ann", "b", forever).Name, "of a score that does not stand")
				s := named(50, "Sub")
				s.Sub = -1
				w.submit(t, s)
				require.Equal(t, "Anna", w.entry(t, "ann", "b", forever).Name)
			}
			changes(t, w.Remove, "ann", true)
			w.refuses(t, rename, plaza.ErrRemoved)
		})
	}
}

func TestRenamingUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(9) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			sent := faults.New(t, seed, faultMixes[seed%3])
			w := newWorld(t, nil, sent.Wrap)
			board := leaderboard.Board{Name: "b"}
			if seed%2 == 0 {
				board.Operator = leaderboard.Set
			}
			faults.Acknowledged(t, func() error { return errorOf(w.Define(t.Context(), board)) })
			for i := range 7 { // an entry remembers 16 operations
				s := score("b", "ann", 5, i)
				s.Op, s.Name = w.id(), fmt.Sprint("name ", i)
				w.submitUntilDone(t, s)
				require.Equal(t, s.Name, w.entry(t, "ann", "b", forever).Name)
				s.Op -= 1 << 22 // a millisecond before
				s.Name = "late"
				w.submitUntilDone(t, s)
				require.NotEqual(t, s.Name, w.entry(t, "ann", "b", forever).Name)
			}
			require.Equal(t, []string{"ann 5"}, w.standings(t, "b", forever, 1))
		})
	}
}

func TestRefuseSeesNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.play(t, "b", "ann 50")
	refuses := w.process(t, &leaderboard.Options{Refuse: func(_ context.Context, s leaderboard.Submission, r leaderboard.Result) error {
		require.Equal(t, leaderboard.Int(50), r.New)
		return errors.New(s.Name)
	}})
	s := score("b", "ann", 50, 1)
	s.Name = "Rude"
	refuses.refuses(t, s, plaza.ErrForbidden)
	require.Empty(t, w.entry(t, "ann", "b", forever).Name)
}
