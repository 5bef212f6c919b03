package notify_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

func shown(e notify.Entry) []notify.Shown { return []notify.Shown{{Group: e.Group, Last: e.Last}} }

func TestSeenIsNotReadButReadIsSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 3 {
		w.put(t, in("ann", n))
	}
	require.Equal(t, 3, w.unseen(t, "ann"))
	w.seen(t, "ann")
	require.Equal(t, 0, w.unseen(t, "ann"))
	for _, e := range w.list(t, "ann") {
		require.True(t, e.Seen)
		require.False(t, e.Read)
	}
	w.pass(time.Minute)
	w.put(t, in("ann", 4))
	w.put(t, in("ann", 5))
	require.Equal(t, 2, w.unseen(t, "ann"))
	require.NoError(t, w.MarkRead(t.Context(), "ann", shown(w.entry(t, in("ann", 5)))))
	require.Equal(t, 1, w.unseen(t, "ann"))
	e := w.entry(t, in("ann", 5))
	require.True(t, e.Seen && e.Read)
	w.allRead(t, "ann")
	for _, e := range w.list(t, "ann") {
		require.True(t, e.Seen && e.Read)
	}
	require.Equal(t, 0, w.unseen(t, "ann"))
}

func TestAGroupMarkedUnreadIsUnreadUntilItIsReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	to := in("ann", 1)
	w.put(t, to)
	changed, err := w.MarkUnread(t.Context(), to)
	doesNot(t, changed, err)
	for _, read := range []func(){
		func() { require.NoError(t, w.MarkRead(t.Context(), "ann", shown(w.entry(t, to)))) },
		func() { w.allRead(t, "ann") },
		// A clock that is slow by more than the user needs for it.
		func() {
			slow := w.skewed(t, -time.Hour)
			require.NoError(t, slow.MarkAllRead(t.Context(), "ann", notify.See(slow.list(t, "ann"))))
		},
		func() {
			slow := w.skewed(t, -time.Hour)
			require.NoError(t, slow.MarkRead(t.Context(), "ann", shown(w.entry(t, to))))
		},
	} {
		read()
		require.True(t, w.entry(t, to).Read)
		changed, err := w.MarkUnread(t.Context(), to)
		does(t, changed, err)
		changed, err = w.MarkUnread(t.Context(), to)
		doesNot(t, changed, err)
		e := w.entry(t, to)
		require.False(t, e.Read)
		w.allRead(t, "ann")
		require.True(t, w.entry(t, to).Read)
		changed, err = w.MarkUnread(t.Context(), to)
		does(t, changed, err)
	}
	w.put(t, to)
	e := w.entry(t, to)
	require.False(t, e.Seen || e.Read)
}

func TestTwoDevicesMarkTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	phone, laptop := w.process(t, nil), w.process(t, nil)
	for n := range 3 {
		w.put(t, in("ann", n))
		w.pass(4 * time.Second)
	}
	stale := notify.See(w.list(t, "ann"))
	w.pass(time.Minute)
	w.put(t, in("ann", 3))
	fresh := notify.See(w.list(t, "ann"))
	w.pass(time.Minute)
	settled := notify.See(w.list(t, "ann"))
	require.Empty(t, settled.Recent)
	const read = true
	type mark struct {
		view notify.View
		read bool
	}
	for n, marks := range [][]mark{
		{{stale, read}, {fresh, read}},
		{{fresh, read}, {stale, read}},
		{{fresh, read}, {fresh, !read}, {stale, !read}, {fresh, read}},
		{{settled, read}, {stale, read}},
		{{settled, read}, {stale, !read}},
		{{fresh, !read}, {stale, read}, {settled, read}, {fresh, read}},
		{{settled, !read}, {stale, read}},
		{{settled, !read}, {stale, !read}, {stale, read}},
	} {
		user, all := fmt.Sprint("user ", n), false
		for i, m := range marks {
			device := []world{phone, laptop}[i%2]
			if m.read {
				require.NoError(t, device.MarkAllRead(t.Context(), user, m.view))
				all = all || m.view.Newest == fresh.Newest
			} else {
				require.NoError(t, device.MarkSeen(t.Context(), user, m.view))
			}
		}
		for _, e := range w.list(t, "ann") {
			w.forge(t, notify.In{User: user, Group: e.Group}, func(g *raw) {
				g.Place = strings.Replace(g.Place, g.Last.String(), e.Last.String(), 1)
				g.Last = e.Last
			})
		}
		require.Equal(t, 0, w.unseen(t, user), "a stale view takes nothing back")
		for i, e := range w.list(t, user) {
			require.True(t, e.Seen)
			require.Equal(t, all || i > 0, e.Read)
		}
		w.put(t, in(user, 9))
		require.Equal(t, 1, w.unseen(t, user))
	}
}

// The list of every order of the same marks by two devices is the same.
func TestMarksOfTwoDevicesAtOnceAreBothKept(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(60) {
		w := newWorld(t, nil)
		var views []notify.View
		for n := range 6 {
			w.put(t, in("ann", n))
			w.pass(3 * time.Second)
			views = append(views, notify.See(w.list(t, "ann")))
		}
		var devices sync.WaitGroup
		for device := range uint64(3) {
			p := w.process(t, nil, faults.New(t, seed*3+device, faults.Standard).Wrap)
			order := rand.New(rand.NewPCG(seed, device)).Perm(len(views))
			devices.Go(func() {
				for _, i := range order {
					faults.Acknowledged(t, func() error { return p.MarkSeen(t.Context(), "ann", views[i]) })
					if i%2 == 0 {
						faults.Acknowledged(t, func() error { return p.MarkAllRead(t.Context(), "ann", views[i]) })
					}
				}
			})
		}
		devices.Wait()
		require.Equal(t, 0, w.unseen(t, "ann"))
		var read []bool
		for _, e := range w.list(t, "ann") {
			require.True(t, e.Seen)
			read = append(read, e.Read)
		}
		require.Equal(t, []bool{false, true, true, true, true, true}, read)
	}
}

// Writers are slow: time passes before and after each of their requests, and lists
// and marks come between. What no view of a mark had is unseen in the end, and what
// one had is seen.
func TestAnEventThatWasNotShownIsNeverMarkedSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for seed := range faults.Seeds(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		user := fmt.Sprint("user ", seed)
		marked := map[ids.ID]bool{}
		var views []notify.View
		var lists [][]notify.Entry
		var writers []*steps
		for turn := range 60 {
			switch random.IntN(6) {
			case 0:
				if turn < 50 {
					s := newSteps()
					p := w.process(t, nil, s.Wrap)
					n := w.of(t, in(user, random.IntN(4)))
					s.start(func() {
						if _, _, err := p.Notify(t.Context(), n); err != nil {
							t.Error(err)
						}
					})
					writers = append(writers, s)
				}
			case 1, 2:
				if len(writers) > 0 {
					writers[random.IntN(len(writers))].step()
				}
			case 3:
				longest := []time.Duration{time.Second, notify.Window / 2, 2 * notify.Window}[random.IntN(3)]
				w.pass(time.Duration(random.Int64N(int64(longest))))
			case 4:
				lists = append(lists, w.list(t, user))
				views = append(views, notify.See(lists[len(lists)-1]))
			default:
				if len(views) > 0 {
					i := random.IntN(len(views))
					require.NoError(t, w.MarkSeen(t.Context(), user, views[i]))
					for _, e := range lists[i] {
						marked[e.Last] = true
					}
				}
			}
		}
		for _, s := range writers {
			s.finish()
		}
		unseen := 0
		for _, e := range w.list(t, user) {
			require.Equal(t, marked[e.Last], e.Seen, "seed %d: %v", seed, e)
			if !e.Seen {
				unseen++
			}
		}
		require.Equal(t, unseen, w.unseen(t, user))
	}
}

func TestTheCountIsThatOfTheListOnceAllIsQuiet(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(40) {
		w := newWorld(t, nil)
		var all sync.WaitGroup
		for worker := range uint64(4) {
			p := w.process(t, nil, faults.New(t, seed*4+worker, faults.Standard).Wrap)
			random := rand.New(rand.NewPCG(seed, worker))
			all.Go(func() {
				for range 15 {
					to := in("ann", random.IntN(6))
					until := w.Now().Add(time.Duration(random.IntN(20)+1) * time.Second)
					faults.Acknowledged(t, func() (err error) {
						switch random.IntN(8) {
						case 0, 1:
							_, _, err = p.Notify(t.Context(), w.of(t, to))
						case 2:
							_, err = p.Archive(t.Context(), to)
						case 3:
							_, err = p.Snooze(t.Context(), to, until)
						case 4:
							_, err = p.MarkUnread(t.Context(), to)
						default:
							var page cursor.Page[notify.Entry]
							if page, err = p.List(t.Context(), reader("ann"), cursor.PageRequest{}); err != nil {
								return err
							}
							view := notify.See(page.Items)
							if random.IntN(2) == 0 {
								err = p.MarkSeen(t.Context(), "ann", view)
							} else {
								err = p.MarkAllRead(t.Context(), "ann", view)
							}
						}
						return err
					})
					w.pass(time.Second)
				}
			})
		}
		all.Wait()
		for range 3 {
			unseen := 0
			for _, e := range w.list(t, "ann") {
				if !e.Seen {
					unseen++
				}
			}
			require.Equal(t, unseen, w.unseen(t, "ann"))
			w.pass(time.Minute) // wakes those that are snoozed
		}
		require.Empty(t, w.snoozed(t, "ann"))
	}
}

func TestAViewOfSeveralPagesIsAsOldAsItsFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 4 {
		w.put(t, in("ann", n))
		w.pass(time.Minute)
	}
	first, err := w.List(t.Context(), reader("ann"), cursor.PageRequest{Limit: 2})
	require.NoError(t, err)
	missed := w.put(t, in("ann", 4))
	w.pass(time.Minute)
	second, err := w.List(t.Context(), reader("ann"), cursor.PageRequest{Limit: 2, Cursor: first.Next})
	require.NoError(t, err)
	view := notify.See(slices.Concat(second.Items, first.Items))
	require.Equal(t, first.Items[0].Listed, view.At)
	require.Less(t, view.At, second.Items[0].Listed)
	require.NoError(t, w.MarkSeen(t.Context(), "ann", view))
	require.Equal(t, 1, w.unseen(t, "ann"))
	require.Equal(t, missed, w.list(t, "ann")[0].Last)
	require.Equal(t, notify.View{}, notify.See(nil))
}

func TestPagesMarkedOneByOneAreAllSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 9 {
		w.put(t, in("ann", n))
	}
	req := cursor.PageRequest{Limit: 3}
	for left := 9; left > 0; left -= 3 {
		page, err := w.List(t.Context(), reader("ann"), req)
		require.NoError(t, err)
		require.NoError(t, w.MarkAllRead(t.Context(), "ann", notify.See(page.Items[1:])))
		require.NoError(t, w.MarkSeen(t.Context(), "ann", notify.See(page.Items[:1])))
		require.Equal(t, left-3, w.unseen(t, "ann"))
		req.Cursor = page.Next
	}
	var read []bool
	for _, e := range w.list(t, "ann") {
		read = append(read, e.Read)
	}
	require.Equal(t, []bool{false, true, true, false, true, true, false, true, true}, read)
}

func TestHostileViewsMarkNothingThatIsStillToCome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put(t, in("ann", 1))
	w.pass(time.Minute)
	const last = ids.ID(1<<63 - 1)
	for text, recent := range map[string][]ids.ID{
		`{"at":"7ZZZZZZZZZZZZ","newest":"7ZZZZZZZZZZZZ"}`:                             nil,
		`{"at":"7ZZZZZZZZZZZZ","newest":"7ZZZZZZZZZZZZ","recent":["7ZZZZZZZZZZZZ"]}`: {last},
	} {
		var view notify.View
		require.NoError(t, json.Unmarshal([]byte(text), &view))
		require.Equal(t, recent, view.Recent)
		require.NoError(t, w.MarkSeen(t.Context(), "ann", view))
		require.NoError(t, w.MarkAllRead(t.Context(), "ann", view))
		require.NoError(t, w.MarkRead(t.Context(), "ann", []notify.Shown{{Group: in("ann", 1).Group, Last: last}}))
	}
	w.put(t, in("ann", 1))
	w.put(t, in("ann", 2))
	require.Equal(t, 2, w.unseen(t, "ann"))
	for _, e := range w.list(t, "ann") {
		require.False(t, e.Seen || e.Read)
	}
	// Nor does it keep out what was shown.
	hostile := notify.View{At: w.id(), Newest: last}
	for n := range ids.ID(100) {
		hostile.Recent = append(hostile.Recent, last-n)
	}
	require.NoError(t, w.MarkSeen(t.Context(), "ann", hostile))
	w.seen(t, "ann")
	require.Equal(t, 0, w.unseen(t, "ann"))
	for _, text := range []string{`{"at":7}`, `{"at":"7zzzzzzzzzzzz"}`, `{"newest":"8000000000000"}`, `{"recent":[{}]}`, `{"recent":"x"}`, `[]`} {
		require.Error(t, json.Unmarshal([]byte(text), new(notify.View)), text)
	}
}

func TestManyMarksFitTheirState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 150 {
		w.put(t, in("ann", n))
	}
	view := notify.See(w.list(t, "ann"))
	require.Len(t, view.Recent, 100)
	w.allRead(t, "ann")
	for n := range 50 {
		w.put(t, in("ann", 200+n))
	}
	w.allRead(t, "ann") // the newest hundred of both
	for i, e := range w.list(t, "ann") {
		require.True(t, e.Seen && e.Read, i)
	}
	c, err := w.Unseen(t.Context(), reader("ann"))
	require.NoError(t, err)
	require.Equal(t, notify.Count{N: 100}, c)
	require.Less(t, w.stateSize(t, "ann"), 5000)
	w.pass(2 * notify.Window)
	w.seen(t, "ann")
	require.Equal(t, 0, w.unseen(t, "ann"))
}

// A request that was lost and arrives after its user thought again changes nothing.
func TestLateRequestsChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	read := func(p world, to notify.In) error {
		return p.MarkRead(t.Context(), to.User, []notify.Shown{{Group: to.Group, Last: 1<<63 - 1}})
	}
	drop := func(_ bool, err error) error { return err }
	for name, c := range map[string]struct{ before, call, undo func(p world, to notify.In) error }{
		"read": {
			call: read,
			undo: func(p world, to notify.In) error { return drop(p.MarkUnread(t.Context(), to)) },
		},
		"unread": {
			before: read,
			call:   func(p world, to notify.In) error { return drop(p.MarkUnread(t.Context(), to)) },
			undo:   read,
		},
		"archive": {
			call: func(p world, to notify.In) error { return drop(p.Archive(t.Context(), to)) },
			undo: func(p world, to notify.In) error { return drop(p.Unarchive(t.Context(), to)) },
		},
		"unarchive": {
			before: func(p world, to notify.In) error { return drop(p.Archive(t.Context(), to)) },
			call:   func(p world, to notify.In) error { return drop(p.Unarchive(t.Context(), to)) },
			undo:   func(p world, to notify.In) error { return drop(p.Archive(t.Context(), to)) },
		},
		"snooze": {
			call: func(p world, to notify.In) error { return drop(p.Snooze(t.Context(), to, noon.Add(time.Hour))) },
			undo: func(p world, to notify.In) error { return drop(p.Unsnooze(t.Context(), to)) },
		},
		"unsnooze": {
			before: func(p world, to notify.In) error { return drop(p.Snooze(t.Context(), to, noon.Add(time.Hour))) },
			call:   func(p world, to notify.In) error { return drop(p.Unsnooze(t.Context(), to)) },
			undo:   func(p world, to notify.In) error { return drop(p.Snooze(t.Context(), to, noon.Add(time.Hour))) },
		},
	} {
		to := in(name, 1)
		last := w.put(t, to)
		if name == "read" {
			read = func(p world, to notify.In) error {
				return p.MarkRead(t.Context(), to.User, []notify.Shown{{Group: to.Group, Last: last}})
			}
			c.call = read
		}
		if c.before != nil {
			require.NoError(t, c.before(w, to))
		}
		late := &faults.Late{Holds: func(op string, body []byte) bool {
			return op == "UpdateItem" && strings.Contains(string(body), to.Group)
		}}
		require.Error(t, c.call(w.process(t, nil, late.Wrap), to), name)
		require.NoError(t, c.call(w, to), name)
		require.NoError(t, c.undo(w, to), name)
		before := w.stands(t, to)
		require.Zero(t, late.Arrive(t), name)
		require.Equal(t, before, w.stands(t, to), name)
	}
}

func TestRepeatsBySDKAreOneCall(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(100) {
		w := newWorld(t, nil)
		inject := faults.New(t, seed, faults.Rates{LostAfter: 0.3, Twice: 0.3})
		p := w.process(t, nil, inject.Wrap)
		to := in("ann", 1)
		w.put(t, to)
		until := w.Now().Add(time.Hour)
		truthful := func(call func() (bool, error)) {
			t.Helper()
			changed, err := call()
			if err == nil {
				require.True(t, changed)
				return
			}
			faults.Acknowledged(t, func() error { _, err := call(); return err }) // all answers were lost
		}
		truthful(func() (bool, error) { return p.Archive(t.Context(), to) })
		truthful(func() (bool, error) { return p.Unarchive(t.Context(), to) })
		truthful(func() (bool, error) { return p.Snooze(t.Context(), to, until) })
		truthful(func() (bool, error) { return p.Unsnooze(t.Context(), to) })
		w.allRead(t, "ann")
		truthful(func() (bool, error) { return p.MarkUnread(t.Context(), to) })
		require.False(t, w.entry(t, to).Read)
	}
}
