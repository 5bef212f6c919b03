package announce_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
)

func TestAnAnnouncementShowsFromItsFromToItsUntil(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := w.message("now")
	now.Until = today.Add(2 * time.Hour)
	w.announce(t, now)
	later := w.message("later")
	later.From, later.Until = today.Add(time.Hour), today.Add(3*time.Hour)
	later = w.announce(t, later)
	require.Equal(t, later.From, later.ID.Time())
	for after, want := range map[time.Duration][]string{
		0:                             {},
		lead - time.Millisecond:       {},
		lead:                          {"now"},
		time.Hour - time.Nanosecond:   {"now"},
		time.Hour:                     {"later", "now"},
		2*time.Hour - time.Nanosecond: {"later", "now"},
		2 * time.Hour:                 {"later"},
		3*time.Hour - time.Nanosecond: {"later"},
		3 * time.Hour:                 {},
	} {
		at := w.process(t, &announce.Options{Now: func() time.Time { return today.Add(after) }})
		require.Equal(t, want, at.live(t, "everyone"), "after %v", after)
	}
}

// TestNoMarkCoversWhatAProcessDidNotShow has processes whose clocks are up to a Window
// ahead, and writes that take up to a quarter of it. A mark covers what is older than a Window
// when its list begins: by then each list must have the announcement.
func TestNoMarkCoversWhatAProcessDidNotShow(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		upTo := func(d time.Duration) time.Duration { return time.Duration(random.Int64N(int64(d) + 1)) }
		slow := &during{op: "PutItem"}
		w := newWorld(t, slow.wrap)
		clocks := make([]func() time.Time, 4)
		processes := make([]world, len(clocks))
		for i := range processes {
			ahead := notify.Window / time.Duration(i+1)
			clocks[i] = func() time.Time { return w.Now().Add(ahead) }
			processes[i] = w.process(t, &announce.Options{Now: clocks[i]})
		}
		slow.before = func() { // some read just before it arrives
			w.forward(upTo(notify.Window / 4))
			for _, p := range processes[:random.IntN(len(processes)+1)] {
				p.live(t, "everyone")
			}
		}
		var announced []notify.Announcement
		for n := range 100 {
			w.forward(upTo(announce.CacheTTL / 4))
			if n%4 == 0 {
				announced = append(announced, w.announce(t, w.message(fmt.Sprint(n))))
			}
			for i, p := range processes {
				covered := clocks[i]().Add(-notify.Window)
				shown := p.live(t, "everyone")
				for _, a := range announced {
					if !a.ID.Time().After(covered) {
						require.Contains(t, shown, a.Title, "seed %d", seed)
					}
				}
			}
		}
	}
}

// The table does not answer, except where a process reads an audience for the first time, and
// in the end.
func TestWithdrawnAnnouncementsAreGoneWithinTheCachesLifetime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.announce(t, w.message("Hello"))
	w.forward(lead)
	down := faults.New(t, 1, faults.Rates{LostBefore: 1})
	reader := w.process(t, nil, down.Wrap)
	fails := func() {
		t.Helper()
		require.ErrorIs(t, errOf(reader.Live(t.Context(), everyone("ann", time.Time{}))), plaza.ErrBusy)
	}
	fails()
	down.Off()
	require.Equal(t, []string{"Hello"}, reader.live(t, "everyone"))
	w.withdraw(t, a)
	down.On()
	w.forward(announce.CacheTTL - 1)
	require.Equal(t, []string{"Hello"}, reader.live(t, "everyone"))
	w.forward(1)
	fails()
	down.Off()
	require.Empty(t, reader.live(t, "everyone"))

	soon := w.announce(t, w.message("Never shown"))
	w.withdraw(t, soon)
	w.forward(lead)
	require.Empty(t, reader.live(t, "everyone"))
}

// TestTheNewestHundredShow counts neither withdrawn ones nor those that are over.
func TestTheNewestHundredShow(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t)
	reader := w.process(t, nil, in.Wrap)
	var want []string
	for n := range announce.MaxLive + 1 {
		want = append(want, fmt.Sprint(n))
	}
	w.announceAll(t, len(want), func(n int, a *notify.Announcement) {
		a.Title, a.From = want[n], today.Add(lead+time.Duration(n)*time.Millisecond)
	})
	slices.Reverse(want)
	w.forward(2 * lead)
	require.Equal(t, want[:announce.MaxLive], reader.live(t, "everyone"))
	require.Equal(t, 1, in.Requests())

	// What is over, withdrawn or scheduled takes no place.
	over := w.announceAll(t, 20, func(_ int, a *notify.Announcement) { a.Until = w.Now().Add(lead + time.Second) })
	for _, a := range over[:10] {
		w.withdraw(t, a)
	}
	w.putMarks(t, 100)
	w.announceAll(t, 2, func(_ int, a *notify.Announcement) { a.From = w.Now().Add(12 * time.Hour) })
	w.forward(2 * lead)
	require.Equal(t, want[:announce.MaxLive], reader.live(t, "everyone"))
	require.Equal(t, 1+2, in.Requests(), "of 221 rows")

	// Four reads are the most.
	w.putMarks(t, 1400)
	w.forward(2 * lead)
	require.Empty(t, reader.live(t, "everyone"))
	require.Equal(t, 1+2+4, in.Requests(), "of 1,621 rows")
}

// Short announcements that are over, many in two days, stay until DynamoDB deletes
// them. They hide none that shows.
func TestShortAnnouncementsHideNoLongOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := w.message("long")
	long.Until = w.Now().Add(30 * 24 * time.Hour)
	w.announce(t, long)
	w.forward(time.Hour)
	w.announceAll(t, faults.Size(450, 120), func(n int, a *notify.Announcement) {
		a.Title, a.Until = fmt.Sprint(n), w.Now().Add(5*time.Minute)
	})
	w.forward(2 * time.Hour)
	require.Equal(t, []string{"long"}, w.live(t, "everyone"))
}

// putMarks stores marks of withdrawn announcements that never arrived, of now.
func (w world) putMarks(t *testing.T, n int) {
	t.Helper()
	batch := w.db.Table(w.table).Batch("pk", "sk").Write()
	for i := range n {
		id := ids.At(w.Now()) + ids.ID(i)
		batch.Put(map[string]any{"pk": "A#everyone#0", "sk": id, "withdrawn": id, "ttl": w.Now().Add(time.Hour).Unix()})
	}
	require.NoError(t, errOf(batch.Run(t.Context())))
}

// announceAll announces n at once.
func (w world) announceAll(t *testing.T, n int, change func(n int, a *notify.Announcement)) []notify.Announcement {
	t.Helper()
	announced := make([]notify.Announcement, n)
	require.NoError(t, parallel.ForEach(t.Context(), n, 16, func(ctx context.Context, i int) (err error) {
		a := w.message(fmt.Sprint(i))
		change(i, &a)
		announced[i], _, err = w.Announce(ctx, a)
		return err
	}))
	return announced
}

func TestSeveralAudiencesAreOneListWithoutRepeats(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var want []string
	audiences := []string{"everyone", "staff", "country:at", "a#b", `a\`, "#", "a"}
	for n := range 30 {
		a := w.message(fmt.Sprint(n))
		a.Audience = audiences[n%len(audiences)]
		w.announce(t, a)
		want = append(want, a.Title)
		w.forward(time.Second)
	}
	slices.Reverse(want)
	twice := w.message("twice")
	twice.ID = w.announce(t, twice).ID
	twice.Audience = "staff"
	require.Equal(t, twice.ID, w.announce(t, twice).ID, "one id may stand in two audiences")
	w.forward(lead)
	require.Equal(t, append([]string{"twice"}, want...), w.live(t, append(audiences, "everyone", "unknown")...))
	require.Equal(t, []string{"29", "22", "15", "8", "1"}, w.live(t, "staff")[1:])
	require.Empty(t, w.live(t, "unknown"), "an audience of its own")
	require.Empty(t, w.live(t))
}

func TestACallerWhoChangesAnAnswerChangesNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.announce(t, w.message("Hello"))
	w.forward(lead)
	for range 2 {
		live, err := w.Live(t.Context(), notify.Reader{Audiences: []string{"everyone"}})
		require.NoError(t, err)
		require.Equal(t, []notify.Announcement{a}, live)
		live[0].Title, live[0].Refs[0].ID, live[0].Data[0] = "x", "x", 'x'
	}
}

// TestASlowReadCountsFromItsBeginning has reads that take as long as their answers may
// be used, and longer.
func TestASlowReadCountsFromItsBeginning(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	slow := &during{op: "Query"}
	w := newWorld(t, in.Wrap, slow.wrap)
	w.announce(t, w.message("Hello"))
	w.forward(lead)
	before := in.Requests()

	slow.f = func() { w.forward(announce.CacheTTL - 1) }
	require.Equal(t, []string{"Hello"}, w.live(t, "everyone"))
	require.Equal(t, []string{"Hello"}, w.live(t, "everyone"))
	require.Equal(t, before+1, in.Requests())
	w.forward(1)
	slow.f = func() { w.forward(announce.CacheTTL) }
	_, err := w.Live(t.Context(), notify.Reader{Audiences: []string{"everyone"}})
	require.ErrorIs(t, err, plaza.ErrBusy)
	require.Equal(t, before+3, in.Requests(), "it reads twice, and then gives up")
	slow.f = nil
	require.Equal(t, []string{"Hello"}, w.live(t, "everyone"))
	require.Equal(t, before+4, in.Requests())
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t)
	for _, audience := range []string{"a", "a", "b", "b", "c"} {
		a := w.message(audience)
		a.Audience = audience
		w.announce(t, a)
	}
	w.forward(lead)
	p := w.process(t, &announce.Options{CacheSize: 4}, in.Wrap)
	for n, step := range []struct {
		audience string
		requests int
	}{
		{"a", 1}, {"b", 2}, {"a", 2}, {"b", 2}, {"a", 2}, {"c", 3}, {"a", 3}, {"b", 4}, {"a", 4}, {"c", 5},
		{"none", 6}, {"none", 6}, {"nobody", 7}, {"c", 7}, {"a", 8},
	} {
		p.live(t, step.audience)
		require.Equal(t, step.requests, in.Requests(), "step %d", n)
	}
}
