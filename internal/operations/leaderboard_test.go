package operations_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func leaderboardSteps(t *testing.T) []step {
	db, gen := open(t)
	r, err := leaderboard.New(db, table(t, leaderboard.Table, leaderboard.TTL), gen, nil)
	require.NoError(t, err)
	in := leaderboard.In{Board: "points"}
	likes := leaderboard.Board{Name: "likes", Operator: leaderboard.Increment}
	projected := leaderboard.Board{Name: "projected", Operator: leaderboard.Set}
	liked := leaderboard.Submission{Board: "likes", Player: "ann", Score: leaderboard.Int(1), Op: next(t, gen), Guard: true}
	return []step{
		{"Repository.Init", r.Init},
		{"Repository.Verify", r.Verify},
		{"Repository.Define", func(ctx context.Context) error { return failed(r.Define(ctx, leaderboard.Board{Name: "points"})) }},
		{"Repository.Definitions", func(ctx context.Context) error { return failed(r.Definitions(ctx, page)) }},
		{"Repository.Submit", func(ctx context.Context) error {
			return failed(r.Submit(ctx, leaderboard.Submission{Board: "points", Player: "ann", Score: leaderboard.Int(7)}))
		}},
		{"Repository.SubmitMany", func(ctx context.Context) error {
			return r.SubmitMany(ctx, []leaderboard.Submission{{Board: "points", Player: "ben", Score: leaderboard.Int(9)}})[0].Err
		}},
		{"Repository.Periods", func(ctx context.Context) error { return failed(r.Periods(ctx, "points", page)) }},
		{"Repository.Entry", func(ctx context.Context) error { return failed(r.Entry(ctx, in, "ann")) }},
		{"Repository.ByPlayer", func(ctx context.Context) error { return failed(r.ByPlayer(ctx, "ann", page)) }},
		{"Repository.Players", func(ctx context.Context) error { return failed(r.Players(ctx, in, []string{"ann", "ben"})) }},
		{"Repository.Top", func(ctx context.Context) error { return failed(r.Top(ctx, in, page)) }},
		{"Repository.TopPercent", func(ctx context.Context) error { return failed(r.TopPercent(ctx, in, 50, page)) }},
		{"Repository.Range", func(ctx context.Context) error { return failed(r.Range(ctx, in, 1, 2)) }},
		{"Repository.Rank", func(ctx context.Context) error { return failed(r.Rank(ctx, in, "ann")) }},
		{"Repository.Percentile", func(ctx context.Context) error { return failed(r.Percentile(ctx, in, "ann")) }},
		{"Repository.ScoreAt", func(ctx context.Context) error { return failed(r.ScoreAt(ctx, in, 50)) }},
		{"Repository.Around", func(ctx context.Context) error { return failed(r.Around(ctx, in, "ann", 2)) }},
		{"Repository.AroundScore", func(ctx context.Context) error { return failed(r.AroundScore(ctx, in, leaderboard.Int(8), 2)) }},
		{"Repository.Count", func(ctx context.Context) error { return failed(r.Count(ctx, in)) }},
		{"Repository.CountBetween", func(ctx context.Context) error {
			return failed(r.CountBetween(ctx, in, leaderboard.Int(1), leaderboard.Int(9)))
		}},
		{"Repository.Hide", func(ctx context.Context) error { return failed(r.Hide(ctx, in, "ann")) }},
		{"Repository.Hidden", func(ctx context.Context) error { return failed(r.Hidden(ctx, in, page)) }},
		{"Repository.Unhide", func(ctx context.Context) error { return failed(r.Unhide(ctx, in, "ann")) }},
		{"Repository.Remove", func(ctx context.Context) error { return failed(r.Remove(ctx, in, "ann")) }},
		{"Repository.Check", func(ctx context.Context) error { return failed(r.Check(ctx, in)) }},
		{"Repository.Repair", func(ctx context.Context) error { return failed(r.Repair(ctx, in)) }},

		{"Repository.Define", func(ctx context.Context) error { return failed(r.Define(ctx, likes)) }},
		{"Repository.Submit", func(ctx context.Context) error { return failed(r.Submit(ctx, liked)) }},
		{"Repository.Undo", func(ctx context.Context) error { return failed(r.Undo(ctx, liked)) }},
		{"Repository.Define", func(ctx context.Context) error { return failed(r.Define(ctx, projected)) }},
		{"Repository.Apply", func(ctx context.Context) error {
			return failed(r.Apply(ctx, leaderboard.Projection{Board: "projected", Player: "ann", Score: leaderboard.Int(1), Version: 1}))
		}},
		{"Repository.Undefine", func(ctx context.Context) error {
			require.ErrorIs(t, failed(r.Undefine(ctx, "points")), plaza.ErrBusy, "it begins, and ends Options.Refresh later")
			return nil
		}},
		{"Repository.Erase", func(ctx context.Context) error { return r.Erase(ctx, "ann") }},
	}
}
