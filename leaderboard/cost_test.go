package leaderboard_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// sixteen is a player's id of 16 bytes.
func sixteen(name string) string { return fmt.Sprintf("%-16s", name) }

func TestOperationsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "..", "leaderboard")
	quiet := newWorld(t, nil)
	w := quiet.process(t, nil, m.Wrap)
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
	named := func(s leaderboard.Submission, name string) func(context.Context) error {
		s.Name = name
		return func(ctx context.Context) error { _, _, err := w.Submit(ctx, s); return err }
	}
	versioned := func(v int64, version uint64, name string) func(context.Context) error {
		s := with(score("sum", sixteen("bob"), v, 0), leaderboard.Set)
		s.Version = version
		return named(s, name)
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
	m.Costs(defines(best), "Repository.Define")
	m.AtMost("define, unchanged", cost{Requests: 1, Read: 1}, defines(best))
	m.Costs(defines(sum), "Repository.Define")
	m.Costs(defines(reset), "Repository.Define")
	m.Costs(ours("best", 10), "Repository.Submit", "a process's first to a board, and each Options.Refresh, more", "the first of a period without an end, more", "Best alone, the first score")
	m.Costs(ours("best", 20), "Repository.Submit", "Best alone, a better score")
	m.Costs(ours("best", 15), "Repository.Submit", "Best alone, no better score")
	m.Costs(named(score("best", sixteen("ann"), 20, 0), "Anna"), "Repository.Submit", "Best alone, a new name beside an equal score")
	m.Costs(submits(quiet.process(t, nil, m.Wrap), "best", 30, ""), "Repository.Submit", "a process's first to a board, and each Options.Refresh, more", "Best alone, a better score")
	m.Costs(known(ours("best", 40)), "Repository.Submit", "a process's first to a board, and each Options.Refresh, more", "Best alone, a better score")
	m.Costs(ours("best", 50), "Repository.Submit", "Best alone, a better score")
	m.Costs(named(score("best", sixteen("cat"), 1, 0), ""), "Repository.Submit", "Best alone, the first score")
	m.Costs(defines(bigger), "Repository.Define")
	m.Costs(ours("best", 60), "Repository.Submit", "a process's first to a board, and each Options.Refresh, more", "the first that knows of more shards, more", "Best alone, a better score")
	m.Costs(ours("best", 70), "Repository.Submit", "Best alone, a better score")

	m.Costs(sums(leaderboard.Set, 10), "Repository.Submit", "a process's first to a board, and each Options.Refresh, more", "the first of a period without an end, more", "any other, the first score")
	m.Costs(sums(leaderboard.Set, 20), "Repository.Submit", "any other")
	m.Costs(sums(leaderboard.Set, 20), "Repository.Submit", "any other, the same score")
	m.Costs(named(with(score("sum", sixteen("ann"), 20, 0), leaderboard.Set), "Anna"), "Repository.Submit", "any other, the same score and a new name")
	m.Costs(sums(leaderboard.Increment, 5), "Repository.Submit", "any other")
	m.Costs(sums(leaderboard.Decrement, 5), "Repository.Submit", "any other")
	m.Costs(sums(leaderboard.Best, 99), "Repository.Submit", "any other")
	m.AtMost("17 more, which fills what an entry remembers", m.Stated.Times(17, "Repository.Submit", "any other"), func(ctx context.Context) error {
		for range 17 {
			if err := sums(leaderboard.Increment, 1)(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	m.Costs(versioned(1, 1, "Bob"), "Repository.Submit", "Set with a Version, the first score")
	m.Costs(versioned(2, 2, "Bob"), "Repository.Submit", "Set with a Version")
	m.Costs(versioned(3, 2, "Bob"), "Repository.Submit", "Set with a Version, outdated")
	m.Costs(versioned(2, 3, "Bob"), "Repository.Submit", "Set with a Version, the same score")
	m.Costs(versioned(2, 4, "Rob"), "Repository.Submit", "Set with a Version, the same score and a new name")
	m.Costs(hourLater(ours("reset", 1)), "Repository.Submit", "a process's first to a board, and each Options.Refresh, more", "a period's first, more", "Best alone, the first score")
	m.AtMost("an unknown board", cost{Requests: 1, Read: 1}, func(ctx context.Context) error {
		_, _, err := w.Submit(ctx, score("nothing", "ann", 1, 0))
		require.Error(t, err)
		return nil
	})
	m.AtMost("definitions", cost{Requests: 1, Read: 1}, func(ctx context.Context) error {
		page, err := w.Definitions(ctx, cursor.PageRequest{})
		require.Len(t, page.Items, 25)
		return err
	})
}

func TestRefuseCostsOneRead(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "..", "leaderboard")
	w := newWorld(t, &leaderboard.Options{Refuse: func(context.Context, leaderboard.Submission, leaderboard.Result) error { return nil }}, m.Wrap)
	w.define(t, leaderboard.Board{Name: "b"})
	w.submit(t, score("b", "ann", 1, 0))
	submits := func(v int64) func(context.Context) error {
		return func(context.Context) error { w.submit(t, score("b", "ann", v, 0)); return nil }
	}
	m.Costs(submits(2), "Repository.Submit", "Best alone, a better score", "with Options.Refuse, where nothing else is read, more")
	m.Costs(submits(1), "Repository.Submit", "with Options.Refuse, Best alone, no better score")
}

// The costs that Submit and Retract state.
func TestGuardedOperationsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "..", "leaderboard")
	quiet := newWorld(t, nil)
	quiet.define(t, likes)
	w := quiet.process(t, nil, m.Wrap)
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
	submits := func(s leaderboard.Submission) func(context.Context) error {
		return func(ctx context.Context) error { _, _, err := w.Submit(ctx, s); return err }
	}
	undoes := func(s leaderboard.Submission, want bool) func(context.Context) error {
		return func(ctx context.Context) error {
			changed, err := w.Retract(ctx, s)
			require.Equal(t, want, changed)
			return err
		}
	}
	m.Costs(submits(liked), "Repository.Submit", "retractable")
	m.Costs(submits(liked), "Repository.Submit", "retractable, a repeat")
	m.Costs(undoes(liked, true), "Repository.Retract", "the first time")
	m.Costs(undoes(liked, false), "Repository.Retract", "a repeat")
	m.Costs(undoes(late, false), "Repository.Retract", "one that comes first")
	m.Costs(func(context.Context) error { w.refuses(t, late, leaderboard.ErrRetracted); return nil }, "Repository.Submit", "retractable, a repeat")
	m.Costs(submits(w.like(sixteen("another"))), "Repository.Submit", "retractable")
	m.Costs(undoes(removed, false), "Repository.Retract", "of what was removed since")

	// All at once: the first of them is under way alone, or with some others.
	want := m.Stated.Times(3, "Repository.Submit", "retractable").Plus(m.Stated.Times(95, "Repository.Submit", "retractable, each further one in the same transaction"))
	m.AtMost("98 at once", want, func(context.Context) error {
		for _, r := range w.submitMany(t, many) {
			require.True(t, r.Changed)
		}
		return nil
	})
}
