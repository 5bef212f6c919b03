package leaderboard_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// Nothing can be worse.
func TestThePercentileOfTheLeastScore(t *testing.T) {
	t.Parallel()
	bothRankings(t, func(t *testing.T, w world) {
		w.define(t, leaderboard.Board{Name: "least", Order: leaderboard.Descending})
		least := score("least", "ann", math.MinInt64, 0)
		least.Sub = math.MinInt64
		w.submit(t, least)
		w.publish(t)
		got, err := w.Percentile(t.Context(), in("least"), "ann")
		require.NoError(t, err)
		require.Zero(t, got)
	})
}

func TestScoresAtPercentiles(t *testing.T) {
	t.Parallel()
	bothRankings(t, func(t *testing.T, w world) {
		w.define(t, leaderboard.Board{Name: "5", Shards: 2})
		w.many(t, "5", 5)
		w.define(t, leaderboard.Board{Name: "low wins", Order: leaderboard.Ascending})
		w.many(t, "low wins", 5)
		w.define(t, leaderboard.Board{Name: "1"})
		w.many(t, "1", 1)
		w.define(t, leaderboard.Board{Name: "0"})
		w.define(t, leaderboard.Board{Name: "float", Kind: leaderboard.KindFloat})
		for i, v := range []float64{math.Inf(-1), -math.MaxFloat64, math.MaxFloat64, math.Inf(1), math.Inf(1)} {
			w.submit(t, leaderboard.Submission{Board: "float", Player: fmt.Sprint(i), Score: leaderboard.Float(v)})
		}
		w.publish(t)
		for _, c := range []struct {
			board            string
			percentile, want float64
		}{
			{"5", 0, 1}, {"5", 10, 1.4}, {"5", 25, 2}, {"5", 50, 3}, {"5", 62.5, 3.5}, {"5", 87.5, 4.5}, {"5", 100, 5},
			{"low wins", 0, 5}, {"low wins", 87.5, 1.5}, {"low wins", 100, 1},
			{"1", 0, 1}, {"1", 33, 1}, {"1", 100, 1},
			{"float", 0, math.Inf(-1)}, {"float", 12.5, math.Inf(-1)}, {"float", 25, -math.MaxFloat64},
			{"float", 37.5, 0}, {"float", 75, math.Inf(1)}, {"float", 87.5, math.Inf(1)},
		} {
			got, err := w.ScoreAt(t.Context(), in(c.board), c.percentile)
			require.NoError(t, err)
			if got != c.want { // the difference of infinities is NaN
				require.InDelta(t, c.want, got, 1e-12, "%s at %v", c.board, c.percentile)
				require.False(t, math.IsNaN(got-c.want), "%s at %v", c.board, c.percentile)
			}
		}
		w.define(t, leaderboard.Board{Name: "two", Kind: leaderboard.KindFloat})
		w.define(t, leaderboard.Board{Name: "equal", Kind: leaderboard.KindFloat})
		for i, v := range []float64{5, math.Inf(-1)} {
			w.submit(t, leaderboard.Submission{Board: "two", Player: fmt.Sprint(i), Score: leaderboard.Float(v)})
			w.submit(t, leaderboard.Submission{Board: "equal", Player: fmt.Sprint(i), Score: leaderboard.Float(0.7)})
		}
		w.publish(t)
		best, err := w.ScoreAt(t.Context(), in("two"), 100)
		require.NoError(t, err)
		require.Equal(t, 5.0, best)
		for i := range faults.Size(20, 5) {
			same, err := w.ScoreAt(t.Context(), in("equal"), float64(i)*5.1)
			require.NoError(t, err)
			require.Equal(t, 0.7, same)
		}
		_, err = w.ScoreAt(t.Context(), in("0"), 50)
		require.ErrorIs(t, err, plaza.ErrNotFound)
	})
}

func TestCountsBetweenScores(t *testing.T) {
	t.Parallel()
	bothRankings(t, func(t *testing.T, w world) {
		for _, order := range faults.Some(1, leaderboard.Ascending, leaderboard.Descending) {
			b := leaderboard.Board{Name: "of " + string(order), Order: order, Shards: 3}
			w.define(t, b)
			w.play(t, b.Name, "a -5", "b 0 -9", "c 0", "d 0 9", "e 7", "f 9")
			w.submit(t, score(b.Name, "g", math.MaxInt64, 0))
			w.submit(t, score(b.Name, "h", math.MinInt64, 0))
			w.publish(t)
			n, err := w.Count(t.Context(), in(b.Name))
			require.NoError(t, err)
			require.Equal(t, int64(8), n)
			for _, c := range []struct{ low, high, want int64 }{
				{0, 0, 3}, {-5, 0, 4}, {-4, -1, 0}, {1, 8, 1}, {7, 9, 2}, {-5, 9, 6},
				{math.MinInt64, math.MaxInt64, 8}, {math.MinInt64, math.MinInt64, 1}, {math.MaxInt64, math.MaxInt64, 1}, {10, math.MaxInt64, 1},
			} {
				n, err := w.CountBetween(t.Context(), in(b.Name), leaderboard.Int(c.low), leaderboard.Int(c.high))
				require.NoError(t, err)
				require.Equal(t, c.want, n, "%s: %d to %d", b.Name, c.low, c.high)
			}
		}
	})
}
