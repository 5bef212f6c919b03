package leaderboard_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

var errBroken = errors.New("broken")

// settled is how long after its end and its Grace a period is due.
const settled = 20 * time.Second

// calls are the periods that were called for.
type calls struct {
	mu  sync.Mutex
	all []leaderboard.Ended
}

func (c *calls) do(_ context.Context, ended leaderboard.Ended) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, ended)
	return nil
}

// names are "board period" for each call.
func (c *calls) names() (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ended := range c.all {
		names = append(names, ended.Board+" "+ended.Period.Name)
	}
	return names
}

// deliver returns how many periods were done.
func (w world) deliver(t testing.TB, do func(context.Context, leaderboard.Ended) error) int {
	t.Helper()
	done, err := w.Deliver(t.Context(), do)
	require.NoError(t, err)
	return done
}

// enter opens the period of a board that contains the present time.
func (w world) enter(t testing.TB, boards ...string) {
	t.Helper()
	for _, board := range boards {
		_, err := w.in(t, board, w.Now())
		require.NoError(t, err)
	}
}

// dueItem is a period that waits for its end, as it is stored.
type dueItem struct {
	SK    string `dynamo:"sk"`
	Lease int64  `dynamo:"lease"`
	Tries int    `dynamo:"tries"`
	Next  int64  `dynamo:"next"`
	TTL   int64  `dynamo:"ttl"`
}

func (w world) dueItems(t testing.TB) (all []dueItem) {
	t.Helper()
	require.NoError(t, w.raw(t).Get("pk", "J#0").Order(dynamo.Ascending).Consistent(true).All(t.Context(), &all))
	return all
}

// shifted returns a process whose clock differs from the world's.
func (w world) shifted(t testing.TB, by time.Duration, wrap ...wrapper) world {
	t.Helper()
	return w.clocked(t, func() time.Time { return w.Now().Add(by) }, wrap...)
}

// clocked returns a process with a clock of its own.
func (w world) clocked(t testing.TB, now func() time.Time, wrap ...wrapper) world {
	t.Helper()
	var err error
	w.Repository, err = leaderboard.New(dynamotest.DB(t, wrap...), w.table, w.clock, &leaderboard.Options{Now: now})
	require.NoError(t, err)
	return w
}

func TestAPeriodThatEndedIsCalledForOnceWithItsFinalStandings(t *testing.T) {
	t.Parallel()
	var delivered []leaderboard.Attempt
	w := newWorld(t, &leaderboard.Options{OnAttempt: func(d leaderboard.Attempt) { delivered = append(delivered, d) }})
	w.define(t, leaderboard.Board{Name: "b#1", Cron: "@daily", Grace: time.Hour, Keep: time.Hour})
	w.define(t, leaderboard.Board{Name: "forever"})
	w.enter(t, "b#1", "forever")
	w.play(t, "b#1", "bob 7", "zoe 5")

	due := march(11, 1).Add(settled)
	require.Equal(t, due.Add(30*24*time.Hour).Unix(), w.dueItems(t)[0].TTL)
	for _, at := range []time.Time{noon, march(11, 0), march(11, 1), due.Add(-time.Millisecond)} {
		w.set(at)
		require.Zero(t, w.deliver(t, func(context.Context, leaderboard.Ended) error { panic("early") }), at)
	}
	w.set(march(11, 1).Add(-time.Nanosecond))
	late := score("b#1", "cat", 9, 0)
	w.submit(t, late) // in the Grace
	w.set(due.Add(time.Second))
	var c calls
	require.Equal(t, 1, w.deliver(t, func(ctx context.Context, ended leaderboard.Ended) error {
		in := leaderboard.In{Board: ended.Board, Period: ended.Period.Name}
		page, err := w.Top(ctx, in, page1)
		require.NoError(t, err)
		require.Equal(t, "cat", page.Items[0].Player)
		n, err := w.Count(ctx, in)
		require.NoError(t, err)
		require.EqualValues(t, 4, n)
		return c.do(ctx, ended)
	}))
	want := leaderboard.Ended{
		Board: "b#1", Key: c.all[0].Key, Attempt: 1,
		Period: leaderboard.Period{Name: "20260310T000000Z", Start: march(10, 0), End: march(11, 0)},
	}
	require.Equal(t, []leaderboard.Ended{want}, c.all)
	require.Equal(t, []leaderboard.Attempt{{Ended: want, Done: true}}, delivered)
	require.Empty(t, w.dueItems(t))
	w.set(w.Now().Add(40 * 24 * time.Hour))
	require.Zero(t, w.deliver(t, c.do))
	require.Len(t, c.all, 1)
}

func TestAWorkerThatWasAwayGetsEveryPeriodInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
	w.define(t, leaderboard.Board{Name: "c", Cron: "@daily"})
	for day := 10; day <= 12; day++ {
		w.set(march(day, 12))
		w.enter(t, "b", "c")
	}
	w.set(march(20, 0))
	var c calls
	require.Equal(t, 6, w.deliver(t, c.do))
	for _, board := range []string{"b ", "c "} {
		own := slices.DeleteFunc(c.names(), func(name string) bool { return !strings.HasPrefix(name, board) })
		require.Equal(t, []string{board + "20260310T000000Z", board + "20260311T000000Z", board + "20260312T000000Z"}, own)
	}
	keys := map[string]bool{}
	for _, ended := range c.all {
		keys[ended.Key] = true
	}
	require.Len(t, keys, 6)
}

func TestManyBoardsThatEndAtOnce(t *testing.T) {
	t.Parallel()
	const atOnce = 4
	w := newWorld(t, &leaderboard.Options{Parallel: atOnce})
	many := faults.Size(250, 8)
	for i := range many {
		name := fmt.Sprint("board ", i)
		w.define(t, leaderboard.Board{Name: name, Cron: "@hourly"})
		w.enter(t, name)
	}
	w.set(noon.Add(2 * time.Hour))
	var c calls
	var running, most atomic.Int64
	full := make(chan struct{})
	require.Equal(t, many, w.deliver(t, func(ctx context.Context, ended leaderboard.Ended) error {
		n := running.Add(1)
		defer running.Add(-1)
		most.Store(max(most.Load(), n))
		if n == atOnce {
			select {
			case <-full:
			default:
				close(full)
			}
		}
		<-full // until several run at once
		return c.do(ctx, ended)
	}))
	require.LessOrEqual(t, most.Load(), int64(atOnce))
	names := c.names()
	slices.Sort(names)
	require.Len(t, slices.Compact(names), many)
}

func TestAPeriodWhoseEntriesExpiredSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily", Grace: time.Hour, Keep: time.Hour})
	for day := 10; day <= 11; day++ {
		w.set(march(day, 12))
		w.enter(t, "b")
	}
	w.set(march(12, 2).Add(-time.Second))
	var expired []bool
	require.Equal(t, 2, w.deliver(t, func(ctx context.Context, ended leaderboard.Ended) error {
		expired = append(expired, ended.Expired)
		page, err := w.Top(ctx, leaderboard.In{Board: "b", Period: ended.Period.Name}, page1)
		if ended.Expired {
			require.ErrorIs(t, err, plaza.ErrNotFound)
			return nil
		}
		require.Len(t, page.Items, 1)
		return err
	}))
	require.Equal(t, []bool{true, false}, expired)
}

func TestEndedPeriodsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	quiet := newWorld(t, nil)
	quiet.define(t, leaderboard.Board{Name: "b", Cron: "@hourly"})
	quiet.enter(t, "b")
	w := quiet.process(t, nil, meter.Wrap)
	type cost = dynamotest.Cost
	idle := func() { require.Zero(t, w.deliver(t, (&calls{}).do)) }
	meter.AtMost(t, "nothing is due", cost{Requests: 1, Read: 0.5}, idle)
	quiet.set(noon.Add(2 * time.Hour))
	meter.AtMost(t, "it fails", cost{Requests: 1 + 4, Read: 0.5 + 2, Write: 2}, func() {
		_, err := w.Deliver(t.Context(), func(context.Context, leaderboard.Ended) error { return errBroken })
		require.ErrorIs(t, err, errBroken)
	})
	meter.AtMost(t, "it waits", cost{Requests: 1, Read: 0.5}, idle)
	quiet.set(noon.Add(3 * time.Hour))
	meter.AtMost(t, "it succeeds", cost{Requests: 1 + 4, Read: 0.5 + 2, Write: 2}, func() {
		require.Equal(t, 1, w.deliver(t, (&calls{}).do))
	})
}

// The worker's machine has other rules for the zone than the one that opened the period.
func TestTheStoredPeriodDecidesWhenItEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily", Zone: "Europe/Berlin"})
	w.enter(t, "b")
	o := new(leaderboard.Options)
	o.SetZones(func(name string) (*time.Location, error) { return time.FixedZone(name, 5*3600), nil })
	other := w.process(t, o)
	end := march(10, 23)
	var c calls
	w.set(end.Add(settled - time.Second))
	require.Zero(t, other.deliver(t, c.do))
	w.set(end.Add(settled + time.Second))
	require.Equal(t, 1, other.deliver(t, c.do))
	require.Equal(t, end, c.all[0].Period.End)
	other.enter(t, "b") // until the next day by its own rules
	w.set(march(11, 19).Add(settled + time.Second))
	require.Equal(t, 1, w.deliver(t, c.do))
	require.Equal(t, []time.Time{march(10, 23), march(11, 19)}, []time.Time{c.all[1].Period.Start, c.all[1].Period.End})
}
