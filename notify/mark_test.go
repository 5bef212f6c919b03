package notify_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify"
)

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
	w.put(t, in("ann", 4))
	w.pass(time.Minute)
	last := w.put(t, in("ann", 5))
	require.Equal(t, 2, w.unseen(t, "ann"))
	require.NoError(t, w.MarkRead(t.Context(), "ann", []notify.Shown{{Group: in("ann", 5).Group, Last: last}}))
	require.Equal(t, 1, w.unseen(t, "ann"))
	e := w.entry(t, in("ann", 5))
	require.True(t, e.Seen)
	require.True(t, e.Read)

	w.allRead(t, "ann")
	for _, e := range w.list(t, "ann") {
		require.True(t, e.Seen)
		require.True(t, e.Read)
	}
	require.Equal(t, 0, w.unseen(t, "ann"))

	changed, err := w.MarkUnread(t.Context(), in("ann", 1))
	does(t, changed, err)
	changed, err = w.MarkUnread(t.Context(), in("ann", 1))
	doesNot(t, changed, err)
	e = w.entry(t, in("ann", 1))
	require.True(t, e.Seen)
	require.False(t, e.Read)
	w.allRead(t, "ann")
	require.True(t, w.entry(t, in("ann", 1)).Read)
}

func TestSnoozedGroupsAreHiddenUntilTheyAreDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 3 {
		w.put(t, in("ann", n))
	}
	w.allRead(t, "ann")
	w.pass(time.Minute)
	changed, err := w.Snooze(t.Context(), in("ann", 1), w.Now().Add(time.Hour))
	does(t, changed, err)
	require.Equal(t, groups("ann", 2, 0), names(w.list(t, "ann")))
	require.Equal(t, 0, w.unseen(t, "ann"))
	w.pass(time.Hour)
	require.Equal(t, groups("ann", 1, 2, 0), names(w.list(t, "ann")))
	require.Equal(t, 1, w.unseen(t, "ann"))
	e := w.entry(t, in("ann", 1))
	require.False(t, e.Seen)
	require.False(t, e.Read)
}
