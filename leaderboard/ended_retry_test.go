package leaderboard_test

import (
	"context"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestAFailureIsTriedAgainWithTheSameKeyAfterLongerAndLongerWaits(t *testing.T) {
	t.Parallel()
	var delivered []leaderboard.Attempt
	w := newWorld(t, &leaderboard.Options{OnAttempt: func(d leaderboard.Attempt) { delivered = append(delivered, d) }})
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
	w.enter(t, "b")
	w.set(march(12, 0))
	var c calls
	var at []time.Time
	tries := faults.Size(10, 9) // the last waits for an hour
	for n := range tries {
		done, err := w.Deliver(t.Context(), func(ctx context.Context, ended leaderboard.Ended) error {
			at = append(at, w.Now())
			_ = c.do(ctx, ended)
			if n%2 == 1 {
				panic(errBroken)
			}
			return errBroken
		})
		require.Error(t, err)
		require.Zero(t, done)
		due := w.dueItems(t)
		require.Len(t, due, 1)
		require.Equal(t, n+1, due[0].Tries)
		w.set(time.UnixMilli(due[0].Next - 1))
		require.Zero(t, w.deliver(t, c.do), "it is too early")
		w.set(time.UnixMilli(due[0].Next))
	}
	for n, ended := range c.all {
		require.Equal(t, c.all[0].Key, ended.Key)
		require.Equal(t, n+1, ended.Attempt)
		require.Equal(t, ended, delivered[n].Ended)
		require.Error(t, delivered[n].Err)
		require.False(t, delivered[n].Done)
		if n > 0 {
			require.Equal(t, min(30*time.Second<<(n-1), time.Hour), at[n].Sub(at[n-1]))
		}
	}
	require.Len(t, c.all, tries)
	require.Equal(t, 1, w.deliver(t, c.do))
	require.Empty(t, w.dueItems(t))
}

func TestAFailureDelaysNoOtherPeriod(t *testing.T) {
	t.Parallel()
	for name, fail := range faults.Sample(2, map[string]func() error{
		"an error":                  func() error { return errBroken },
		"a panic":                   func() error { panic(errBroken) },
		"an error of another table": func() error { return plaza.ErrTable },
	}) {
		w := newWorld(t, nil)
		for _, board := range []string{"a", "b", "c"} {
			w.define(t, leaderboard.Board{Name: board, Cron: "@daily"})
		}
		w.enter(t, "a", "b", "c")
		w.set(march(11, 12))
		w.enter(t, "b")
		w.set(march(13, 0))
		var c calls
		done, err := w.Deliver(t.Context(), func(ctx context.Context, ended leaderboard.Ended) error {
			if ended.Board == "b" && ended.Period.Start.Equal(march(10, 0)) {
				return fail()
			}
			return c.do(ctx, ended)
		})
		require.Error(t, err, name)
		require.Equal(t, 3, done, name)
		require.Contains(t, c.names(), "b 20260311T000000Z", "not even of its board")
		w.set(w.Now().Add(31 * time.Second))
		require.Equal(t, 1, w.deliver(t, c.do), name)
		require.Len(t, c.all, 4, name)
	}
}

// A worker that read a period, and then was busy with others, sees what another
// worker did with it meanwhile.
func TestAWorkerThatWasBusyDoesNotRepeatAFailureEarly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, board := range []string{"a", "b"} {
		w.define(t, leaderboard.Board{Name: board, Cron: "@daily"})
	}
	w.enter(t, "a", "b")
	w.set(march(12, 0))
	busy := w
	var err error
	busy.Repository, err = leaderboard.New(dynamotest.DB(t), w.table, w.clock, &leaderboard.Options{Now: w.Now, Parallel: 1})
	require.NoError(t, err)

	var c calls
	done, err := busy.Deliver(t.Context(), func(ctx context.Context, ended leaderboard.Ended) error {
		if ended.Board != "a" {
			return c.do(ctx, ended)
		}
		_, err := w.Deliver(ctx, func(ctx context.Context, ended leaderboard.Ended) error {
			require.Equal(t, "b", ended.Board)
			_ = c.do(ctx, ended)
			return errBroken
		})
		require.ErrorIs(t, err, errBroken)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 1, done)
	require.Len(t, c.all, 1, "b is called for again after 30 s")
	require.Equal(t, 1, w.dueItems(t)[0].Tries)

	w.set(w.Now().Add(31 * time.Second))
	require.Equal(t, 1, w.deliver(t, c.do), "nobody has it")
	require.Equal(t, 2, c.all[1].Attempt)
}

func TestAPanicOfOnAttemptIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &leaderboard.Options{OnAttempt: func(leaderboard.Attempt) { panic(errBroken) }})
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
	w.enter(t, "b")
	w.set(march(12, 0))
	done, err := w.Deliver(t.Context(), (&calls{}).do)
	require.Error(t, err)
	require.Equal(t, 1, done)
	require.Empty(t, w.dueItems(t))
}

// The time of the next attempt comes from a clock that was a year ahead.
func TestAClockThatWasFarAheadDelaysNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
	w.enter(t, "b")
	ahead := w.shifted(t, 365*24*time.Hour)
	_, err := ahead.Deliver(t.Context(), func(context.Context, leaderboard.Ended) error { return errBroken })
	require.ErrorIs(t, err, errBroken)
	w.set(march(12, 0))
	require.Equal(t, 1, w.deliver(t, (&calls{}).do))
}

func TestADamagedDueItemStaysAndHoldsUpNothing(t *testing.T) {
	t.Parallel()
	for name, damage := range faults.Sample(2, map[string]dynamo.Item{
		"no ver":         {"ver": nil},
		"a ver of text":  {"ver": textOf("x")},
		"negative tries": {"tries": numberOf("-1")},
		"negative next":  {"next": numberOf("-1")},
		"another lease":  {"lease": textOf("x")},
	}) {
		var reported []string
		w := newWorld(t, &leaderboard.Options{OnCorrupt: func(e *plaza.CorruptError) { reported = append(reported, e.SK) }})
		w.define(t, leaderboard.Board{Name: "a", Cron: "@daily"})
		w.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
		w.enter(t, "a", "b")
		sk := w.dueItems(t)[0].SK
		w.damage(t, "J#0", sk, damage)
		require.NoError(t, w.raw(t).Put(map[string]any{"pk": "J#0", "sk": "20260311T000110Z#b", "ver": 1}).Run(t.Context()))
		w.set(march(12, 0))
		var c calls
		require.Equal(t, 1, w.deliver(t, c.do), name)
		require.Equal(t, []string{"b 20260310T000000Z"}, c.names(), name)
		require.ElementsMatch(t, []string{sk, "20260311T000110Z#b"}, reported, name)
		w.enter(t, "a")
		require.NoError(t, errorOf(w.Define(t.Context(), leaderboard.Board{Name: "a", Cron: "@daily", Grace: 1})))
	}
}

// Repair takes the Grace from the definition.
func TestARepairedPeriodEndsWhenItNowDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily", Grace: time.Hour})
	w.enter(t, "b")
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily", Grace: 5 * time.Hour})
	w.damage(t, "B#b", "T#20260310T000000Z", dynamo.Item{"grace": textOf("x")})
	w.set(march(11, 1).Add(settled + time.Second))
	var c calls
	_, err := w.Deliver(t.Context(), c.do)
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	_, err = w.Repair(t.Context(), leaderboard.In{Board: "b", Period: "20260310T000000Z"})
	require.NoError(t, err)
	for w.Now().Before(march(11, 5).Add(settled)) {
		require.Zero(t, w.deliver(t, c.do))
		require.Empty(t, c.names(), "it accepts submissions")
		w.set(w.Now().Add(20 * time.Minute))
	}
	require.Equal(t, 1, w.deliver(t, c.do))
	require.Equal(t, 2, c.all[0].Attempt)
}

func TestABoardThatWasUndefinedEndsNoPeriods(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	others := []string{"a", "b#c", "bb"}
	for _, board := range append(others, "b") {
		w.define(t, leaderboard.Board{Name: board, Cron: "@daily"})
		w.enter(t, board)
	}
	w.set(march(11, 12))
	w.enter(t, "b")
	require.ErrorIs(t, errorOf(w.Undefine(t.Context(), "b")), plaza.ErrBusy)
	var c calls
	require.Equal(t, len(others), w.deliver(t, c.do))
	require.Empty(t, w.dueItems(t))

	// Defined again, it has the same period again, and that ends.
	w.set(w.Now().Add(2 * time.Minute))
	require.NoError(t, errorOf(w.Undefine(t.Context(), "b")))
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
	w.enter(t, "b")
	w.set(march(12, 12))
	require.Equal(t, 1, w.deliver(t, c.do))
	require.Contains(t, c.names(), "b 20260311T000000Z")
}

// The board is undefined while a worker takes its period, perhaps by a process that dies
// when the board is marked.
func TestUndefineMeetsAWorker(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"UpdateItem", "GetItem"} {
		for _, dies := range []bool{false, true} {
			quiet := newWorld(t, nil)
			quiet.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
			quiet.enter(t, "b")
			quiet.set(march(12, 0))
			killed, want := faults.New(t, 1, faults.Rates{}), plaza.ErrBusy
			if dies {
				killed.KillAt(1)
				want = faults.ErrKilled
			}
			undefiner := quiet.process(t, nil, killed.Wrap)
			worker := quiet.process(t, nil, before(op, func() {
				require.ErrorIs(t, errorOf(undefiner.Undefine(t.Context(), "b")), want)
			}))
			_, err := worker.Deliver(t.Context(), func(context.Context, leaderboard.Ended) error { panic("called") })
			require.NoError(t, err, op)
			require.Empty(t, quiet.dueItems(t), op)
		}
	}
}

// The board is undefined and defined again while a worker that is frozen has its period.
func TestAFrozenWorkerEndsNoPeriodOfANewBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	board := leaderboard.Board{Name: "b", Cron: "@daily", Grace: time.Hour}
	w.define(t, board)
	w.enter(t, "b")
	old := w.shifted(t, 24*time.Hour) // so that the period is still open for others
	var c calls
	old.deliver(t, func(ctx context.Context, ended leaderboard.Ended) error {
		w.undefine(t, "b")
		w.define(t, board)
		w.enter(t, "b")
		return c.do(ctx, ended)
	})
	require.Len(t, w.dueItems(t), 1)
	w.set(march(12, 0))
	require.Equal(t, 1, w.deliver(t, c.do))
	require.Len(t, c.all, 2)
	require.Equal(t, c.all[0].Period, c.all[1].Period)
	require.NotEqual(t, c.all[0].Key, c.all[1].Key)
}
