package notify_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// operation is a call that writes several items, or writes each time, about the groups of a
// user. Groups 0 to 3 are there.
type operation struct {
	ahead   time.Duration // of the clock of who calls it
	prepare func(t *testing.T, w world, user string)
	call    func(ctx context.Context, w world, user string) error
	check   func(t *testing.T, w world, user string) // once it was repeated until it succeeded
}

// written is ann's nth event of that verb about a picture, each time the same.
func written(user, verb string, n ids.ID) notify.Notification {
	return notify.Notification{User: user, Activity: feed.Activity{
		ID: ids.At(noon) + n, Actor: feed.Ref{ID: "ann"}, Verb: verb, Object: feed.Ref{Kind: "picture", ID: "7"},
	}}
}

// emptied checks that groups were stored and emptied by one write each.
func emptied(groups int) func(t *testing.T, w world, user string) {
	return func(t *testing.T, w world, user string) {
		empty := 0
		for _, g := range w.groups(t, user) {
			if g.N == 0 {
				require.EqualValues(t, 2, g.Rev)
				empty++
			}
		}
		require.Equal(t, groups, empty)
	}
}

// marking marks all that a list shows as read. One of its groups is new.
func marking(mark func(ctx context.Context, w world, user string, entries []notify.Entry) error) operation {
	return operation{
		prepare: func(t *testing.T, w world, user string) {
			w.seen(t, user)
			w.forge(t, in(user, 4), func(*raw) {})
		},
		call: func(ctx context.Context, w world, user string) error {
			page, err := w.List(ctx, reader(user), cursor.PageRequest{})
			if err != nil {
				return err
			}
			return mark(ctx, w, user, page.Items)
		},
		check: func(t *testing.T, w world, user string) {
			for _, e := range w.list(t, user) {
				require.True(t, e.Seen && e.Read)
			}
		},
	}
}

// waking reads after three snoozed groups are due.
func waking(call func(ctx context.Context, w world, user string) error) operation {
	return operation{
		ahead: 2 * time.Hour,
		prepare: func(t *testing.T, w world, user string) {
			w.seen(t, user)
			for n := range 3 {
				does(t)(w.Snooze(t.Context(), in(user, n), noon.Add(time.Hour+time.Duration(n)*time.Second)))
			}
		},
		call: call,
		check: func(t *testing.T, w world, user string) {
			late := w.skewed(t, 2*time.Hour, nil)
			require.Equal(t, 3, late.unseen(t, user))
			got := names(late.list(t, user))
			require.ElementsMatch(t, groups(user, 0, 1, 2), got[:3])
			require.Empty(t, late.snoozed(t, user))
		},
	}
}

var operations = map[string]operation{
	"notify, by a put": {
		prepare: func(t *testing.T, w world, user string) { w.store(t, written(user, "like", 1)) },
		call: func(ctx context.Context, w world, user string) error {
			return errOf3(w.Notify(ctx, written(user, "like", 2)))
		},
		check: func(t *testing.T, w world, user string) {
			res, created, err := w.Notify(t.Context(), written(user, "like", 2))
			require.NoError(t, err)
			require.False(t, created)
			g := w.inTable(t, in(user, 7))
			require.Equal(t, []int{2, 2}, []int{g.N, g.Rev})
			require.Equal(t, notify.Result{Group: in(user, 7).Group, Last: g.Last}, res)
		},
	},
	"notify, by an update": {
		call: func(ctx context.Context, w world, user string) error {
			return errOf3(w.Notify(ctx, written(user, "like", 1)))
		},
		check: func(t *testing.T, w world, user string) {
			require.Equal(t, isStored, w.outcome(t, written(user, "like", 1)))
			g := w.inTable(t, in(user, 7))
			require.Equal(t, []int{1, 1}, []int{g.N, g.Rev})
		},
	},
	"retract": {
		prepare: func(t *testing.T, w world, user string) { w.store(t, written(user, "like", 1)) },
		call: func(ctx context.Context, w world, user string) error {
			return errOf(w.Retract(ctx, written(user, "like", 1)))
		},
		check: emptied(1),
	},
	"retract target": {
		prepare: func(t *testing.T, w world, user string) {
			w.store(t, written(user, "like", 1), written(user, "share", 2))
		},
		call: func(ctx context.Context, w world, user string) error {
			return errOf(w.RetractTarget(ctx, user, feed.Ref{Kind: "picture", ID: "7"}))
		},
		check: emptied(2),
	},
	"mark all read": marking(func(ctx context.Context, w world, user string, entries []notify.Entry) error {
		return errOf(w.MarkAllRead(ctx, user, notify.See(entries)))
	}),
	"mark seen, then read": marking(func(ctx context.Context, w world, user string, entries []notify.Entry) error {
		var all []notify.Shown
		for _, e := range entries {
			all = append(all, shown(e)...)
		}
		if _, err := w.MarkSeen(ctx, user, notify.See(entries)); err != nil {
			return err
		}
		return errOf(w.MarkRead(ctx, user, all))
	}),
	"mark announcements read": {
		call: func(ctx context.Context, w world, user string) error {
			return errOf(w.MarkRead(ctx, user, []notify.Shown{{Last: ids.At(noon) + 1}, {Last: ids.At(noon) + 2}}))
		},
		check: func(t *testing.T, w world, user string) {
			n, err := w.MarkRead(t.Context(), user, []notify.Shown{{Last: ids.At(noon) + 1}, {Last: ids.At(noon) + 2}})
			require.NoError(t, err)
			require.Zero(t, n)
		},
	},
	"snooze": {
		call: func(ctx context.Context, w world, user string) error {
			return errOf(w.Snooze(ctx, in(user, 1), noon.Add(24*time.Hour)))
		},
		check: func(t *testing.T, w world, user string) {
			require.Equal(t, groups(user, 3, 2, 0), names(w.list(t, user)))
			require.Equal(t, groups(user, 1), names(w.snoozed(t, user)))
			late := w.skewed(t, noon.Add(24*time.Hour).Sub(w.Now()), nil)
			require.Equal(t, groups(user, 1, 3, 2, 0), names(late.list(t, user)))
		},
	},
	"wake by a count": waking(func(ctx context.Context, w world, user string) error { return errOf(w.Unseen(ctx, reader(user))) }),
	"wake by a count of the unread": waking(func(ctx context.Context, w world, user string) error {
		return errOf(w.UnreadCount(ctx, reader(user)))
	}),
	"erase": {
		call:  func(ctx context.Context, w world, user string) error { return w.Erase(ctx, user) },
		check: func(t *testing.T, w world, user string) { require.Empty(t, w.list(t, user)) },
	},
}

// run calls the operation until it succeeds, by a process with a fault, then by
// another, and checks what became of it.
func (o operation) run(t *testing.T, w world, user string, faulty func(call func(context.Context, world) error) error) {
	t.Helper()
	w.forgeMany(t, user, 0, 4, asWritten)
	if o.prepare != nil {
		o.prepare(t, w, user)
	}
	err := faulty(func(ctx context.Context, p world) error { return o.call(ctx, p, user) })
	if err != nil {
		require.NoError(t, o.call(t.Context(), w.skewed(t, o.ahead, nil), user))
	}
	o.check(t, w, user)
}

// A process is killed at each of its writes in turn, or its caller gives up at each request.
func TestAnInterruptedCallLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	interrupts := []func(in *faults.Injector, k int, giveUp func()){
		func(in *faults.Injector, k int, _ func()) { in.KillAt(k) },
		(*faults.Injector).HangAt,
		func(in *faults.Injector, k int, _ func()) { in.KillBefore(k) },
	}
	for name, o := range operations {
		for i, interrupt := range faults.Some(2, interrupts...) {
			interrupted := true
			for k := 1; interrupted; k += 1 + i*faults.Size(0, 1) {
				inject := faults.New(t, 1, faults.Rates{})
				ctx, giveUp := context.WithCancel(t.Context())
				interrupt(inject, k, giveUp)
				o.run(t, w, fmt.Sprint(name, k, i), func(call func(context.Context, world) error) error {
					err := call(ctx, w.skewed(t, o.ahead, nil, inject.Wrap))
					interrupted = inject.Count(faults.KilledBefore)+inject.Count(faults.KilledAfter)+inject.Count(faults.Hung) > 0
					require.Equal(t, interrupted, err != nil, "%s, interrupted at %d: %v", name, k, err)
					return err
				})
				giveUp()
				require.Less(t, k, 20)
			}
		}
	}
}

func TestFaultsDoNoHarm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for seed := range faults.Seeds(15) {
		for name, o := range operations {
			inject := faults.New(t, seed, faults.Rates{LostBefore: 0.05, LostAfter: 0.15, Throttled: 0.05, Twice: 0.1, Conflict: 0.05})
			o.run(t, w, fmt.Sprint(name, seed), func(call func(context.Context, world) error) error {
				p := w.skewed(t, o.ahead, nil, inject.Wrap)
				faults.Acknowledged(t, func() error { return call(t.Context(), p) })
				return nil
			})
		}
	}
}

// A reader whose reads lag marks and moves what it knows of, and nothing else.
func TestReadsThatLagDoNoHarm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for seed := range faults.Seeds(20) {
		user := fmt.Sprint("user ", seed)
		inject := faults.New(t, seed, faults.Rates{Stale: 0.5})
		p := w.process(t, &notify.Options{}, inject.Wrap)
		for n := range 3 {
			w.put(t, in(user, n))
		}
		require.NoError(t, errOf(p.Snooze(t.Context(), in(user, 0), w.Now().Add(time.Hour))))
		var marked []notify.Entry
		for range 3 {
			page, err := p.List(t.Context(), reader(user), cursor.PageRequest{})
			require.NoError(t, err)
			require.NoError(t, errOf(p.MarkSeen(t.Context(), user, notify.See(page.Items))))
			marked = append(marked, page.Items...)
			w.put(t, in(user, 3))
		}
		for _, e := range w.list(t, user) {
			require.Equal(t, slices.ContainsFunc(marked, func(m notify.Entry) bool { return m.Last == e.Last }), e.Seen)
		}
		w.pass(2 * time.Hour)
		for range 40 { // a state that lags wakes nobody yet
			require.NoError(t, errOf(p.Unseen(t.Context(), reader(user))))
		}
		require.Empty(t, w.snoozed(t, user))
		require.Equal(t, in(user, 0).Group, w.list(t, user)[0].Group)
	}
}

// A hot user is notified, and marks what lists show whose index lags.
func TestAHotUserAndListsThatLag(t *testing.T) {
	t.Parallel()
	lag, hot := faults.NewLag(t, 1), &faults.Buckets{PerSecond: 300}
	w := newWorld(t, &notify.Options{}, lag.Wrap, hot.Wrap)
	ctx := t.Context()
	does := func(want bool, call func() (bool, error)) {
		t.Helper()
		require.Equal(t, want, hot.Changes(t, call))
	}

	fast := w.process(t, nil)
	live := map[string]int{}  // events, by group
	had := map[string]bool{}  // what fast has listed
	seen := map[ids.ID]bool{} // what a list showed
	state := func(e notify.Entry) string { return fmt.Sprint(e.Group, e.Last, e.N) }
	look := func() {
		for _, e := range fast.list(t, "bob") {
			had[state(e)] = true
		}
	}
	for n := 0; hot.Throttled() < 50 || lag.Reads() < 50; n++ {
		require.Less(t, n, 300)
		event := w.like(fmt.Sprint("actor ", n))
		event.Activity.Object.ID = fmt.Sprint(n % 4)
		group := ""
		does(true, func() (bool, error) {
			res, created, err := w.Notify(ctx, event)
			group = res.Group
			return created, err
		})
		live[group]++
		look()
		does(false, func() (bool, error) { _, created, err := w.Notify(ctx, event); return created, err })
		if n%3 == 0 {
			does(true, func() (bool, error) { return w.Retract(ctx, event) })
			live[group]--
			look()
		}
		var page cursor.Page[notify.Entry]
		does(false, func() (_ bool, err error) {
			page, err = w.List(ctx, reader("bob"), cursor.PageRequest{})
			return false, err
		})
		for _, e := range page.Items {
			require.True(t, had[state(e)], "a list shows what a group was")
			seen[e.Last] = true
		}
		does(false, func() (bool, error) { _, err := w.MarkSeen(ctx, "bob", notify.See(page.Items)); return false, err })
	}
	require.Positive(t, hot.Busy())
	unseen := 0
	for _, e := range fast.list(t, "bob") {
		require.Equal(t, live[e.Group], e.N, e.Group)
		require.Equal(t, seen[e.Last], e.Seen)
		if !e.Seen {
			unseen++
		}
	}
	count := notify.Count{}
	for range 50 {
		does(false, func() (_ bool, err error) { count, err = w.Unseen(ctx, reader("bob")); return false, err })
	}
	require.Equal(t, unseen, count.N)
}
