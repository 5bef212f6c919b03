package notify_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

func (w world) snooze(t testing.TB, g notify.In, d time.Duration) {
	t.Helper()
	changed, err := w.Snooze(t.Context(), g, w.Now().Add(d))
	does(t, changed, err)
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
	require.Empty(t, w.stands(t, in("ann", 1)).Was)
}

func TestAGroupThatIsWokenByHandIsAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 4 {
		w.put(t, in("ann", n))
	}
	w.pass(time.Minute)
	w.seen(t, "ann")
	require.NoError(t, w.MarkRead(t.Context(), "ann", []notify.Shown{{Group: in("ann", 1).Group, Last: w.entry(t, in("ann", 1)).Last}}))
	unseen := w.put(t, in("ann", 5))
	changed, err := w.Archive(t.Context(), in("ann", 2))
	does(t, changed, err)
	var before []raw
	for _, n := range []int{1, 2, 5} {
		before = append(before, w.stands(t, in("ann", n)))
		w.snooze(t, in("ann", n), time.Hour)
		w.snooze(t, in("ann", n), 2*time.Hour) // and again
	}
	require.Equal(t, 0, w.unseen(t, "ann"))
	for i, n := range []int{1, 2, 5} {
		changed, err := w.Unsnooze(t.Context(), in("ann", n))
		does(t, changed, err)
		changed, err = w.Unsnooze(t.Context(), in("ann", n))
		doesNot(t, changed, err)
		stands := w.stands(t, in("ann", n))
		require.Greater(t, stands.Rev, before[i].Rev)
		stands.Rev, stands.TTL = before[i].Rev, before[i].TTL
		require.Equal(t, before[i], stands)
	}
	require.Equal(t, 1, w.unseen(t, "ann"))
	require.Equal(t, unseen, w.entry(t, in("ann", 5)).Last)
	require.True(t, w.entry(t, in("ann", 1)).Read)
	require.Equal(t, groups("ann", 5, 3, 1, 0), names(w.list(t, "ann")))
	require.Equal(t, groups("ann", 2), names(w.archived(t, "ann")))
	w.pass(3 * time.Hour)
	require.Equal(t, groups("ann", 5, 3, 1, 0), names(w.list(t, "ann")), "nothing is due any more")
}

func TestAnEventWakesASnoozedGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put(t, in("ann", 1))
	w.snooze(t, in("ann", 1), time.Hour)
	last := w.put(t, in("ann", 1))
	require.Equal(t, 1, w.unseen(t, "ann"))
	w.pass(2 * time.Hour)
	require.Equal(t, last, w.entry(t, in("ann", 1)).Last, "it does not come back a second time")
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

func TestRepeatsOfShelvesSayThatNothingChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put(t, in("ann", 1))
	w.forge(t, in("ann", 2), func(g *raw) { g.Place, g.N = "", 0 }) // all its events were retracted
	w.forge(t, in("ann", 3), func(g *raw) { g.TTL = w.Now().Unix() })
	until := w.Now().Add(time.Hour)
	again := func(call func() (bool, error)) {
		t.Helper()
		changed, err := call()
		does(t, changed, err)
		changed, err = call()
		doesNot(t, changed, err)
	}
	again(func() (bool, error) { return w.Archive(t.Context(), in("ann", 1)) })
	again(func() (bool, error) { return w.Unarchive(t.Context(), in("ann", 1)) })
	again(func() (bool, error) { return w.Snooze(t.Context(), in("ann", 1), until) })
	again(func() (bool, error) { return w.Archive(t.Context(), in("ann", 1)) })
	again(func() (bool, error) { return w.Snooze(t.Context(), in("ann", 1), until) })
	again(func() (bool, error) { return w.Unsnooze(t.Context(), in("ann", 1)) })
	require.Equal(t, groups("ann", 1), names(w.archived(t, "ann")))
	for _, n := range []int{2, 3, 4} {
		changed, err := w.Archive(t.Context(), in("ann", n))
		doesNot(t, changed, err)
		changed, err = w.Unarchive(t.Context(), in("ann", n))
		doesNot(t, changed, err)
		changed, err = w.Snooze(t.Context(), in("ann", n), until)
		doesNot(t, changed, err)
		changed, err = w.Unsnooze(t.Context(), in("ann", n))
		doesNot(t, changed, err)
		changed, err = w.MarkUnread(t.Context(), in("ann", n))
		doesNot(t, changed, err)
		require.NoError(t, w.MarkRead(t.Context(), "ann", []notify.Shown{{Group: in("ann", n).Group, Last: 1}}))
	}
}

func TestOneCallWakesSomeAndTheNextTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	until := w.Now().Add(time.Hour)
	for n := range 30 {
		w.put(t, in("ann", n))
		changed, err := w.Snooze(t.Context(), in("ann", n), until.Add(time.Duration(n)*time.Second))
		does(t, changed, err)
	}
	w.put(t, in("ann", 99))
	w.snooze(t, in("ann", 99), 3*time.Hour)
	w.pass(2 * time.Hour)
	require.Equal(t, 25, w.unseen(t, "ann"))
	require.Equal(t, 30, w.unseen(t, "ann"))
	var want []int
	for n := range 30 {
		want = append(want, 29-n)
	}
	require.Equal(t, groups("ann", want...), names(w.list(t, "ann")), "in the order in which they were due")
	w.pass(time.Hour)
	require.Equal(t, 31, w.unseen(t, "ann"))
}

func TestDamagedRowsKeepNobodyAsleep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	due := ids.At(w.Now().Add(time.Hour))
	for n := range 60 {
		w.forge(t, in("ann", n), func(g *raw) { g.Place, g.N = group.Place(group.Snoozed, due-1, g.SK), 1000 })
	}
	w.put(t, in("ann", 99))
	w.snooze(t, in("ann", 99), time.Hour)
	w.pass(time.Hour)
	require.Equal(t, 1, w.unseen(t, "ann"))
}

func TestFourReadersWakeAGroupOnce(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(40) {
		w := newWorld(t, nil)
		for n := range 5 {
			w.put(t, in("ann", n))
			w.snooze(t, in("ann", n), time.Hour)
		}
		w.pass(2 * time.Hour)
		done := make(chan error)
		for i := range uint64(4) {
			inject := faults.New(t, seed*4+i, faults.Rates{LostBefore: 0.05, LostAfter: 0.1, Twice: 0.1, Delayed: 0.2})
			p := w.process(t, nil, inject.Wrap)
			go func() {
				_, err := p.Unseen(t.Context(), reader("ann"))
				for tries := 0; faults.Passing(err) && tries < 50; tries++ {
					_, err = p.Unseen(t.Context(), reader("ann"))
				}
				done <- err
			}()
		}
		for range 4 {
			require.NoError(t, <-done)
		}
		require.Equal(t, 5, w.unseen(t, "ann"))
		for n := range 5 {
			// Put, snoozed, woken.
			require.Equal(t, 3, w.stands(t, in("ann", n)).Rev)
		}
	}
}

// steps lets the requests of a process pass one by one.
type steps struct {
	next           aws.HTTPClient
	waiting, begin chan struct{}
	ended          chan struct{}
	over           bool
}

func newSteps() *steps {
	return &steps{waiting: make(chan struct{}), begin: make(chan struct{}), ended: make(chan struct{})}
}

func (s *steps) Wrap(next aws.HTTPClient) aws.HTTPClient { s.next = next; return s }

func (s *steps) Do(r *http.Request) (*http.Response, error) {
	s.waiting <- struct{}{}
	<-s.begin
	return s.next.Do(r)
}

// start runs a call until its first request.
func (s *steps) start(call func()) {
	go func() {
		defer close(s.ended)
		call()
	}()
	s.await()
}

func (s *steps) await() {
	select {
	case <-s.waiting:
	case <-s.ended:
		s.over = true
	}
}

// step lets one request pass, and waits for the next or the end of the call.
func (s *steps) step() {
	if !s.over {
		s.begin <- struct{}{}
		s.await()
	}
}

func (s *steps) finish() {
	for !s.over {
		s.step()
	}
}

// orders are all orders of a and b steps of two processes, and of one pause that
// comes anywhere in them, or not.
func orders(a, b int) []string {
	var all []string
	var extend func(order string, a, b, pauses int)
	extend = func(order string, a, b, pauses int) {
		if a+b+pauses == 0 {
			all = append(all, order)
		}
		if a > 0 {
			extend(order+"s", a-1, b, pauses)
		}
		if b > 0 {
			extend(order+"w", a, b-1, pauses)
		}
		if pauses > 0 {
			extend(order+"p", a, b, pauses-1)
		}
	}
	extend("", a, b, 0)
	extend("", a, b, 1)
	return all
}

// In every order of the requests of a Snooze and of a reader that raises wake, and
// wherever time passes, the group comes back when it is due.
func TestNoOrderOfRequestsLosesASnoozedGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	all := orders(4, 4)
	require.Len(t, all, 10*70)
	slow, soon, far := in("", 1), in("", 2), in("", 3)
	for i := range faults.Seeds(uint64(len(all))) {
		order := all[i]
		for _, c := range []struct{ due, pause time.Duration }{
			{8 * time.Second, 5 * time.Second}, // the Snooze is in time
			{time.Hour, 45 * time.Minute},
		} {
			user := order + c.due.String()
			slow.User, soon.User, far.User = user, user, user
			w.put(t, slow)
			for g, d := range map[notify.In]time.Duration{soon: time.Minute, far: 5 * time.Hour} {
				w.put(t, g)
				w.snooze(t, g, d)
			}
			w.pass(2 * time.Hour) // the reader wakes one, and would raise wake to the other

			s, r := newSteps(), newSteps()
			snoozer, waker := w.process(t, nil, s.Wrap), w.process(t, nil, r.Wrap)
			var changed bool
			var err, failed error
			due := w.Now().Add(c.due)
			s.start(func() { changed, err = snoozer.Snooze(t.Context(), slow, due) })
			r.start(func() { _, failed = waker.Unseen(t.Context(), reader(user)) })
			for _, step := range order {
				switch step {
				case 's':
					s.step()
				case 'w':
					r.step()
				default:
					w.pass(c.pause)
				}
			}
			s.finish()
			r.finish()
			does(t, changed, err)
			require.NoError(t, failed)
			require.Equal(t, 1, w.unseen(t, user), order) // which may raise wake too
			w.pass(due.Sub(w.Now()))
			require.Equal(t, 2, w.unseen(t, user), order)
		}
	}
}

// A move that arrives after its caller gave up, when wake was raised past it, is
// found later.
func TestASnoozeThatArrivesLateIsNotLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	slow, soon := in("ann", 1), in("ann", 2)
	w.put(t, slow)
	w.put(t, soon)
	w.snooze(t, soon, time.Minute)
	late := &faults.Late{Holds: func(_ string, body []byte) bool { return strings.Contains(string(body), ":v") && strings.Contains(string(body), "was") }}
	_, err := w.process(t, nil, late.Wrap).Snooze(t.Context(), slow, w.Now().Add(time.Hour))
	require.Error(t, err)
	w.pass(10 * time.Minute)
	require.Equal(t, 2, w.unseen(t, "ann"), "wakes the other, and raises wake")
	w.pass(90 * time.Minute)
	require.Equal(t, 2, w.unseen(t, "ann"))
	require.Equal(t, 1, late.Arrive(t)) // resends are refused
	require.Equal(t, 1, w.unseen(t, "ann"))
	w.pass(100 * time.Minute)
	require.Equal(t, 2, w.unseen(t, "ann"))
}
