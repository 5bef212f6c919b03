package notify_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

func (w world) snooze(t testing.TB, g notify.In, d time.Duration) {
	t.Helper()
	does(t)(w.Snooze(t.Context(), g, w.Now().Add(d)))
}

func (w world) snoozed(t testing.TB, user string) []notify.Entry {
	t.Helper()
	page, err := w.Snoozed(t.Context(), user, cursor.PageRequest{Limit: 100})
	require.NoError(t, err)
	return page.Items
}

func (w world) archived(t testing.TB, user string) []notify.Entry {
	t.Helper()
	page, err := w.Archived(t.Context(), user, cursor.PageRequest{Limit: 100})
	require.NoError(t, err)
	return page.Items
}

func TestASnoozedGroupIsHiddenAndUncountedAndComesBackUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 4 {
		w.put(t, in("ann", n))
	}
	w.pass(time.Minute)
	w.allRead(t, "ann")
	w.put(t, in("ann", 4))
	w.snooze(t, in("ann", 1), 2*time.Hour)
	w.snooze(t, in("ann", 4), time.Hour)
	require.Equal(t, groups("ann", 3, 2, 0), names(w.list(t, "ann")))
	require.Equal(t, 0, w.unseen(t, "ann"))
	snoozed := w.snoozed(t, "ann")
	require.Equal(t, groups("ann", 4, 1), names(snoozed), "soonest due first")
	require.Equal(t, []bool{false, true}, []bool{snoozed[0].Read, snoozed[1].Read}, "as it was")
	require.Equal(t, w.Now().Add(2*time.Hour), snoozed[1].Until)

	w.pass(time.Hour - time.Millisecond)
	require.Equal(t, 0, w.unseen(t, "ann"))
	w.pass(time.Millisecond)
	require.Equal(t, 1, w.unseen(t, "ann"))
	require.Equal(t, groups("ann", 4, 3, 2, 0), names(w.list(t, "ann")))

	w.pass(2 * time.Hour)
	require.Equal(t, groups("ann", 1, 4, 3, 2, 0), names(w.list(t, "ann")), "the list wakes too")
	require.Equal(t, 2, w.unseen(t, "ann"))
	e := w.entry(t, in("ann", 1))
	require.False(t, e.Seen)
	require.False(t, e.Read)
	require.Empty(t, w.snoozed(t, "ann"))
	require.Empty(t, w.inTable(t, in("ann", 1)).Was)
}

func TestAGroupThatIsWokenByHandIsAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 4 {
		w.put(t, in("ann", n))
	}
	w.pass(time.Minute)
	w.seen(t, "ann")
	require.NoError(t, errOf(w.MarkRead(t.Context(), "ann", []notify.Shown{{Group: in("ann", 1).Group, Last: w.entry(t, in("ann", 1)).Last}})))
	unseen := w.put(t, in("ann", 5))
	does(t)(w.Archive(t.Context(), in("ann", 2)))
	var before []raw
	for _, n := range []int{1, 2, 5} {
		before = append(before, w.inTable(t, in("ann", n)))
		w.snooze(t, in("ann", n), time.Hour)
		w.snooze(t, in("ann", n), 2*time.Hour) // and again
	}
	require.Equal(t, 0, w.unseen(t, "ann"))
	for i, n := range []int{1, 2, 5} {
		does(t)(w.Unsnooze(t.Context(), in("ann", n)))
		doesNot(t)(w.Unsnooze(t.Context(), in("ann", n)))
		after := w.inTable(t, in("ann", n))
		require.Greater(t, after.Rev, before[i].Rev)
		after.Rev, after.TTL = before[i].Rev, before[i].TTL
		require.Equal(t, before[i], after)
	}
	require.Equal(t, 1, w.unseen(t, "ann"))
	require.Equal(t, unseen, w.entry(t, in("ann", 5)).Last)
	require.True(t, w.entry(t, in("ann", 1)).Read)
	require.Equal(t, groups("ann", 5, 3, 1, 0), names(w.list(t, "ann")))
	require.Equal(t, groups("ann", 2), names(w.archived(t, "ann")))
	w.pass(3 * time.Hour)
	require.Equal(t, groups("ann", 5, 3, 1, 0), names(w.list(t, "ann")), "nothing is due any more")
}

func TestAPollForNewEntriesFindsThoseThatAreDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 6 {
		w.put(t, in("ann", n))
	}
	w.snooze(t, in("ann", 0), time.Hour)
	page := func(c cursor.Cursor) cursor.Page[notify.Entry] {
		t.Helper()
		page, err := w.List(t.Context(), reader("ann"), cursor.PageRequest{Limit: 2, Cursor: c})
		require.NoError(t, err)
		return page
	}
	first := page("")
	w.pass(time.Hour)
	require.Equal(t, groups("ann", 3, 2), names(page(first.Next).Items), "a later page needs none")
	require.Len(t, w.snoozed(t, "ann"), 1)
	require.Equal(t, groups("ann", 0), names(page(first.Prev).Items))
	require.Empty(t, w.snoozed(t, "ann"))
}

func TestASnoozedGroupOutlivesItsSnooze(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put(t, in("ann", 1))
	w.snooze(t, in("ann", 1), 365*24*time.Hour)
	w.pass(365 * 24 * time.Hour)
	require.Equal(t, 1, w.unseen(t, "ann"))
	w.pass(89 * 24 * time.Hour)
	require.Equal(t, 1, w.unseen(t, "ann"))
}

func TestAGroupThatIsGoneIsNotChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.forge(t, in("ann", 2), func(g *raw) { g.Place, g.N = "", 0 }) // all its events were retracted
	w.forge(t, in("ann", 3), func(g *raw) { g.TTL = w.Now().Unix() })
	for _, n := range []int{2, 3, 4} {
		doesNot(t)(w.Archive(t.Context(), in("ann", n)))
		doesNot(t)(w.Unarchive(t.Context(), in("ann", n)))
		doesNot(t)(w.Snooze(t.Context(), in("ann", n), w.Now().Add(time.Hour)))
		doesNot(t)(w.Unsnooze(t.Context(), in("ann", n)))
		doesNot(t)(w.MarkUnread(t.Context(), in("ann", n)))
		require.NoError(t, errOf(w.MarkRead(t.Context(), "ann", []notify.Shown{{Group: in("ann", n).Group, Last: 1}})))
	}
}

func TestOneCallWakesSomeAndTheNextTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	until := w.Now().Add(time.Hour)
	w.put(t, in("ann", 0))
	w.snooze(t, in("ann", 0), time.Hour)
	w.forgeMany(t, "ann", 1, 29, func(k int, g *raw) {
		g.Was, g.Place = g.Place, group.Place(group.Snoozed, ids.At(until.Add(time.Duration(k+1)*time.Second)), g.SK)
	})
	w.put(t, in("ann", 99))
	w.snooze(t, in("ann", 99), 3*time.Hour)
	w.pass(2 * time.Hour)
	count, err := w.Unseen(t.Context(), reader("ann"))
	require.NoError(t, err)
	require.Equal(t, notify.Count{N: 25, More: true}, count)
	require.Equal(t, 30, w.unseen(t, "ann"))
	var want []int
	for n := range 30 {
		want = append(want, 29-n)
	}
	require.Equal(t, groups("ann", want...), names(w.list(t, "ann")), "in the order in which they were due")
	w.pass(time.Hour)
	require.Equal(t, 31, w.unseen(t, "ann"))
}

// Damaged groups, and groups that expired while they were snoozed, are due before another.
func TestRowsThatCannotWakeKeepNobodyAsleep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	due := ids.At(w.Now().Add(time.Hour))
	for user, change := range map[string]func(*raw){
		"damaged": func(g *raw) { g.N = 1000 },
		"expired": func(g *raw) { g.TTL = w.Now().Unix() },
	} {
		w.forgeMany(t, user, 0, 200, func(_ int, g *raw) {
			g.Was, g.Place = g.Place, group.Place(group.Snoozed, due-1, g.SK)
			change(g)
		})
		w.put(t, in(user, 999))
		w.snooze(t, in(user, 999), time.Hour)
	}
	w.pass(time.Hour)
	require.Equal(t, 1, w.unseen(t, "damaged"))
	require.Equal(t, 1, w.unseen(t, "expired"))
}

func TestFourReadersWakeAGroupOnce(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(15) {
		w := newWorld(t, nil)
		for n := range 5 {
			w.put(t, in("ann", n))
			w.snooze(t, in("ann", n), time.Hour)
		}
		w.pass(2 * time.Hour)
		var readers sync.WaitGroup
		for i := range uint64(4) {
			inject := faults.New(t, seed*4+i, faults.Rates{LostBefore: 0.05, LostAfter: 0.1, Twice: 0.1, Delayed: 0.2})
			p := w.process(t, nil, inject.Wrap)
			readers.Go(func() {
				faults.Acknowledged(t, func() error { return errOf(p.Unseen(t.Context(), reader("ann"))) })
			})
		}
		readers.Wait()
		require.Equal(t, 5, w.unseen(t, "ann"))
		for n := range 5 {
			// Put, snoozed, woken.
			require.Equal(t, 3, w.inTable(t, in("ann", n)).Rev)
		}
	}
}

func TestAWriterWhoseClockIsFastKeepsNoGroupDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	fast := w.skewed(t, 9*time.Second, nil)
	for n := range 3 {
		w.put(t, in("ann", n))
	}
	fast.put(t, in("ann", 0))
	require.NoError(t, errOf(w.MarkRead(t.Context(), "ann", shown(w.entry(t, in("ann", 0))))))
	w.snooze(t, in("ann", 0), time.Second)
	w.pass(2 * time.Second)
	list := w.list(t, "ann")
	require.Equal(t, groups("ann", 0, 2, 1), names(list))
	require.False(t, list[0].Seen || list[0].Read)
	require.NoError(t, errOf(w.MarkSeen(t.Context(), "ann", notify.See(list))))
	require.NoError(t, errOf(w.MarkRead(t.Context(), "ann", shown(list[0]))))
	w.snooze(t, in("ann", 0), time.Second)
	w.pass(2 * time.Second)
	require.Equal(t, 1, w.unseen(t, "ann"))
	e := w.entry(t, in("ann", 0))
	require.False(t, e.Seen || e.Read)
}

// A wake whose answer comes late may be covered by a mark of a reader who was not
// shown the group: it moves again.
func TestAGroupThatWakesSlowlyIsUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for k := range 6 {
		user := string(rune('a' + k))
		w.put(t, in(user, 1))
		w.put(t, in(user, 2))
		w.snooze(t, in(user, 1), time.Minute)
		w.pass(time.Hour)
		s := faults.NewSteps()
		waker := w.process(t, nil, s.Wrap)
		var failed error
		s.Start(func() { _, failed = waker.Unseen(t.Context(), reader(user)) })
		for range k {
			s.Step()
		}
		w.pass(2 * notify.Window)
		w.put(t, in(user, 3))
		w.pass(2 * notify.Window)
		view := notify.View{At: ids.At(w.Now()), Newest: w.id()} // of who has seen all but this group
		require.NoError(t, errOf(w.MarkSeen(t.Context(), user, view)))
		s.Finish()
		require.NoError(t, failed)
		unseen := 1
		if k > 2 { // the answer came in time, and so before that view
			unseen = 0
		}
		require.Equal(t, unseen, w.unseen(t, user), "after %d requests", k)
	}
}
