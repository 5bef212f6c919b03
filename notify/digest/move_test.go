package digest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/digest"
)

func TestADigestMovesToTheNewSchedule(t *testing.T) {
	t.Parallel()
	for name, c := range faults.Sample(3, map[string]struct {
		was, is digest.Schedule
		sent    string // what was sent: of a first event an hour later, a change, a second event another hour later
		at      []string
	}{
		"a longer one":          {hourly, daily, "1 2", []string{"03-11 08:00"}},
		"a shorter one":         {digest.Schedule{Daily: "15:00"}, hourly, "2, 1", []string{"03-10 14:00", "03-10 15:00"}},
		"an earlier time":       {digest.Schedule{Daily: "20:00"}, digest.Schedule{Daily: "16:00"}, "1 2", []string{"03-10 16:00"}},
		"a later time":          {digest.Schedule{Daily: "16:00"}, digest.Schedule{Daily: "20:00"}, "1 2", []string{"03-10 20:00"}},
		"none":                  {hourly, digest.Schedule{}, "", nil},
		"quiet hours":           {hourly, digest.Schedule{Every: time.Hour, Quiet: digest.Quiet{From: "13:00", To: "18:00"}}, "1 2", []string{"03-10 18:00"}},
		"the same in a zone":    {digest.Schedule{Daily: "20:00"}, digest.Schedule{Daily: "21:00", Zone: "Europe/Berlin"}, "1 2", []string{"03-10 20:00"}},
		"with a slot in common": {digest.Schedule{Daily: "14:00"}, hourly, "1 2", []string{"03-10 14:00"}},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.was)
			p := w.process(t, parts{})
			w.pass(50 * time.Minute)
			p.notify(t, "1")
			w.choose("", c.is)
			w.pass(9 * time.Minute)
			p.deliver(t)
			w.pass(11 * time.Minute)
			p.deliver(t)
			p.notify(t, "2")
			step := time.Duration(faults.Size(15, 60)) * time.Minute
			for range 30 * time.Hour / step {
				w.pass(step)
				p.deliver(t)
			}
			require.Empty(t, w.jobs(t))
			require.Equal(t, c.sent, w.objects(t))
			var at []string
			for _, d := range w.all() {
				at = append(at, d.Slot.Format("01-02 15:04"))
			}
			require.Equal(t, c.at, at)
		})
	}
}

// A digest of the new schedule is sent before the one of the old schedule is due. The
// old one began earlier and ends later.
func TestADigestLeavesOutWhatAnotherHasCovered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	meter := dynamotest.NewMeter()
	old, now := w.process(t, parts{}, meter.Wrap), w.process(t, parts{schedule: newWorldSettings(hourly).schedule})
	old.notify(t, "1")
	w.pass(2*time.Hour + time.Minute)
	now.notify(t, "2")
	old.notify(t, "3") // knows only the old schedule
	w.pass(time.Hour)
	require.Equal(t, 1, now.deliver(t))
	require.Equal(t, "2 3", w.objects(t))
	old.notify(t, "4")
	w.until(t, "09:00:00")
	most := callstest.ReadCosts(t, "../..", "notify/digest").Of("Worker.Deliver", "nothing to do", "a digest",
		"one of several spans, after a change of the schedule, at most")
	meter.AtMost(t, "deliver", most, func() { old.deliver(t) })
	require.Equal(t, "2 3, 1 4", w.objects(t))
	require.Empty(t, w.jobs(t))
}

// The newest span of the digest fills it, and an older one has an entry.
func TestADigestSaysThatAnOlderSpanHasMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	old, now := w.process(t, parts{}), w.process(t, parts{schedule: newWorldSettings(hourly).schedule})
	old.notify(t, "oldest")
	w.pass(2*time.Hour + time.Minute)
	now.notify(t, "between")
	w.pass(time.Hour)
	require.Equal(t, 1, now.deliver(t))
	for n := range digest.MaxEntries {
		old.notify(t, fmt.Sprint(n))
	}
	w.until(t, "09:00:00")
	old.deliver(t)
	d := w.all()[1]
	require.Len(t, d.Entries, digest.MaxEntries)
	require.Equal(t, "0", d.Entries[digest.MaxEntries-1].Activity.Object.ID)
	require.True(t, d.More)
}

func newWorldSettings(s digest.Schedule) *settings {
	return &settings{byUser: map[string]digest.Schedule{"": s}}
}

func TestTurningDigestsOffEndsThoseThatFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	p := w.process(t, parts{sender: failing{}})
	p.notify(t, "1")
	w.pass(time.Hour + time.Minute)
	_, err := p.worker.Deliver(t.Context())
	require.ErrorIs(t, err, errBroken)
	w.choose("", digest.Schedule{})
	w.pass(time.Hour)
	require.Equal(t, 1, p.deliver(t))
	require.Empty(t, w.jobs(t))
	p.notify(t, "2")
	require.Empty(t, w.jobs(t))
	require.Empty(t, w.all())
}

// A worker reads a digest's mark, and another begins the digest and dies. It covers its
// slot then, so that the digest it would move to leaves that out.
func TestADigestThatWasBegunDoesNotMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	in := faults.New(t, 1, faults.Rates{})
	in.KillAt(1)
	dying := w.process(t, parts{}, in.Wrap)
	var begin sync.Once
	heir := w.process(t, parts{schedule: func(context.Context, string, string) (digest.Schedule, error) { // asked after the mark is read
		begin.Do(func() { require.ErrorIs(t, errOf(dying.worker.Deliver(t.Context())), faults.ErrKilled) })
		return daily, nil
	}})
	w.process(t, parts{}).notify(t, "1")
	w.pass(time.Hour + time.Minute)
	heir.deliver(t)
	for range 2 {
		w.pass(31 * time.Second)
		heir.deliver(t)
		w.until(t, "09:00:00")
	}
	require.Empty(t, w.jobs(t))
	require.Equal(t, "1", w.objects(t))
}
