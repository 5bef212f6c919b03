package notify_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
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
	require.NoError(t, errOf(w.MarkRead(t.Context(), "ann", shown(w.entry(t, in("ann", 5))))))
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
	doesNot(t)(w.MarkUnread(t.Context(), to))
	for _, read := range []func(){
		func() { require.NoError(t, errOf(w.MarkRead(t.Context(), "ann", shown(w.entry(t, to))))) },
		func() { w.allRead(t, "ann") },
		// A clock that is slow by more than the user needs for it.
		func() {
			slow := w.skewed(t, -time.Hour, nil)
			require.NoError(t, errOf(slow.MarkAllRead(t.Context(), "ann", notify.See(slow.list(t, "ann")))))
		},
		func() {
			slow := w.skewed(t, -time.Hour, nil)
			require.NoError(t, errOf(slow.MarkRead(t.Context(), "ann", shown(w.entry(t, to)))))
		},
	} {
		read()
		require.True(t, w.entry(t, to).Read)
		does(t)(w.MarkUnread(t.Context(), to))
		doesNot(t)(w.MarkUnread(t.Context(), to))
		e := w.entry(t, to)
		require.False(t, e.Read)
		w.allRead(t, "ann")
		require.True(t, w.entry(t, to).Read)
		does(t)(w.MarkUnread(t.Context(), to))
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
				require.NoError(t, errOf(device.MarkAllRead(t.Context(), user, m.view)))
				all = all || m.view.Newest == fresh.Newest
			} else {
				require.NoError(t, errOf(device.MarkSeen(t.Context(), user, m.view)))
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
	require.NoError(t, errOf(w.MarkSeen(t.Context(), "ann", view)))
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
		require.NoError(t, errOf(w.MarkAllRead(t.Context(), "ann", notify.See(page.Items[1:]))))
		require.NoError(t, errOf(w.MarkSeen(t.Context(), "ann", notify.See(page.Items[:1]))))
		require.Equal(t, left-3, w.unseen(t, "ann"))
		req.Cursor = page.Next
	}
	var read []bool
	for _, e := range w.list(t, "ann") {
		read = append(read, e.Read)
	}
	require.Equal(t, []bool{false, true, true, false, true, true, false, true, true}, read)
}

func TestWhatWasShownStaysSeenWhenItsNewestEventIsRetracted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	to := in("ann", 1)
	w.put(t, to)
	w.pass(3 * time.Second)
	last := w.of(t, to)
	w.store(t, last)
	w.allRead(t, "ann")
	w.retract(t, last)
	e := w.entry(t, to)
	require.Equal(t, 1, e.N)
	require.True(t, e.Seen && e.Read)
	require.Equal(t, 0, w.unseen(t, "ann"))
	does(t)(w.MarkUnread(t.Context(), to))
	require.NoError(t, errOf(w.MarkRead(t.Context(), "ann", shown(w.entry(t, to)))))
	require.True(t, w.entry(t, to).Read)
	w.put(t, to)
	e = w.entry(t, to)
	require.False(t, e.Seen || e.Read)
}

func TestHostileViewsMarkNothingThatIsStillToCome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put(t, in("ann", 1))
	w.pass(time.Minute)
	const last = ids.ID(1<<63 - 1)
	for text, recent := range map[string][]ids.ID{
		`{"at":"7ZZZZZZZZZZZZ","newest":"7ZZZZZZZZZZZZ"}`:                            nil,
		`{"at":"7ZZZZZZZZZZZZ","newest":"7ZZZZZZZZZZZZ","recent":["7ZZZZZZZZZZZZ"]}`: {last},
	} {
		var view notify.View
		require.NoError(t, json.Unmarshal([]byte(text), &view))
		require.Equal(t, recent, view.Recent)
		require.NoError(t, errOf(w.MarkSeen(t.Context(), "ann", view)))
		require.NoError(t, errOf(w.MarkAllRead(t.Context(), "ann", view)))
		require.NoError(t, errOf(w.MarkRead(t.Context(), "ann", []notify.Shown{{Group: in("ann", 1).Group, Last: last}})))
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
	require.NoError(t, errOf(w.MarkSeen(t.Context(), "ann", hostile)))
	w.seen(t, "ann")
	require.Equal(t, 0, w.unseen(t, "ann"))
	for _, text := range []string{`{"at":7}`, `{"at":"7zzzzzzzzzzzz"}`, `{"newest":"8000000000000"}`, `{"recent":[{}]}`, `{"recent":"x"}`, `[]`} {
		require.Error(t, json.Unmarshal([]byte(text), new(notify.View)), text)
	}
}

func TestManyMarksFitTheirState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.forgeMany(t, "ann", 0, 150, asWritten)
	view := notify.See(w.list(t, "ann"))
	require.Len(t, view.Recent, 100)
	w.allRead(t, "ann")
	w.forgeMany(t, "ann", 200, 50, asWritten)
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
