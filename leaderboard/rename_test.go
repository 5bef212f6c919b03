package leaderboard_test

import (
	"context"
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
			better := named(60, "")
			better.Meta = nil
			w.submit(t, better)
			after = w.entry(t, "ann", "b", forever)
			require.Equal(t, "Anna", after.Name, "it stays")
			require.Empty(t, after.Meta, "it belongs to a score")
			changes(t, w.Remove, "ann", true)
			w.refuses(t, rename, plaza.ErrRemoved)
		})
	}
}
