package notify_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify"
)

// The user looks within Window of the events, which are retracted later, one by one.
func TestRetractionsNeverMakeASeenOrReadGroupUnseen(t *testing.T) {
	t.Parallel()
	for name, mark := range map[string]func(world, notify.View) error{
		"seen": func(w world, v notify.View) error { return errOf(w.MarkSeen(t.Context(), "bob", v)) },
		"read": func(w world, v notify.View) error { return errOf(w.MarkAllRead(t.Context(), "bob", v)) },
	} {
		w := newWorld(t, nil)
		left, second, third := w.like("ann"), w.like("chris"), w.like("dora")
		w.store(t, left)
		w.pass(time.Second)
		w.store(t, second)
		w.pass(time.Second)
		require.NoError(t, mark(w, notify.See(w.list(t, "bob"))))
		require.Zero(t, w.unseen(t, "bob"))
		w.pass(time.Second)
		w.store(t, third)
		require.Equal(t, 1, w.unseen(t, "bob"))
		w.pass(24 * time.Hour)
		for _, n := range []notify.Notification{third, second} {
			require.True(t, w.retract(t, n))
			require.Zero(t, w.unseen(t, "bob"), name)
			e := w.list(t, "bob")[0]
			require.True(t, e.Seen)
			require.Equal(t, name == "read", e.Read)
		}
		w.store(t, w.like("eve"))
		require.Equal(t, 1, w.unseen(t, "bob"))
	}
}

// What was not seen of a woken group is its waking, which no retraction hides.
func TestARetractionLeavesAWokenGroupUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	left, gone := w.like("ann"), w.like("chris")
	res := w.store(t, left)
	w.pass(time.Minute)
	require.NoError(t, errOf(w.MarkSeen(t.Context(), "bob", notify.See(w.list(t, "bob")))))
	changed, err := w.Snooze(t.Context(), notify.In{User: "bob", Group: res.Group}, w.Now().Add(time.Hour))
	require.NoError(t, err)
	require.True(t, changed)
	require.Zero(t, w.unseen(t, "bob"))
	w.pass(2 * time.Hour)
	require.Equal(t, 1, w.unseen(t, "bob"))
	w.store(t, gone)
	require.True(t, w.retract(t, gone))
	require.Equal(t, 1, w.unseen(t, "bob"))
}
