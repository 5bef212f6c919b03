package leaderboard_test

import (
	"context"
	"sync/atomic"
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
	ahead := w
	ahead.clock = &clock{now: noon.Add(9 * time.Second)}
	ahead = ahead.process(t, nil)
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

func TestEraseIsLaterThanWhatAnEntryForgot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	first := score("b", "ann", 100, 0)
	first.Op = ids.At(noon.Add(9 * time.Second))
	w.submit(t, first)
	for range 17 {
		w.submit(t, score("b", "ann", 1, 0))
	}
	require.NoError(t, w.Erase(t.Context(), "ann"))
	_, _, err := w.Submit(t.Context(), first)
	require.ErrorIs(t, err, plaza.ErrRemoved)
}
