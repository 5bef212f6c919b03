package leaderboard_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestAProcessSubmitsAfterAnEndByOneWhoseClockIsAhead(t *testing.T) {
	t.Parallel()
	boards := map[string]leaderboard.Board{
		"best":      {Name: "b"},
		"increment": {Name: "b", Operator: leaderboard.Increment},
	}
	for name, b := range boards {
		for _, erase := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				w.define(t, b)
				w.submit(t, score("b", "ann", 5, 0))
				ahead := w
				ahead.clock = &clock{now: noon.Add(9 * time.Second)}
				ahead = ahead.process(t, nil)
				if erase {
					require.NoError(t, ahead.Erase(t.Context(), "ann"))
				} else {
					changed, err := ahead.Remove(t.Context(), leaderboard.In{Board: "b"}, "ann")
					require.NoError(t, err)
					require.True(t, changed)
				}

				own, late := score("b", "ann", 2, 0), score("b", "ann", 3, 0)
				own.Op, late.Op = w.id(), ids.At(noon.Add(-2*time.Second))
				_, _, err := w.Submit(t.Context(), own)
				older := (*plaza.OlderError)(nil)
				require.ErrorAs(t, err, &older)
				require.ErrorIs(t, err, plaza.ErrRemoved)
				_, _, err = w.Submit(t.Context(), late)
				require.ErrorIs(t, err, plaza.ErrRemoved)
				require.NotErrorAs(t, err, &older)

				mine := score("b", "ann", 1, 0)
				got, created, err := w.Submit(t.Context(), mine)
				if erase { // it may be a late repeat
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
