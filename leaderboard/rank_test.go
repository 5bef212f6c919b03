package leaderboard_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestFloatsAtPercentiles(t *testing.T) {
	t.Parallel()
	bothRankings(t, func(t *testing.T, w world) {
		inf := math.Inf(1)
		boards := map[string][]float64{
			"float": {-inf, -math.MaxFloat64, math.MaxFloat64, inf, inf},
			"two":   {5, -inf},
			"equal": {0.7, 0.7},
		}
		for board, scores := range boards {
			w.define(t, leaderboard.Board{Name: board, Kind: leaderboard.KindFloat})
			for i, v := range scores {
				w.submit(t, leaderboard.Submission{Board: board, Player: fmt.Sprint(i), Score: leaderboard.Float(v)})
			}
		}
		w.publish(t)
		for _, c := range []struct {
			board            string
			percentile, want float64
		}{
			{"float", 0, -inf}, {"float", 12.5, -inf}, {"float", 25, -math.MaxFloat64},
			{"float", 37.5, 0}, {"float", 75, inf}, {"float", 87.5, inf}, {"two", 100, 5},
			{"equal", 0, 0.7}, {"equal", 5.1, 0.7}, {"equal", 61.2, 0.7}, {"equal", 96.9, 0.7},
		} {
			got, err := w.ScoreAt(t.Context(), in(c.board), c.percentile)
			require.NoError(t, err)
			require.Equal(t, c.want, got, "%s at %v", c.board, c.percentile)
		}
	})
}
