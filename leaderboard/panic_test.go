package leaderboard_test

import (
	"context"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/leaderboard"
)

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
