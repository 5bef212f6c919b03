package leaderboard_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
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
	stated := callstest.ReadCosts(t, "..", "leaderboard")
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
		{"define", stated.Of("Repository.Define"), defines(best)},
		{"define, unchanged", cost{Requests: 1, Read: 1}, defines(best)},
		{"define another", stated.Of("Repository.Define"), defines(sum)},
		{"define one with resets", stated.Of("Repository.Define"), defines(reset)},
		{"first submit to a board: read and opened", stated.Of("Repository.Submit", "a process's first to a board, and each Options.Refresh, more", "the first of a period without an end, more", "Best alone, the first score"), ours("best", 10)},
		{"submit best, improved", stated.Of("Repository.Submit", "Best alone, a better score"), ours("best", 20)},
		{"submit best, not improved", stated.Of("Repository.Submit", "Best alone, no better score"), ours("best", 15)},
		{"submit best, renamed", stated.Of("Repository.Submit", "Best alone, a new name beside an equal score"), func(ctx context.Context) error {
			s := score("best", sixteen("ann"), 20, 0)
			s.Name = "Anna"
			_, _, err := w.Submit(ctx, s)
			return err
		}},
		{"submit best of another process", stated.Of("Repository.Submit", "a process's first to a board, and each Options.Refresh, more", "Best alone, a better score"), submits(quiet.process(t, nil, meter.Wrap), "best", 30, "")},
		{"submit after Refresh", stated.Of("Repository.Submit", "a process's first to a board, and each Options.Refresh, more", "Best alone, a better score"), known(ours("best", 40))},
		{"submit once more", stated.Of("Repository.Submit", "Best alone, a better score"), ours("best", 50)},
		{"submit best, first", stated.Of("Repository.Submit", "Best alone, the first score"), func(ctx context.Context) error {
			_, _, err := w.Submit(ctx, leaderboard.Submission{Board: "best", Player: sixteen("cat"), Score: leaderboard.Int(1)})
			return err
		}},
		{"define more shards", stated.Of("Repository.Define"), defines(bigger)},
		{"submit, which opens them", stated.Of("Repository.Submit", "a process's first to a board, and each Options.Refresh, more", "the first that knows of more shards, more", "Best alone, a better score"), ours("best", 60)},
		{"submit then", stated.Of("Repository.Submit", "Best alone, a better score"), ours("best", 70)},

		{"first set", stated.Of("Repository.Submit", "a process's first to a board, and each Options.Refresh, more", "the first of a period without an end, more", "any other, the first score"), sums(leaderboard.Set, 10)},
		{"set", stated.Of("Repository.Submit", "any other"), sums(leaderboard.Set, 20)},
		{"set to the same", stated.Of("Repository.Submit", "any other, the same score"), sums(leaderboard.Set, 20)},
		{"set to the same, renamed", stated.Of("Repository.Submit", "any other, the same score and a new name"), func(ctx context.Context) error {
			s := with(score("sum", sixteen("ann"), 20, 0), leaderboard.Set)
			s.Name = "Anna"
			_, _, err := w.Submit(ctx, s)
			return err
		}},
		{"increment", stated.Of("Repository.Submit", "any other"), sums(leaderboard.Increment, 5)},
		{"decrement", stated.Of("Repository.Submit", "any other"), sums(leaderboard.Decrement, 5)},
		{"best among others", stated.Of("Repository.Submit", "any other"), sums(leaderboard.Best, 99)},
		{"17 more, which fills what an entry remembers", stated.Times(17, "Repository.Submit", "any other"), func(ctx context.Context) error {
			for range 17 {
				if err := sums(leaderboard.Increment, 1)(ctx); err != nil {
					return err
				}
			}
			return nil
		}},
		{"first by version", stated.Of("Repository.Submit", "Set with a Version, the first score"), versioned(1, 1)},
		{"by version", stated.Of("Repository.Submit", "Set with a Version"), versioned(2, 1)},
		{"by version, stale", stated.Of("Repository.Submit", "Set with a Version, outdated"), versioned(3, 0)},
		{"by version, the score the same", stated.Of("Repository.Submit", "Set with a Version, the same score"), versioned(2, 1)},

		{"by version, the score the same, renamed", stated.Of("Repository.Submit", "Set with a Version, the same score and a new name"), func(ctx context.Context) error {
			version++
			s := with(score("sum", sixteen("bob"), 2, 0), leaderboard.Set)
			s.Version, s.Name = version, "Rob"
			_, _, err := w.Submit(ctx, s)
			return err
		}},
		{"first submit after a reset", stated.Of("Repository.Submit", "a process's first to a board, and each Options.Refresh, more", "a period's first, more", "Best alone, the first score"), hourLater(ours("reset", 1))},
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
	stated := callstest.ReadCosts(t, "..", "leaderboard")
	better := stated.Of("Repository.Submit", "Best alone, a better score", "with Options.Refuse, where nothing else is read, more")
	meter.AtMost(t, "better", better, func() { w.submit(t, score("b", "ann", 2, 0)) })
	meter.AtMost(t, "not better", stated.Of("Repository.Submit", "with Options.Refuse, Best alone, no better score"), func() { w.submit(t, score("b", "ann", 1, 0)) })
}

// The costs that Submit and Undo state.
func TestGuardedOperationsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	stated := callstest.ReadCosts(t, "..", "leaderboard")
	meter := dynamotest.NewMeter()
	quiet := newWorld(t, nil)
	quiet.define(t, likes)
	w := quiet.process(t, nil, meter.Wrap)
	song := sixteen("song")
	liked, late := w.like(song), w.like(song)
	many := make([]leaderboard.Submission, 98)
	for i := range many {
		many[i] = w.like(song)
	}
	removed := w.like(sixteen("gone"))
	w.submit(t, w.like(song))
	w.submit(t, removed)
	changes(t, w.Remove, sixteen("gone"), true)
	for _, c := range []struct {
		name string
		want dynamotest.Cost
		call func()
	}{
		{"a like", stated.Of("Repository.Submit", "with a Guard"), func() { w.submit(t, liked) }},
		{"a repeat", stated.Of("Repository.Submit", "with a Guard, a repeat"), func() { w.repeat(t, liked) }},
		{"its undo", stated.Of("Repository.Undo", "undo"), func() { require.True(t, w.undo(t, liked)) }},
		{"a repeated undo", stated.Of("Repository.Undo", "a repeat"), func() { require.False(t, w.undo(t, liked)) }},
		{"an undo that comes first", stated.Of("Repository.Undo", "one that comes first"), func() { require.False(t, w.undo(t, late)) }},
		{"what was undone before", stated.Of("Repository.Submit", "with a Guard, a repeat"), func() {
			w.refuses(t, late, plaza.ErrRemoved)
		}},
		{"the first like of a song", stated.Of("Repository.Submit", "with a Guard"), func() { w.submit(t, w.like(sixteen("another"))) }},
		{"an undo on what was removed", stated.Of("Repository.Undo", "of what was removed since"), func() { require.False(t, w.undo(t, removed)) }},
	} {
		got := meter.AtMost(t, c.name, c.want, c.call)
		require.NotZero(t, got.Requests, c.name)
		t.Logf("%s: %v", c.name, got)
	}

	// All at once: the first of them is under way alone, or with some others.
	want := stated.Times(3, "Repository.Submit", "with a Guard").Plus(stated.Times(95, "Repository.Submit", "with a Guard, each further one in the same transaction"))
	got := meter.AtMost(t, "98 at once", want, func() {
		for _, r := range w.submitMany(t, many) {
			require.True(t, r.Changed)
		}
	})
	t.Logf("98 at once: %v", got)
}
