package leaderboard_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// sixteen is a player's id of 16 bytes.
func sixteen(name string) string { return fmt.Sprintf("%-16s", name) }

func TestOperationsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	quiet := newWorld(t, nil)
	w := quiet.process(t, nil, meter.Wrap)
	quiet.define(t, leaderboard.Board{Name: "another"})
	another := quiet.rawItems(t)[0]
	var others []any
	for i := range 24 {
		other := maps.Clone(another)
		other["sk"] = textOf(fmt.Sprint("another ", i))
		others = append(others, other)
	}
	quiet.put(t, others...)
	best, sum := leaderboard.Board{Name: "best"}, every("sum")
	reset := leaderboard.Board{Name: "reset", Cron: "@hourly"}

	type cost = dynamotest.Cost
	n := 0
	submits := func(w world, board string, v int64, operator leaderboard.Operator) func(context.Context) error {
		return func(ctx context.Context) error {
			n++
			s := with(score(board, sixteen("ann"), v, n), operator)
			s.Name, s.Meta, s.At = "Ann, who came from far", []byte(`{"replay":"0123456789"}`), time.Time{}
			_, _, err := w.Submit(ctx, s)
			return err
		}
	}
	ours := func(board string, v int64) func(context.Context) error { return submits(w, board, v, "") }
	sums := func(operator leaderboard.Operator, v int64) func(context.Context) error {
		return submits(w, "sum", v, operator)
	}
	version := uint64(0)
	versioned := func(v int64, newer uint64) func(context.Context) error {
		return func(ctx context.Context) error {
			version += newer
			s := with(score("sum", sixteen("bob"), v, 0), leaderboard.Set)
			s.Version, s.Name = version, "Bob"
			_, _, err := w.Submit(ctx, s)
			return err
		}
	}
	defines := func(b leaderboard.Board) func(context.Context) error {
		return func(ctx context.Context) error { return errorOf(w.Define(ctx, b)) }
	}
	known := func(call func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error { w.set(w.Now().Add(31 * time.Second)); return call(ctx) }
	}
	hourLater := func(call func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error { w.set(w.Now().Add(time.Hour)); return call(ctx) }
	}
	bigger := best
	bigger.Shards = 4
	for _, c := range []struct {
		name string
		want cost
		call func(context.Context) error
	}{
		{"define", cost{Requests: 2, Read: 1, Write: 2}, defines(best)},
		{"define, unchanged", cost{Requests: 1, Read: 1}, defines(best)},
		{"define another", cost{Requests: 2, Read: 1, Write: 2}, defines(sum)},
		{"define one with resets", cost{Requests: 2, Read: 1, Write: 2}, defines(reset)},
		{"first submit to a board: read and opened", cost{Requests: 2 + 3 + 1, Read: 2 + 2, Write: 4 + 2}, ours("best", 10)},
		{"submit best, improved", cost{Requests: 1, Write: 3}, ours("best", 20)},
		{"submit best, not improved", cost{Requests: 1, Write: 1}, ours("best", 15)},
		{"submit best, renamed", cost{Requests: 2, Write: 1 + 2}, func(ctx context.Context) error {
			s := score("best", sixteen("ann"), 20, 0)
			s.Name = "Anna"
			_, _, err := w.Submit(ctx, s)
			return err
		}},
		{"submit best of another process", cost{Requests: 3, Read: 2, Write: 3}, submits(quiet.process(t, nil, meter.Wrap), "best", 30, "")},
		{"submit after Refresh", cost{Requests: 3, Read: 2, Write: 3}, known(ours("best", 40))},
		{"submit once more", cost{Requests: 1, Write: 3}, ours("best", 50)},
		{"submit best, first", cost{Requests: 1, Write: 2}, func(ctx context.Context) error {
			_, _, err := w.Submit(ctx, leaderboard.Submission{Board: "best", Player: sixteen("cat"), Score: leaderboard.Int(1)})
			return err
		}},
		{"define more shards", cost{Requests: 2, Read: 1, Write: 2}, defines(bigger)},
		{"submit, which opens them", cost{Requests: 2 + 1 + 1, Read: 2, Write: 1 + 3}, ours("best", 60)},
		{"submit then", cost{Requests: 1, Write: 3}, ours("best", 70)},

		{"first set", cost{Requests: 2 + 3 + 2, Read: 2 + 2 + 1, Write: 4 + 2}, sums(leaderboard.Set, 10)},
		{"set", cost{Requests: 2, Read: 1, Write: 3}, sums(leaderboard.Set, 20)},
		{"set to the same", cost{Requests: 2, Read: 1, Write: 1}, sums(leaderboard.Set, 20)},
		{"set to the same, renamed", cost{Requests: 2, Read: 1, Write: 2}, func(ctx context.Context) error {
			s := with(score("sum", sixteen("ann"), 20, 0), leaderboard.Set)
			s.Name = "Anna"
			_, _, err := w.Submit(ctx, s)
			return err
		}},
		{"increment", cost{Requests: 2, Read: 1, Write: 3}, sums(leaderboard.Increment, 5)},
		{"decrement", cost{Requests: 2, Read: 1, Write: 3}, sums(leaderboard.Decrement, 5)},
		{"best among others", cost{Requests: 2, Read: 1, Write: 3}, sums(leaderboard.Best, 99)},
		{"17 more, which fills what an entry remembers", cost{Requests: 34, Read: 17, Write: 51}, func(ctx context.Context) error {
			for range 17 {
				if err := sums(leaderboard.Increment, 1)(ctx); err != nil {
					return err
				}
			}
			return nil
		}},
		{"first by version", cost{Requests: 1, Write: 2}, versioned(1, 1)},
		{"by version", cost{Requests: 1, Write: 3}, versioned(2, 1)},
		{"by version, stale", cost{Requests: 1, Write: 1}, versioned(3, 0)},
		{"by version, the score the same", cost{Requests: 2, Write: 1 + 1}, versioned(2, 1)},

		{"by version, the score the same, renamed", cost{Requests: 2, Write: 1 + 2}, func(ctx context.Context) error {
			version++
			s := with(score("sum", sixteen("bob"), 2, 0), leaderboard.Set)
			s.Version, s.Name = version, "Rob"
			_, _, err := w.Submit(ctx, s)
			return err
		}},
		{"first submit after a reset", cost{Requests: 2 + 3 + 1, Read: 2 + 2, Write: 6 + 2}, hourLater(ours("reset", 1))},
		{"an unknown board", cost{Requests: 1, Read: 1}, func(ctx context.Context) error {
			_, _, err := w.Submit(ctx, score("nothing", "ann", 1, 0))
			require.Error(t, err)
			return nil
		}},
		{"definitions", cost{Requests: 1, Read: 1}, func(ctx context.Context) error {
			page, err := w.Definitions(ctx, cursor.PageRequest{})
			require.Len(t, page.Items, 25)
			return err
		}},
	} {
		got := meter.AtMost(t, c.name, c.want, func() { require.NoError(t, c.call(t.Context()), c.name) })
		require.NotZero(t, got.Requests, c.name)
		t.Logf("%s: %v", c.name, got)
	}
}

func TestRefuseCostsOneRead(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &leaderboard.Options{Refuse: func(context.Context, leaderboard.Submission, leaderboard.Result) error { return nil }}, meter.Wrap)
	w.define(t, leaderboard.Board{Name: "b"})
	w.submit(t, score("b", "ann", 1, 0))
	meter.AtMost(t, "better", dynamotest.Cost{Requests: 2, Read: 1, Write: 3}, func() { w.submit(t, score("b", "ann", 2, 0)) })
	meter.AtMost(t, "not better", dynamotest.Cost{Requests: 1, Read: 1}, func() { w.submit(t, score("b", "ann", 1, 0)) })
}
