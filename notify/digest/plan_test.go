package digest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify/digest"
)

func TestCallsCostWhatIsStated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	meter := dynamotest.NewMeter()
	p := w.process(t, parts{}, meter.Wrap)
	stated := callstest.ReadCosts(t, "../..", "notify/digest")
	costs := func(want dynamotest.Cost, call func() error) {
		t.Helper()
		meter.AtMost(t, "call", want, func() { require.NoError(t, call()) })
	}
	due := func(user string, channels ...string) func() error {
		return func() error { return p.due(t.Context(), user, channels, w.id()) }
	}
	deliver := func() error { return errOf(p.worker.Deliver(t.Context())) }
	another, idle := stated.Of("Repository.Schedule", "a slot that is new to the process"), stated.Of("Worker.Deliver", "nothing to do")
	known := stated.Of("Repository.Schedule", "a slot that it knows")

	costs(another.Plus(stated.Of("Repository.Schedule", "a process's first")), due("ann", email))
	costs(another, due("bob", email))
	costs(another.Plus(another), due("chris", email, "push"))
	costs(known, due("ann", email))
	w.pass(time.Minute)
	costs(known, due("ann", email))
	other := w.process(t, parts{opts: digest.Options{JobShards: 2}}, meter.Wrap)
	for n := range 10 {
		long := fmt.Sprintf("%0255d%d", 0, n)
		require.NoError(t, other.due(t.Context(), long, []string{long}, w.id()))
	}
	costs(another, func() error { return other.due(t.Context(), "ann", []string{email}, w.id()) })
	idle = idle.Plus(stated.Of("Worker.Deliver", "each further 100 digests, and each further job shard"))
	costs(idle, deliver)

	w.pass(time.Hour)
	fourteen := idle.Plus(stated.Of("Worker.Deliver", "each further 4 KB of planned digests"))
	for range 4 + 10 {
		fourteen = fourteen.Plus(stated.Of("Worker.Deliver", "a digest"))
	}
	costs(fourteen, deliver)
	for n := range 6 {
		p.notify(t, fmt.Sprint(n))
	}
	w.pass(time.Hour)
	costs(idle.Plus(stated.Of("Worker.Deliver", "a digest", "each further 4 KB of entries")), deliver)
	require.Len(t, w.all(), 1)
	require.Len(t, w.all()[0].Entries, 6)

	require.NoError(t, due("ann", email)())
	w.pass(time.Hour)
	w.choose("", digest.Schedule{Daily: "01:00"})
	costs(idle.Plus(stated.Of("Worker.Deliver", "one that moves")), deliver)

	w.choose("", hourly)
	failed := w.process(t, parts{sender: failing{}}, meter.Wrap)
	w.until(t, "02:00:00")
	require.NoError(t, due("ann", email)())
	w.until(t, "03:01:00")
	require.Equal(t, 2, p.deliver(t), "the moved one too")
	p.notify(t, "9")
	w.until(t, "04:00:30")
	costs(idle.Plus(stated.Of("Worker.Deliver", "a digest", "each further 4 KB of entries", "one that fails")), func() error {
		require.ErrorIs(t, errOf(failed.worker.Deliver(t.Context())), errBroken)
		return nil
	})
	w.pass(time.Hour)
	costs(idle.Plus(stated.Of("Worker.Deliver", "a digest", "each further 4 KB of entries", "one that is over a minute late")), deliver)
	require.Len(t, w.all(), 2)
	p.notify(t, "10")
	erase := stated.Of("Repository.Erase", "a user", "each 4 KB of these", "each 4 KB of these", "each 25 items of the user").
		Plus(stated.Times(2, "Repository.Erase", "each job shard, and each 100 digests of all users")).
		Plus(stated.Times(2, "Repository.Erase", "each item of the user"))
	costs(erase, func() error { return p.digests.Erase(t.Context(), "ann") })
	costs(stated.Of("Repository.Verify"), func() error { _ = p.digests.Verify(t.Context()); return nil })
}

// A process asks for a schedule at most every 30 s, and forgets what does not fit.
func TestAProcessRemembersWhatIsStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	p := w.process(t, parts{opts: digest.Options{CacheSize: 2}})
	due := func(user string, asked int) {
		t.Helper()
		before := w.asked
		require.NoError(t, p.due(t.Context(), user, []string{email}, w.id()))
		require.Equal(t, asked, w.asked-before)
	}
	due("ann", 1)
	due("ann", 0)
	w.pass(29 * time.Second)
	due("ann", 0)
	w.pass(time.Second)
	due("ann", 1)
	due("ann", 0)
	due("bob", 1)
	due("ann", 0)
	due("chris", 1)
	due("bob", 1)
	w.choose("dan", digest.Schedule{})
	due("dan", 1)
	due("dan", 0)
	w.choose("dan", daily)
	w.pass(30 * time.Second)
	due("dan", 1)
	due("ann", 1)
	w.pass(-time.Hour)
	due("ann", 1) // the clock went back
	require.Len(t, w.jobs(t), 4+1)
}

// Until then an event may be written without another call.
func TestDueHoldsUntilTheFirstSlotEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	p := w.process(t, parts{schedule: func(_ context.Context, user, channel string) (digest.Schedule, error) {
		return map[string]digest.Schedule{"hourly": hourly, "daily": daily}[channel], nil
	}})
	for want, channels := range map[ids.ID][]string{
		ids.At(noon.Add(time.Hour)):      {"daily", "none", "hourly"},
		ids.At(noon.Add(20 * time.Hour)): {"none", "daily"},
		1<<63 - 1:                        {"none"},
	} {
		for range 2 { // stored, and known to be
			until, err := p.digests.Schedule(t.Context(), "ann", channels, w.id())
			require.NoError(t, err)
			require.Equal(t, want, until)
		}
	}
}
