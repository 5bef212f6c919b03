package digest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// TestEachEventIsInOneDigest has two processes that notify, one with old schedules, and
// two workers, whose clocks differ and who are killed again and again. Meanwhile users
// change their schedules. The Sender fails before and after it has sent.
func TestEachEventIsInOneDigest(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			newTurmoil(t, seed, 40).run(t)
		})
	}
	if faults.Full() {
		t.Run("many", func(t *testing.T) {
			t.Parallel()
			newTurmoil(t, 1000, 600).run(t)
		})
	}
}

// A user's partition and those of the jobs are refused, too.
func TestEachEventOfAHotUserIsInOneDigest(t *testing.T) {
	t.Parallel()
	u := newTurmoil(t, 1, 20)
	u.hot = &faults.Buckets{PerSecond: 600}
	u.run(t)
}

// turmoil is a world in which any request may fail.
type turmoil struct {
	world
	hot     *faults.Buckets // may be nil
	random  *rand.Rand
	killed  int
	events  int
	users   []string
	outcome *moody
}

func newTurmoil(t testing.TB, seed uint64, events int) *turmoil {
	t.Helper()
	w := newWorld(t, hourly)
	random := rand.New(rand.NewPCG(seed, 1))
	var users []string
	for n := range 1 + events/30 {
		users = append(users, fmt.Sprint("user", n))
	}
	return &turmoil{
		world: w, random: random, users: users, events: events,
		outcome: &moody{mailbox: w.mailbox, random: rand.New(rand.NewPCG(seed, 2))},
	}
}

var choices = []digest.Schedule{
	hourly, daily, {Daily: "20:00"}, {Every: 5 * time.Minute}, {Every: 7 * time.Minute}, {Daily: "09:30", Zone: "America/New_York"},
	{Weekly: "08:00", Day: time.Wednesday}, {Every: time.Hour, Quiet: digest.Quiet{From: "22:00", To: "07:30"}},
	{Every: 10 * time.Minute, After: 3 * time.Hour}, {Daily: "08:00", After: 20 * time.Minute},
}

func (u *turmoil) run(t testing.TB) {
	t.Helper()
	rates := faults.Standard
	rates.Conflict, rates.Stale = 0.05, 0.2
	wrap := func() wrapper { return faults.New(t, u.random.Uint64(), rates).Wrap }
	stale := u.stale()
	notifiers := []process{u.process(t, parts{}, u.with(wrap())...), u.process(t, parts{schedule: stale.schedule}, u.with(wrap())...)}
	n := 0
	for !u.enough(n) {
		require.Less(t, n, 1000)
		u.pass(time.Duration(u.random.IntN(15*60*1000)) * time.Millisecond)
		if u.random.IntN(12) == 0 {
			u.choose(u.users[u.random.IntN(len(u.users))], choices[u.random.IntN(len(choices))])
		}
		for range u.random.IntN(5) {
			if u.enough(n) {
				break
			}
			event := u.post(u.users[u.random.IntN(len(u.users))], fmt.Sprint(n))
			faults.Acknowledged(t, func() error {
				return errOf3(notifiers[u.random.IntN(2)].Notify(t.Context(), event))
			})
			n++
		}
		u.work(t, rates)
	}
	u.outcome.settle()
	u.events, u.hot = n, nil
	for range 10 * 24 { // the longest schedule has a week
		if len(u.jobs(t)) == 0 {
			break
		}
		u.pass(time.Hour)
		u.work(t, faults.Rates{})
	}
	require.Empty(t, u.jobs(t))
	require.Positive(t, u.killed)
	known, times := map[string]bool{}, map[string]int{}
	for _, d := range u.all() {
		if known[d.Key] {
			continue
		}
		known[d.Key] = true
		require.False(t, d.More)
		for _, e := range d.Entries {
			times[e.Activity.Object.ID]++
		}
	}
	for n := range u.events {
		require.Equal(t, 1, times[fmt.Sprint(n)], "event %d", n)
	}
	require.Len(t, times, u.events)
}

// enough reports whether n events are, and whether enough requests were throttled.
func (u *turmoil) enough(n int) bool {
	return n >= u.events && (u.hot == nil || u.hot.Throttled() >= 50)
}

func (u *turmoil) with(wrap wrapper) []wrapper {
	if u.hot == nil {
		return []wrapper{wrap}
	}
	return []wrapper{u.hot.Wrap, wrap}
}

// work lets two workers deliver. Each may be killed at one of its writes.
func (u *turmoil) work(t testing.TB, rates faults.Rates) {
	t.Helper()
	var workers sync.WaitGroup
	for n := range 2 {
		in := faults.New(t, u.random.Uint64(), rates)
		if rates != (faults.Rates{}) && u.random.IntN(2) == 0 {
			u.killed++
			in.KillAt(1 + u.random.IntN(6))
		}
		own := func() time.Time { return u.Now().Add(time.Duration(n) * 2 * time.Second) }
		worker := u.process(t, parts{now: own, sender: u.outcome}, u.with(in.Wrap)...).worker
		workers.Go(func() { _, _ = worker.Deliver(t.Context()) })
	}
	workers.Wait()
}

// moody is a Sender that fails now and then, before or after it has sent.
type moody struct {
	*mailbox
	mu     sync.Mutex
	random *rand.Rand
	calm   bool
}

func (m *moody) settle() { m.calm = true }

func (m *moody) Send(ctx context.Context, d digest.Digest) error {
	m.mu.Lock()
	mood := m.random.IntN(10)
	m.mu.Unlock()
	if m.calm {
		mood = 9
	}
	switch mood {
	case 0:
		return errBroken
	case 1:
		panic(errBroken)
	}
	err := m.mailbox.Send(ctx, d)
	if mood == 2 {
		err = errBroken
	}
	return err
}

// outdated are settings that a process read some time ago.
type outdated struct {
	of    *turmoil
	mu    sync.Mutex
	known map[string]digest.Schedule
	until map[string]time.Time
}

func (u *turmoil) stale() *outdated {
	return &outdated{of: u, known: map[string]digest.Schedule{}, until: map[string]time.Time{}}
}

func (o *outdated) schedule(ctx context.Context, user, channel string) (digest.Schedule, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := o.of.Now(); !now.Before(o.until[user]) {
		s, err := o.of.schedule(ctx, user, channel)
		if err != nil {
			return digest.Schedule{}, err
		}
		o.known[user], o.until[user] = s, now.Add(5*time.Hour)
	}
	return o.known[user], nil
}

// A process is killed at each of its writes in turn: of Schedule, of the event, and of the
// delivery. Or its caller gives up at each request, once that was applied. Then the caller
// repeats, and another worker goes on.
func TestAnInterruptedProcessLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	each := faults.Size(1, 4) // by turns
	for name, c := range map[string]struct {
		interrupt func(in *faults.Injector, k int, giveUp func())
		first     int
	}{
		"killed, applied":     {func(in *faults.Injector, k int, _ func()) { in.KillAt(k) }, 1},
		"killed, not applied": {func(in *faults.Injector, k int, _ func()) { in.KillBefore(k) }, each},
		"given up":            {(*faults.Injector).HangAt, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := c.first // the first request at which no run was interrupted
			for k := next; k == next; k += each {
				w := newWorld(t, hourly)
				in := faults.New(t, uint64(k), faults.Rates{})
				ctx, giveUp := context.WithCancel(t.Context())
				c.interrupt(in, k, giveUp)
				first, heir := w.process(t, parts{}, in.Wrap), w.process(t, parts{})
				event := w.post("ann", "1")
				_, _, err := first.Notify(ctx, event)
				w.choose("", digest.Schedule{Daily: "13:05"})
				w.pass(time.Hour + time.Minute)
				if err == nil {
					_, err = first.worker.Deliver(ctx) // moves it
				}
				w.pass(5 * time.Minute)
				if err == nil {
					_, err = first.worker.Deliver(ctx)
				}
				if err != nil {
					require.True(t, errors.Is(err, faults.ErrKilled) || ctx.Err() != nil, err)
					next += each
				}
				giveUp()
				require.NoError(t, errOf3(heir.Notify(t.Context(), event))) // as a caller without an answer does
				heir.notify(t, "2")
				for range 3 {
					w.pass(31 * time.Second)
					heir.deliver(t)
					w.pass(13 * time.Hour)
				}
				require.Empty(t, w.jobs(t))
				all := strings.ReplaceAll(w.objects(t), ",", "")
				require.Contains(t, []string{"1 2", "2 1"}, all, "interrupted at %d", k)
			}
			require.Greater(t, next, 7, "shards, job, event, the moved job, its end, mark, end")
		})
	}
}

// The answer to the write of a mark is lost, and the SDK sends it again.
func TestALeaseThatIsSentTwiceIsOnesOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	in, lost := faults.New(t, 1, faults.Rates{}), false
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op != "PutItem" || lost {
			return faults.Fault{}
		}
		lost = true
		return faults.Fault{Kind: faults.LostAfter}
	})
	w.process(t, parts{}).notify(t, "1")
	w.pass(time.Hour + time.Minute)
	require.Equal(t, 1, w.process(t, parts{}, in.Wrap).deliver(t))
	require.True(t, lost)
	require.Len(t, w.all(), 1)
}

// A worker whose clock is an hour ahead dies while it sends.
func TestALeaseOfAClockThatIsFarAheadHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	in := faults.New(t, 1, faults.Rates{})
	in.KillAt(1)
	dying := w.process(t, parts{now: func() time.Time { return w.Now().Add(time.Hour) }}, in.Wrap)
	w.process(t, parts{}).notify(t, "1")
	w.pass(time.Hour + time.Minute)
	_, err := dying.worker.Deliver(t.Context())
	require.ErrorIs(t, err, faults.ErrKilled)
	require.Equal(t, 1, w.process(t, parts{}).deliver(t))
}
