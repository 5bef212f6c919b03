package leaderboard_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// above is a board on which zero and less are left out.
func above(operator leaderboard.Operator) leaderboard.Board {
	b := every("b")
	b.Operator, b.Above = operator, ptr(leaderboard.Int(0))
	return b
}

// lists requires that the players stand in this order, and that no read shows the others.
func (w world) lists(t *testing.T, want []string, others ...string) {
	t.Helper()
	w.publish(t)
	require.Equal(t, want, texts(all(t, 2, w.top(in("b")))))
	n, err := w.Count(t.Context(), in("b"))
	require.NoError(t, err)
	require.EqualValues(t, len(want), n)
	for _, player := range others {
		for name, call := range map[string]func() error{
			"Rank":       func() error { _, err := w.Rank(t.Context(), in("b"), player); return err },
			"Percentile": func() error { _, err := w.Percentile(t.Context(), in("b"), player); return err },
			"Around":     func() error { _, err := w.Around(t.Context(), in("b"), player, 3); return err },
			"Entry":      func() error { _, err := w.Entry(t.Context(), in("b"), player); return err },
		} {
			require.ErrorIs(t, call(), plaza.ErrNotFound, "%s of %s", name, player)
		}
		rows, err := w.Players(t.Context(), in("b"), []string{player})
		require.NoError(t, err)
		require.Empty(t, rows)
		require.Empty(t, all(t, 0, w.boardsOf(player)))
	}
	w.isWhole(t, in("b"))
}

func TestALikeThatIsTakenBackLeavesNoEntry(t *testing.T) {
	t.Parallel()
	bothRankings(t, func(t *testing.T, w world) {
		w.define(t, above(leaderboard.Increment))
		first, second := w.like("song"), w.like("song")
		w.submit(t, first)
		w.submit(t, w.like("other"))
		w.submit(t, second)
		w.lists(t, []string{"1/1 song 2", "2/2 other 1"})
		require.True(t, w.retract(t, second))
		require.True(t, w.retract(t, first))
		w.lists(t, []string{"1/1 other 1"}, "song")
		require.False(t, w.retract(t, first))
		third := w.like("song")
		w.submit(t, third)
		w.repeat(t, third)
		w.submit(t, w.like("song"))
		w.lists(t, []string{"1/1 song 2", "2/2 other 1"})
	})
}

// The entry keeps its score while it is left out, by every operator.
func TestAScoreIsKeptWhileItIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		board leaderboard.Board
		next  leaderboard.Submission
		want  int64 // after -3
	}{
		{above(leaderboard.Set), with(score("b", "ann", 4, 2), leaderboard.Increment), 1},
		{above(leaderboard.Set), with(score("b", "ann", 9, 2), leaderboard.Best), 9},
		{above(leaderboard.Set), with(score("b", "ann", -5, 2), leaderboard.Decrement), 2},
	} {
		w := newWorld(t, nil)
		w.define(t, c.board)
		w.play(t, "b", "ann 5")
		w.play(t, "b", "ann -3")
		w.lists(t, []string{}, "ann")
		got := w.submit(t, c.next)
		require.True(t, got.Existed)
		require.Equal(t, leaderboard.Int(-3), got.Old)
		require.Equal(t, leaderboard.Int(c.want), got.New)
		require.Len(t, all(t, 0, w.top(in("b"))), 1)
		w.isWhole(t, in("b"))
	}
}

// On this board the low score is the better one, so the best may be left out.
func TestBestAloneLeavesOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Order: leaderboard.Ascending, Above: ptr(leaderboard.Int(0))})
	w.play(t, "b", "ann 5", "bob 3")
	w.lists(t, []string{"1/1 bob 3", "2/2 ann 5"})
	w.play(t, "b", "ann -1")
	w.play(t, "b", "ann 2")
	w.lists(t, []string{"1/1 bob 3"}, "ann")
}

// hidings are the ways to leave out a score that was read or not.
var hidings = map[string]func(t *testing.T, w world, v int64){
	"by Set":     func(t *testing.T, w world, v int64) { w.submit(t, score("b", "ann", v, 5)) },
	"by Version": func(t *testing.T, w world, v int64) { w.submit(t, w.versioned(v)) },
	"by Apply": func(t *testing.T, w world, v int64) {
		changed, err := w.Apply(t.Context(), leaderboard.Projection{Board: "b", Player: "ann", Score: leaderboard.Int(v), Version: uint64(w.id())})
		require.NoError(t, err)
		require.True(t, changed)
	},
	"retractable": func(t *testing.T, w world, v int64) {
		e := w.entry(t, "ann", "b", forever)
		now, err := leaderboard.ParseScore(e.Score)
		require.NoError(t, err)
		s := w.like("ann")
		s.Score = leaderboard.Int(v - now.Int64())
		w.submit(t, s)
	},
}

func (w world) versioned(v int64) leaderboard.Submission {
	s := score("b", "ann", v, 5)
	s.Version = uint64(w.id())
	return s
}

func TestAHiddenPlayerStaysHiddenWhileLeftOut(t *testing.T) {
	t.Parallel()
	for name, submit := range hidings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.define(t, above(leaderboard.Set))
			w.play(t, "b", "ann 5", "bob 3")
			hiddenAt := func(v string) {
				t.Helper()
				require.Equal(t, []string{"0/0 ann " + v}, texts(all(t, 0, w.hiddenOf(in("b")))))
				require.Equal(t, []string{"1/1 bob 3"}, texts(all(t, 0, w.top(in("b")))))
				w.isWhole(t, in("b"))
			}
			changes(t, w.Hide, "ann", true)
			submit(t, w, -1)
			hiddenAt("-1")
			submit(t, w, 4)
			hiddenAt("4")
			submit(t, w, -2)
			changes(t, w.Unhide, "ann", true)
			w.lists(t, []string{"1/1 bob 3"}, "ann")
			changes(t, w.Unhide, "ann", false)
			changes(t, w.Hide, "ann", true)
			hiddenAt("-2")
			submit(t, w, 6)
			changes(t, w.Unhide, "ann", true)
			w.lists(t, []string{"1/1 ann 6", "2/2 bob 3"})
			submit(t, w, 0)
			changes(t, w.Remove, "ann", true)
			changes(t, w.Remove, "ann", false)
			require.ErrorIs(t, errorOf(w.Hide(t.Context(), in("b"), "ann")), plaza.ErrNotFound)
		})
	}
}

// The score rises between the read and the write of Unhide.
func TestUnhideGoesByTheScoreThatItMeets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, above(leaderboard.Set))
	w.play(t, "b", "ann -1")
	changes(t, w.Hide, "ann", true)
	slow := w.process(t, nil, before("UpdateItem", func() { w.play(t, "b", "ann 7") }))
	changes(t, slow.Unhide, "ann", true)
	w.lists(t, []string{"1/1 ann 7"})
}

// The player is hidden between the read and the write of a submission.
func TestASubmissionThatLeavesOutDoesNotUnhide(t *testing.T) {
	t.Parallel()
	for name, submit := range hidings {
		w := newWorld(t, nil)
		w.define(t, above(leaderboard.Set))
		w.play(t, "b", "ann 5")
		op := "UpdateItem"
		if name == "retractable" {
			op = "TransactWriteItems"
		}
		slow := w.process(t, nil, before(op, func() { changes(t, w.Hide, "ann", true) }))
		submit(t, slow, -1)
		submit(t, w, 8)
		require.Equal(t, []string{"0/0 ann 8"}, texts(all(t, 0, w.hiddenOf(in("b")))), name)
	}
}

func TestAnotherAboveDecidesWithTheNextScoreOrRepair(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	b := above(leaderboard.Set)
	b.Above = nil
	w.define(t, b)
	w.play(t, "b", "ann 5", "bob 0", "cat -1")
	changes(t, w.Hide, "cat", true)
	b.Above = ptr(leaderboard.Int(0))
	w.define(t, b)
	require.Equal(t, []string{"1/1 ann 5", "2/2 bob 0"}, texts(all(t, 0, w.top(in("b")))))
	w.play(t, "b", "ann -1")
	require.Equal(t, []string{"1/1 bob 0"}, texts(all(t, 0, w.top(in("b")))))
	repairs := func() {
		t.Helper()
		drift, err := w.Repair(t.Context(), in("b"))
		require.NoError(t, err)
		require.Equal(t, leaderboard.Drift{Broken: 1}, drift)
	}
	repairs()
	w.lists(t, []string{}, "ann", "bob")
	require.Equal(t, []string{"0/0 cat -1"}, texts(all(t, 0, w.hiddenOf(in("b")))))
	b.Above = ptr(leaderboard.Int(-1))
	w.define(t, b)
	repairs()
	w.lists(t, []string{"1/1 bob 0"}, "ann")
}

func TestLeavingOutCostsNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "..", "leaderboard")
	w := newWorld(t, nil, m.Wrap)
	w.define(t, above(leaderboard.Set))
	w.submit(t, score("b", "opens", 1, 0))
	submits := func(s leaderboard.Submission) func(context.Context) error {
		return func(ctx context.Context) error { _, _, err := w.Submit(ctx, s); return err }
	}
	does := func(call change) func(context.Context) error {
		return func(ctx context.Context) error { return errorOf(call(ctx, in("b"), "ann")) }
	}
	liked := w.like("ann")
	m.Costs(submits(liked), "Repository.Submit", "retractable")
	m.Costs(func(context.Context) error { require.True(t, w.retract(t, liked)); return nil }, "Repository.Retract", "the first time")
	m.Costs(submits(w.versioned(3)), "Repository.Submit", "Set with a Version")
	m.Costs(submits(w.versioned(-3)), "Repository.Submit", "Set with a Version")
	m.Costs(does(w.Hide), "Repository.Hide", "hide", "on a board with Above, more")
	m.Costs(does(w.Unhide), "Repository.Hide", "hide", "on a board with Above, more")
	m.Costs(does(w.Remove), "Repository.Remove", "remove", "on a board with Above, more")
}
