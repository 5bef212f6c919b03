package announce_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
)

func TestAnAnnouncementIsReadAsItWasGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	given := w.message("Hello")
	a := w.announce(t, given)
	require.Equal(t, today.Add(lead), a.ID.Time())
	want := given
	want.ID, want.From = a.ID, a.ID.Time()
	require.Equal(t, want, a)
	require.Equal(t, []notify.Announcement{want}, w.listed(t))

	w.forward(lead)
	live, err := w.Live(t.Context(), notify.Reader{User: "ann", Audiences: []string{"everyone"}})
	require.NoError(t, err)
	require.Equal(t, []notify.Announcement{want}, live)

	bare := w.announce(t, notify.Announcement{Audience: "everyone", Title: "Bare", Refs: []feed.Ref{}, Until: given.Until})
	require.Equal(t, bare, w.listed(t)[0])
}

func TestARepeatGetsWhatIsStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, from := range map[string]time.Time{
		"at once": {}, "tomorrow": today.Add(24*time.Hour + 1234567), "since yesterday": today.Add(-24 * time.Hour),
	} {
		given := w.message(name)
		given.From, given.Until = from, today.Add(48*time.Hour)
		a := w.announce(t, given)
		given.ID = a.ID
		for _, passed := range []time.Duration{0, lead, time.Hour} {
			other := w.process(t, &announce.Options{Now: func() time.Time { return today.Add(passed) }})
			for _, repeat := range []notify.Announcement{given, a} {
				again := other.repeat(t, repeat)
				require.Equal(t, a, again, name)
			}
			for what, change := range map[string]func(*notify.Announcement){
				"title": func(a *notify.Announcement) { a.Title = "x" },
				"text":  func(a *notify.Announcement) { a.Text = "x" },
				"refs":  func(a *notify.Announcement) { a.Refs = nil },
				"data":  func(a *notify.Announcement) { a.Data = nil },
				"from":  func(a *notify.Announcement) { a.From = today.Add(-time.Hour) },
				"until": func(a *notify.Announcement) { a.Until = a.Until.Add(time.Millisecond) },
			} {
				another := a
				change(&another)
				require.ErrorIs(t, errOf3(other.Announce(t.Context(), another)), plaza.ErrConflict, "%s: another %s", name, what)
			}
		}
	}
	require.Len(t, w.listed(t), 3)
}

func TestACallWhoseAnswerWasLostIsTheOneThatCreated(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, in.Wrap)
	in.Script(func(_ string, _ []byte, n int) faults.Fault {
		if n == 1 || n == 3 {
			return faults.Fault{Kind: faults.LostAfter}
		}
		return faults.Fault{}
	})
	a := w.announce(t, w.message("Hello")) // requests 1 and 2
	w.withdraw(t, a)                       // 3 and 4
	require.Equal(t, 4, in.Requests())
	changed, err := w.Withdraw(t.Context(), a.Audience, a.ID)
	require.NoError(t, err)
	require.False(t, changed)
}

// TestARepeatThatComesTooLateGetsAnotherID repeats an announcement whose first request
// is still on its way.
func TestARepeatThatComesTooLateGetsAnotherID(t *testing.T) {
	t.Parallel()
	late := faults.Late{Holds: func(string, []byte) bool { return true }}
	w := newWorld(t, late.Wrap)
	first, created, err := w.Announce(t.Context(), w.message("Hello"))
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	require.False(t, created)
	require.Equal(t, today.Add(lead), first.ID.Time())

	other := w.process(t, nil)
	w.forward(time.Minute)
	moved := other.announce(t, first)
	require.Equal(t, today.Add(time.Minute+lead), moved.ID.Time())
	require.Zero(t, late.Arrive(t))
	require.Equal(t, []notify.Announcement{moved}, other.listed(t))

	w.forward(time.Hour)
	for _, id := range []ids.ID{first.ID, moved.ID} {
		repeat := first
		repeat.ID = id
		again := other.repeat(t, repeat)
		require.Equal(t, moved, again)
		repeat.Title = "Another"
		require.ErrorIs(t, errOf3(other.Announce(t.Context(), repeat)), plaza.ErrConflict)
	}
	require.Len(t, other.listed(t), 1)

	changed, err := other.Withdraw(t.Context(), "everyone", first.ID)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, w.Now(), other.listed(t)[0].Withdrawn)
	for _, repeat := range []notify.Announcement{first, moved} {
		require.ErrorIs(t, errOf3(other.Announce(t.Context(), repeat)), plaza.ErrRemoved)
	}
}

// TestAWriteThatTookTooLongGetsAnotherID has writes that take a quarter of the window, and
// longer.
func TestAWriteThatTookTooLongGetsAnotherID(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]time.Duration{
		notify.Window / 4:                   lead,
		notify.Window/4 + time.Millisecond:  lead + notify.Window/4 + time.Millisecond,
		announce.CacheTTL + 2*notify.Window: lead + announce.CacheTTL + 2*notify.Window,
	} {
		slow := &during{op: "PutItem"}
		w := newWorld(t, slow.wrap)
		slow.f = func() { w.forward(took) }
		a := w.announce(t, w.message("Hello"))
		require.Equal(t, today.Add(want), a.ID.Time(), "after %v", took)
		require.Equal(t, []notify.Announcement{a}, w.listed(t))
	}

	// It ends even where each write takes too long.
	slow := &during{}
	w := newWorld(t, slow.wrap)
	slow.f = func() { w.forward(notify.Window) }
	a := w.message("Hello")
	a, created, err := w.Announce(t.Context(), a)
	require.ErrorIs(t, err, plaza.ErrBusy)
	require.False(t, created)
	slow.f = nil
	again := w.repeat(t, a)
	require.Equal(t, []notify.Announcement{again}, w.listed(t))
}

// TestASlowWriteThatWasWithdrawnStaysWithdrawn withdraws it before the slow answer comes.
func TestASlowWriteThatWasWithdrawnStaysWithdrawn(t *testing.T) {
	t.Parallel()
	slow := &during{op: "PutItem"}
	w := newWorld(t, slow.wrap)
	given := w.message("Hello")
	given.ID = ids.At(today.Add(lead)) + 1
	slow.f = func() {
		w.forward(time.Minute)
		w.process(t, nil).withdraw(t, given)
	}
	require.ErrorIs(t, errOf3(w.Announce(t.Context(), given)), plaza.ErrRemoved)
	require.False(t, w.listed(t)[0].Withdrawn.IsZero())
	require.Len(t, w.listed(t), 1)
}

// TestALateMoveLosesNothing lets the second write of a slow call arrive after another
// call found the first.
func TestALateMoveLosesNothing(t *testing.T) {
	t.Parallel()
	late := faults.Late{Holds: func(op string, _ []byte) bool { return op == "TransactWriteItems" }}
	slow := &during{op: "PutItem"}
	w := newWorld(t, late.Wrap, slow.wrap)
	slow.f = func() { w.forward(lead) }
	a, _, err := w.Announce(t.Context(), w.message("Hello"))
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)

	other := w.process(t, nil)
	other.repeat(t, a)
	require.NotZero(t, late.Arrive(t))
	require.Equal(t, []string{"Hello"}, titles(w.listed(t)))
	again := other.repeat(t, a)
	require.Equal(t, []notify.Announcement{again}, w.listed(t))
}

func TestAnIDOfOnesOwnLeadsToTheAnnouncement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	soon := today.Add(lead)
	for n, c := range []struct{ id, from, want time.Time }{
		{id: today, want: soon},
		{id: today.Add(-90 * 24 * time.Hour), want: soon},
		{id: soon, want: soon},
		{id: soon.Add(time.Hour), want: soon.Add(time.Hour)},
		{id: today, from: today.Add(time.Hour), want: today.Add(time.Hour)},
		{id: soon, from: today.Add(time.Hour), want: today.Add(time.Hour)},
		{id: soon, from: today.Add(-time.Hour), want: soon},
	} {
		given := w.message(fmt.Sprint(n))
		given.ID, given.From = ids.At(c.id)+ids.ID(n+1), c.from
		a := w.announce(t, given)
		require.Equal(t, c.want, a.ID.Time(), n)
		require.Equal(t, c.want.Equal(c.id) && c.from.Before(c.id), a.ID == given.ID, n)
		first := given.ID
		for _, repeat := range []ids.ID{first, a.ID} {
			given.ID = repeat
			again := w.repeat(t, given)
			require.Equal(t, a, again)
		}
	}
	require.Len(t, w.listed(t), 7)
}

// TestAWithdrawnAnnouncementStaysWithdrawn withdraws before the announcement, or a repeat of it,
// arrives.
func TestAWithdrawnAnnouncementStaysWithdrawn(t *testing.T) {
	t.Parallel()
	for _, passed := range []time.Duration{0, time.Minute, 89 * 24 * time.Hour} {
		late := faults.Late{Holds: func(string, []byte) bool { return true }}
		w := newWorld(t, late.Wrap)
		given := w.message("Hello")
		given.Until = today.Add(announce.MaxLife)
		a, _, err := w.Announce(t.Context(), given)
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
		other := w.process(t, nil)
		for range 2 {
			changed, err := other.Withdraw(t.Context(), a.Audience, a.ID)
			require.NoError(t, err)
			require.False(t, changed, "there was nothing")
		}
		w.forward(passed)
		require.Zero(t, late.Arrive(t))
		require.ErrorIs(t, errOf3(other.Announce(t.Context(), a)), plaza.ErrRemoved)
		require.Empty(t, other.listed(t))
		var ttl struct {
			TTL int64 `dynamo:"ttl"`
		}
		require.NoError(t, other.db.Table(w.table).Get("pk", "A#everyone#0").Range("sk", dynamo.Equal, a.ID.String()).One(t.Context(), &ttl))
		require.Greater(t, ttl.TTL, given.Until.Unix(), "the mark stays while a repeat is accepted")
	}
}

// TestAnIDThatAnotherAnnouncementHasIsMadeAgain makes the same id twice, as happens
// once in four million times.
func TestAnIDThatAnotherAnnouncementHasIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	op, err := generator(t).Next(t.Context())
	require.NoError(t, err)
	source := func(sequence ...ids.ID) *announce.Repository {
		r, err := announce.New(w.db, w.table, &script{sequence}, &announce.Options{Now: w.Now})
		require.NoError(t, err)
		return r
	}
	first, created, err := source(op, op+1).Announce(t.Context(), w.message("One"))
	require.NoError(t, err)
	require.True(t, created)
	second, created, err := source(op+2, op+1, op+3).Announce(t.Context(), w.message("Two"))
	require.NoError(t, err)
	require.True(t, created)
	require.NotEqual(t, first.ID, second.ID)

	own := w.message("Three")
	own.ID, err = ids.Backdate(today, "own")
	require.NoError(t, err)
	_, created, err = source(op+4, op+1, op+5).Announce(t.Context(), own)
	require.NoError(t, err)
	require.True(t, created)
	require.ElementsMatch(t, []string{"One", "Two", "Three"}, titles(w.listed(t)))
}

// script is a Source of given ids.
type script struct{ ids []ids.ID }

func (l *script) Next(context.Context) (ids.ID, error) {
	if len(l.ids) == 0 {
		return 0, errors.New("no more ids")
	}
	next := l.ids[0]
	l.ids = l.ids[1:]
	return next, nil
}

func TestConcurrentRepeatsAnnounceOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, passed := range []time.Duration{0, time.Minute} {
		id, err := ids.Backdate(today.Add(lead), "own")
		require.NoError(t, err)
		given := w.message("Hello")
		given.Audience, given.ID = passed.String(), id
		w.forward(passed)
		var mu sync.Mutex
		var created int
		found := map[ids.ID]bool{}
		var all sync.WaitGroup
		for range 16 {
			p := w.process(t, nil)
			all.Go(func() {
				var a notify.Announcement
				var isNew bool
				faults.Acknowledged(t, func() (err error) { a, isNew, err = p.Announce(t.Context(), given); return err })
				mu.Lock()
				defer mu.Unlock()
				found[a.ID] = true
				if isNew {
					created++
				}
			})
		}
		all.Wait()
		require.Equal(t, 1, created)
		require.Len(t, found, 1)
	}
}

func TestErasingAnAudienceLeavesNothingOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, title := range []string{"One", "Two", "Three"} {
		w.announce(t, w.message(title))
	}
	other := w.message("Other")
	other.Audience = "everyone else"
	w.announce(t, other)
	withdrawn := w.announce(t, w.message("Four"))
	w.withdraw(t, withdrawn)
	require.NoError(t, w.db.Table(w.table).Put(map[string]any{"pk": "A#everyone#0", "sk": "damaged"}).Run(t.Context()))
	for range 2 {
		require.NoError(t, w.Erase(t.Context(), "everyone"))
	}
	n, err := w.db.Table(w.table).Scan().Count(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
}
