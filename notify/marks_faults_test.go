package notify_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// operation is a call that writes several items, or writes each time, about the groups 0
// to 3 of a user.
type operation struct {
	ahead   time.Duration // of the clock of who calls it
	prepare func(t *testing.T, w world, user string)
	call    func(ctx context.Context, w world, user string) error
	check   func(t *testing.T, w world, user string) // once it was repeated until it succeeded
}

var operations = map[string]operation{
	"mark all read": {
		prepare: func(t *testing.T, w world, user string) { w.seen(t, user) },
		call: func(ctx context.Context, w world, user string) error {
			page, err := w.List(ctx, reader(user), cursor.PageRequest{})
			if err != nil {
				return err
			}
			return errOf(w.MarkAllRead(ctx, user, notify.See(page.Items)))
		},
		check: func(t *testing.T, w world, user string) {
			for _, e := range w.list(t, user) {
				require.True(t, e.Read)
			}
		},
	},
	"snooze": {
		call: func(ctx context.Context, w world, user string) error {
			return errOf(w.Snooze(ctx, in(user, 1), noon.Add(24*time.Hour)))
		},
		check: func(t *testing.T, w world, user string) {
			require.Equal(t, groups(user, 3, 2, 0), names(w.list(t, user)))
			require.Equal(t, groups(user, 1), names(w.snoozed(t, user)))
			late := w.skewed(t, noon.Add(24*time.Hour).Sub(w.Now()))
			require.Equal(t, groups(user, 1, 3, 2, 0), names(late.list(t, user)))
		},
	},
	"wake": {
		ahead: 2 * time.Hour,
		prepare: func(t *testing.T, w world, user string) {
			w.seen(t, user)
			for n := range 3 {
				does(t)(w.Snooze(t.Context(), in(user, n), noon.Add(time.Hour+time.Duration(n)*time.Second)))
			}
		},
		call: func(ctx context.Context, w world, user string) error {
			return errOf(w.Unseen(ctx, reader(user)))
		},
		check: func(t *testing.T, w world, user string) {
			late := w.skewed(t, 2*time.Hour)
			require.Equal(t, 3, late.unseen(t, user))
			got := names(late.list(t, user))
			require.ElementsMatch(t, groups(user, 0, 1, 2), got[:3])
			require.Empty(t, late.snoozed(t, user))
		},
	},
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
		require.NoError(t, o.call(t.Context(), w.skewed(t, o.ahead), user))
	}
	o.check(t, w, user)
}

func TestAProcessThatIsKilledLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, o := range operations {
		killed := true
		for k := 1; killed; k++ {
			for i, kill := range faults.Some(1, (*faults.Injector).KillAt, (*faults.Injector).KillBefore) {
				inject := faults.New(t, 1, faults.Rates{})
				kill(inject, k)
				o.run(t, w, fmt.Sprint(name, k, i), func(call func(context.Context, world) error) error {
					err := call(t.Context(), w.skewed(t, o.ahead, inject.Wrap))
					killed = inject.Count(faults.KilledBefore)+inject.Count(faults.KilledAfter) > 0
					require.Equal(t, killed, err != nil, "%s, write %d", name, k)
					return err
				})
			}
			require.Less(t, k, 12)
		}
	}
}

func TestFaultsDoNoHarm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	names := []string{}
	for name := range operations {
		names = append(names, name)
	}
	slices.Sort(names)
	for seed := range faults.Seeds(15) {
		for _, name := range names {
			o := operations[name]
			inject := faults.New(t, seed, faults.Rates{LostBefore: 0.05, LostAfter: 0.15, Throttled: 0.05, Twice: 0.1, Conflict: 0.05})
			o.run(t, w, fmt.Sprint(name, seed), func(call func(context.Context, world) error) error {
				p := w.skewed(t, o.ahead, inject.Wrap)
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

func TestADamagedStateHidesNothing(t *testing.T) {
	t.Parallel()
	var damaged []string
	var mu sync.Mutex
	w := newWorld(t, &notify.Options{Consistent: true, OnCorrupt: func(e *plaza.CorruptError) {
		mu.Lock()
		defer mu.Unlock()
		damaged = append(damaged, e.SK)
	}})
	for name, state := range faults.Sample(3, map[string]map[string]any{
		"no state":       {"rev": 1},
		"no map":         {"rev": 1, "s": "text"},
		"no rev":         {"s": map[string]any{"w": "306SKMT000001"}},
		"a bad id":       {"rev": 1, "s": map[string]any{"w": "lower"}},
		"a bad list":     {"rev": 1, "s": map[string]any{"x": []byte{0, 1, 2}}},
		"an empty list":  {"rev": 1, "s": map[string]any{"x": "text"}},
		"out of order":   {"rev": 1, "s": map[string]any{"rx": append(append([]byte{0}, make([]byte, 15)...), 1)}},
		"bad dismissals": {"rev": 1, "s": map[string]any{"gone": []byte{0, 1}}},
		"odd dismissals": {"rev": 1, "s": map[string]any{"gone": []byte{}, "wake": 7}},
	}) {
		w.forgeMany(t, name, 0, 3, asWritten)
		state["pk"], state["sk"], state["last"] = userPK(name), "S", "~"
		require.NoError(t, w.items(t).Put(state).Run(t.Context()))
		damaged = nil
		require.Len(t, w.list(t, name), 3)
		require.Equal(t, 3, w.unseen(t, name))
		require.Equal(t, []string{"S", "S"}, damaged, name)
		page, err := w.List(t.Context(), reader(name), cursor.PageRequest{Limit: 1})
		require.NoError(t, err)
		page, err = w.List(t.Context(), reader(name), cursor.PageRequest{Limit: 1, Cursor: page.Next})
		require.NoError(t, err)
		require.Len(t, page.Items, 1)
		view := notify.See(page.Items)
		for _, err := range []error{
			errOf(w.MarkSeen(t.Context(), name, view)), errOf(w.MarkAllRead(t.Context(), name, view)), errOf(w.Dismiss(t.Context(), name, 7)),
		} {
			require.ErrorIs(t, err, plaza.ErrCorrupt, name)
		}
		_, err = w.Snooze(t.Context(), in(name, 1), w.Now().Add(time.Hour))
		require.ErrorIs(t, err, plaza.ErrCorrupt, name)
		require.Len(t, w.list(t, name), 3, "a group that nobody would wake is not hidden")
	}
}
