package notify_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

func TestEraseLeavesNothingOfAUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 3 {
		w.put(t, in("ann", n))
		w.put(t, in("ann#", n))
	}
	w.forgeMany(t, "ann", 3, 27, asWritten)
	w.allRead(t, "ann")
	w.snooze(t, in("ann", 1), time.Hour)
	does(t)(w.Archive(t.Context(), in("ann", 2)))
	require.NoError(t, w.items(t).Put(map[string]any{"pk": userPK("ann"), "sk": "P", "odd": 1}).Run(t.Context()))
	w.forgeMany(t, "ann", 100, 60, func(_ int, g *raw) { g.Data = strings.Repeat("x", 20_000) }) // more than a read gives
	count := func(user string) int {
		var rows []map[string]any
		require.NoError(t, w.items(t).Get("pk", userPK(user)).Consistent(true).All(t.Context(), &rows))
		return len(rows)
	}
	require.Equal(t, 92, count("ann"))
	for range 2 {
		require.NoError(t, w.Erase(t.Context(), "ann"))
		require.Zero(t, count("ann"))
		require.Equal(t, 3, count("ann#"))
	}
	require.Empty(t, w.list(t, "ann"))
	require.Equal(t, 0, w.unseen(t, "ann"))

	// A mark of what was shown before brings no group back.
	view := notify.View{At: w.id(), Newest: w.id()}
	require.NoError(t, errOf(w.MarkRead(t.Context(), "ann", []notify.Shown{{Group: in("ann", 1).Group, Last: ids.ID(1)}})))
	require.Zero(t, count("ann"))
	require.NoError(t, errOf(w.MarkSeen(t.Context(), "ann", view)))
	w.pass(time.Minute)
	w.put(t, in("ann", 1))
	require.Equal(t, 1, w.unseen(t, "ann"))
}

// What arrives during an Erase is whole, or goes with the next.
func TestEraseBesideWritersLeavesOnlyWholeGroups(t *testing.T) {
	t.Parallel()
	for range faults.Seeds(15) {
		w := newWorld(t, nil)
		var writers sync.WaitGroup
		for range 3 {
			writers.Go(func() {
				for n := range faults.Size(20, 10) {
					_, _, err := w.Notify(t.Context(), w.of(t, in("ann", n%4)))
					if err == nil && n%5 == 0 {
						_, err = w.Snooze(t.Context(), in("ann", n%4), noon.Add(time.Hour))
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 5 {
			require.NoError(t, w.Erase(t.Context(), "ann"))
		}
		writers.Wait()
		for _, g := range w.groups(t, "ann") {
			require.EqualValues(t, g.live, g.N)
		}
		w.pass(2 * time.Hour)
		require.Equal(t, len(w.groups(t, "ann")), w.unseen(t, "ann"))
		require.NoError(t, w.Erase(t.Context(), "ann"))
		require.Empty(t, w.list(t, "ann"))
	}
}
