package leaderboard_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// reads returns every call that reads standings.
func (w world) reads(t *testing.T, in leaderboard.In, player string) map[string]func() error {
	ctx := t.Context()
	return map[string]func() error{
		"Top":          func() error { _, err := w.Top(ctx, in, cursor.PageRequest{}); return err },
		"TopPercent":   func() error { _, err := w.TopPercent(ctx, in, 1, cursor.PageRequest{}); return err },
		"Range":        func() error { _, err := w.Range(ctx, in, 1, 1); return err },
		"AroundScore":  func() error { _, err := w.AroundScore(ctx, in, leaderboard.Int(1), 1); return err },
		"ScoreAt":      func() error { _, err := w.ScoreAt(ctx, in, 50); return err },
		"Count":        func() error { _, err := w.Count(ctx, in); return err },
		"CountBetween": func() error { _, err := w.CountBetween(ctx, in, leaderboard.Int(1), leaderboard.Int(2)); return err },
		"Hidden":       func() error { _, err := w.Hidden(ctx, in, cursor.PageRequest{}); return err },
		"Check":        func() error { _, err := w.Check(ctx, in); return err },
		"Repair":       func() error { _, err := w.Repair(ctx, in); return err },
		"Around":       func() error { _, err := w.Around(ctx, in, player, 1); return err },
		"Players":      func() error { _, err := w.Players(ctx, in, []string{player}); return err },
		"Rank":         func() error { _, err := w.Rank(ctx, in, player); return err },
		"Percentile":   func() error { _, err := w.Percentile(ctx, in, player); return err },
		"Remove":       func() error { _, err := w.Remove(ctx, in, player); return err },
		"Hide":         func() error { _, err := w.Hide(ctx, in, player); return err },
		"Unhide":       func() error { _, err := w.Unhide(ctx, in, player); return err },
	}
}

func TestInvalidReadsSendNoRequest(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	ctx := t.Context()
	calls := map[string]func() (string, error){}
	for period, field := range map[string]string{
		"2026": "Period", "20260310T000000": "Period", "20260310T000000.5Z": "Period", "20261310T000000Z": "Period", "a#b": "Period",
	} {
		for name, call := range w.reads(t, leaderboard.In{Board: "b", Period: period}, "ann") {
			calls[name+" in "+period] = func() (string, error) { return field, call() }
		}
	}
	for _, board := range []string{"", long, broken} {
		for name, call := range w.reads(t, in(board), "ann") {
			calls[fmt.Sprintf("%s of %q", name, board)] = func() (string, error) { return "Board", call() }
		}
		calls[fmt.Sprintf("Periods of %q", board)] = func() (string, error) {
			_, err := w.Periods(ctx, board, cursor.PageRequest{})
			return "Board", err
		}
	}
	for _, player := range []string{"", long, broken} {
		reads := w.reads(t, in("b"), player)
		for _, name := range []string{"Around", "Rank", "Percentile", "Remove", "Hide", "Unhide"} {
			calls[fmt.Sprintf("%s, player %q", name, player)] = func() (string, error) { return "Player", reads[name]() }
		}
		calls[fmt.Sprintf("Players, player %q", player)] = func() (string, error) { return "ids[0]", reads["Players"]() }
		calls[fmt.Sprintf("Boards of %q", player)] = func() (string, error) {
			_, err := w.ByPlayer(ctx, player, cursor.PageRequest{})
			return "Player", err
		}
		calls[fmt.Sprintf("Erase %q", player)] = func() (string, error) { return "Player", w.Erase(ctx, player) }
	}
	for _, n := range []int{-1, math.MinInt} {
		calls[fmt.Sprint("around ", n)] = func() (string, error) { _, err := w.Around(ctx, in("b"), "ann", n); return "n", err }
		calls[fmt.Sprint("around a score ", n)] = func() (string, error) {
			_, err := w.AroundScore(ctx, in("b"), leaderboard.Int(1), n)
			return "n", err
		}
		calls[fmt.Sprint("range of ", n)] = func() (string, error) { _, err := w.Range(ctx, in("b"), 1, n); return "n", err }
		calls[fmt.Sprint("range from ", n)] = func() (string, error) {
			_, err := w.Range(ctx, in("b"), int64(n), 1)
			return "from", err
		}
		req := cursor.PageRequest{Limit: n}
		for name, list := range map[string]func() error{
			"Top":        func() error { _, err := w.Top(ctx, in("b"), req); return err },
			"TopPercent": func() error { _, err := w.TopPercent(ctx, in("b"), 1, req); return err },
			"Hidden":     func() error { _, err := w.Hidden(ctx, in("b"), req); return err },
			"Boards":     func() error { _, err := w.ByPlayer(ctx, "ann", req); return err },
			"Periods":    func() error { _, err := w.Periods(ctx, "b", req); return err },
		} {
			calls[fmt.Sprint(name, " in pages of ", n)] = func() (string, error) { return "Limit", list() }
		}
	}
	calls["range from 0"] = func() (string, error) { _, err := w.Range(ctx, in("b"), 0, 1); return "from", err }
	for _, percent := range []float64{0, -1, 101, math.Nextafter(100, 101), math.NaN(), math.Inf(1), math.Inf(-1)} {
		calls[fmt.Sprint("top percent ", percent)] = func() (string, error) {
			_, err := w.TopPercent(ctx, in("b"), percent, cursor.PageRequest{})
			return "percent", err
		}
		if percent != 0 {
			calls[fmt.Sprint("score at ", percent)] = func() (string, error) {
				_, err := w.ScoreAt(ctx, in("b"), percent)
				return "percentile", err
			}
		}
	}
	ids := make([]string, 101)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	calls["101 players"] = func() (string, error) { _, err := w.Players(ctx, in("b"), ids); return "ids", err }
	calls["count from above"] = func() (string, error) {
		_, err := w.CountBetween(ctx, in("b"), leaderboard.Int(2), leaderboard.Int(1))
		return "low", err
	}

	meter.Take()
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			field, err := call()
			requireInvalid(t, field, err)
			require.Zero(t, meter.Take(), "requests were sent")
		})
	}
}

func TestScoresThatTheBoardCannotHaveAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "int"})
	w.define(t, leaderboard.Board{Name: "float", Kind: leaderboard.KindFloat})
	whole, nan := leaderboard.Int(1), leaderboard.Float(math.NaN())
	for _, c := range []struct {
		board     string
		score, ok leaderboard.Score
	}{
		{"int", leaderboard.Float(1), whole},
		{"int", nan, whole},
		{"float", whole, leaderboard.Float(1)},
		{"float", nan, leaderboard.Float(math.Inf(-1))},
	} {
		_, err := w.AroundScore(t.Context(), in(c.board), c.score, 1)
		requireInvalid(t, "score", err)
		_, err = w.CountBetween(t.Context(), in(c.board), c.score, c.score)
		requireInvalid(t, "low", err)
		_, err = w.CountBetween(t.Context(), in(c.board), c.ok, c.score)
		require.ErrorIs(t, err, plaza.ErrInvalid)
	}
}

func TestUnknownBoardsAndPeriodsAreNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.play(t, "b", "ann 1")
	before := w.items(t)
	for _, in := range []leaderboard.In{{Board: "unknown"}, {Board: "b", Period: "20260310T000000Z"}, {Board: "unknown", Period: forever}} {
		for name, call := range w.reads(t, in, "ann") {
			require.ErrorIs(t, call(), plaza.ErrNotFound, "%s of %v", name, in)
		}
	}
	require.Equal(t, before, w.items(t))
}
