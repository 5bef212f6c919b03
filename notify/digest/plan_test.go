package digest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify/digest"
)

func TestCallsCostWhatIsStated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	meter := dynamotest.NewMeter()
	p := w.process(t, parts{}, meter.Wrap)
	costs := func(what string, cost dynamotest.Cost, call func() error) {
		t.Helper()
		var err error
		meter.AtMost(t, what, cost, func() { err = call() })
		require.NoError(t, err)
	}
	due := func(user string, at ids.ID, channels ...string) func() error {
		return func() error { return p.due(t.Context(), user, channels, at) }
	}
	deliver := func() error { _, err := p.worker.Deliver(t.Context()); return err }

	costs("a process's first", dynamotest.Cost{Requests: 2, Write: 2}, due("ann", w.id(), email))
	costs("the first in a slot", dynamotest.Cost{Requests: 1, Write: 1}, due("bob", w.id(), email))
	costs("of two channels", dynamotest.Cost{Requests: 2, Write: 2}, due("chris", w.id(), email, "push"))
	costs("another in a slot", dynamotest.Cost{}, due("ann", w.id(), email))
	w.pass(time.Minute)
	costs("after a while", dynamotest.Cost{}, due("ann", w.id(), email))
	other := w.process(t, parts{}, meter.Wrap)
	require.NoError(t, other.due(t.Context(), "dan", []string{email}, w.id()))
	costs("of another process", dynamotest.Cost{Requests: 1, Write: 1}, func() error {
		return other.due(t.Context(), "ann", []string{email}, w.id())
	})
	costs("nothing is due", dynamotest.Cost{Requests: 2, Read: 1}, deliver)

	w.pass(time.Hour)
	require.Equal(t, 5, p.deliver(t))
	event := w.post("ann", "1")
	_, _, err := p.Notify(t.Context(), event)
	require.NoError(t, err)
	for n := range 5 {
		_, _, err := p.Notify(t.Context(), w.post("ann", fmt.Sprint(n+2)))
		require.NoError(t, err)
	}
	looking := dynamotest.Cost{Requests: 2, Read: 1}
	w.pass(time.Hour)
	costs("a due user", dynamotest.Cost{Requests: 4 + looking.Requests, Read: 2 + looking.Read, Write: 2}, deliver)
	require.Len(t, w.all(), 1)
	require.Len(t, w.all()[0].Entries, 6)

	require.NoError(t, due("ann", w.id(), email)())
	w.pass(time.Hour)
	w.choose("", digest.Schedule{Daily: "01:00"})
	costs("one that moves", dynamotest.Cost{Requests: 4 + looking.Requests, Read: 0.5 + looking.Read, Write: 3}, deliver)

	w.choose("", hourly)
	failed := w.process(t, parts{sender: failing{}}, meter.Wrap)
	w.until(t, "02:00:00")
	require.NoError(t, p.due(t.Context(), "ann", []string{email}, w.id()))
	w.until(t, "03:01:00")
	require.Equal(t, 2, p.deliver(t), "the moved one too")
	p.notify(t, "9")
	w.until(t, "04:00:30")
	meter.AtMost(t, "one that fails", dynamotest.Cost{Requests: 4 + looking.Requests, Read: 2 + looking.Read, Write: 1 + 4}, func() {
		_, err = failed.worker.Deliver(t.Context())
	})
	require.ErrorIs(t, err, errBroken)
	w.pass(time.Hour)
	costs("one that is late", dynamotest.Cost{Requests: 5 + looking.Requests, Read: 3 + looking.Read, Write: 2}, deliver)
	require.Len(t, w.all(), 2)
	p.notify(t, "10")
	costs("erasing", dynamotest.Cost{Requests: 4, Read: 2, Write: 2}, func() error { return p.digests.Erase(t.Context(), "ann") })
	costs("verifying", dynamotest.Cost{Requests: 3, Read: 0.5}, func() error { _ = p.digests.Verify(t.Context()); return nil })
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
