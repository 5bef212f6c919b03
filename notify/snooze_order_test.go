package notify_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// orders are all orders of a and b steps of two processes, with and without one pause
// anywhere among them.
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
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	// Few others notice that wake may rise before the move arrives. Runs have only the first ones.
	hard := slices.Index(all, "sspswwsww")
	all[0], all[hard] = all[hard], all[0]
	return all
}

// In every order of the requests of a Snooze and of a reader that raises wake, and
// wherever time passes, the group comes back when it is due.
func TestNoOrderOfRequestsLosesASnoozedGroup(t *testing.T) {
	t.Parallel()
	all := orders(4, 4)
	require.Len(t, all, 10*70)
	slow, soon, far := in("", 1), in("", 2), in("", 3)
	for i := range faults.Seeds(uint64(len(all) / 12)) { // sixty orders are enough
		order, w := all[i], newWorld(t, nil) // its clock goes on for hours
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

			s, r := faults.NewSteps(), faults.NewSteps()
			snoozer, waker := w.process(t, nil, s.Wrap), w.process(t, nil, r.Wrap)
			var changed bool
			var err, failed error
			due := w.Now().Add(c.due)
			for _, step := range order + "sw" {
				switch step {
				case 's':
					s.Start(func() { changed, err = snoozer.Snooze(t.Context(), slow, due) })
					s.Step()
				case 'w':
					r.Start(func() { _, failed = waker.Unseen(t.Context(), reader(user)) })
					r.Step()
				default:
					w.pass(c.pause)
				}
			}
			s.Finish()
			r.Finish()
			does(t)(changed, err)
			require.NoError(t, failed)
			require.Equal(t, 1, w.unseen(t, user), order) // which may raise wake too
			w.pass(due.Sub(w.Now()))
			require.Equal(t, 2, w.unseen(t, user), order)
		}
	}
}

// A Snooze that arrives after its caller gave up, when wake was raised past it, is found
// later.
func TestASnoozeThatArrivesLateIsNotLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	slow, soon := in("ann", 1), in("ann", 2)
	w.put(t, slow)
	w.put(t, soon)
	w.snooze(t, soon, time.Minute)
	late := &faults.Late{Holds: func(op string, body []byte) bool {
		return op == "UpdateItem" && strings.Contains(string(body), "was")
	}}
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
