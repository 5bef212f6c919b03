package notify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

func TestSmallAndHostileViews(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put(t, in("ann", 1))
	for _, v := range []notify.View{
		{At: 1, Newest: 1<<63 - 1}, {At: 1<<63 - 1, Newest: 1<<63 - 1, Recent: []ids.ID{1<<63 - 1}},
		{At: 1, Newest: 1, Recent: []ids.ID{1, 1, 1}},
	} {
		require.NoError(t, errOf(w.MarkSeen(t.Context(), "ann", v)))
		require.NoError(t, errOf(w.MarkAllRead(t.Context(), "ann", v)))
		require.Equal(t, 1, w.unseen(t, "ann"))
	}
}

// A group of which an entry is damaged still shows: its target's removal must not
// leave it there without an error.
func TestRemovingTheTargetOfADamagedGroupIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &notify.Options{Consistent: true})
	w.store(t, w.like("ann"))
	w.set(t, map[string]any{"eX": "bad"})
	require.Len(t, w.list(t, "bob"), 1)
	_, err := w.RetractTarget(t.Context(), "bob", feed.Ref{Kind: "photo", ID: "1"})
	require.ErrorIs(t, err, plaza.ErrCorrupt)
}

// Of whatever type an attribute is, the error says that the group is damaged.
func TestADamagedGroupIsNamedByWriters(t *testing.T) {
	t.Parallel()
	for i, attribute := range []string{"n", "rev", "lv", "ttl", "a1", "last", "data", "past", "cut", "floor", "was", "read", "more", "eX"} {
		for j, value := range []any{"bad", 7, true, []string{"x"}} {
			if attribute == "last" && value != "bad" || (i+j)%faults.Size(1, 5) > 0 {
				continue
			}
			w := newWorld(t, &notify.Options{Consistent: true})
			n := w.like("ann")
			w.store(t, n)
			w.set2(t, attribute, value)
			for what, err := range map[string]error{
				"notify":  errOf3(w.Notify(t.Context(), w.like("chris"))),
				"same":    errOf3(w.Notify(t.Context(), n)),
				"retract": errOf(w.Retract(t.Context(), n)),
			} {
				if err != nil && !errors.Is(err, plaza.ErrCorrupt) && !errors.Is(err, plaza.ErrConflict) {
					t.Errorf("%s of %s = %v: %v", what, attribute, value, err)
				}
			}
		}
	}
}

func errOf3[A, B any](_ A, _ B, err error) error { return err }

func (w world) set2(t testing.TB, name string, value any) {
	t.Helper()
	var keys []struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
	}
	require.NoError(t, w.items(t).Scan().All(t.Context(), &keys))
	for _, k := range keys {
		if strings.HasPrefix(k.SK, "G#") {
			require.NoError(t, w.items(t).Update("pk", k.PK).Range("sk", k.SK).SetExpr("$ = ?", name, value).Run(t.Context()))
		}
	}
}

// Both ways to count in one group.
func TestOneGroupCountsBothWays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	by := func(n notify.Notification, c notify.CountBy) notify.Notification { n.CountBy = c; return n }
	var all []notify.Notification
	for _, actor := range faults.Some(4, `a#\`, strings.Repeat("#", 256), "k:#", "ann", "e", "#", `\`, "1:2:3") {
		var ref feed.Ref
		require.NoError(t, ref.UnmarshalText([]byte(actor)))
		for _, c := range []notify.CountBy{notify.ByActivity, notify.ByActor} {
			n := by(w.like("x"), c)
			n.Activity.Actor = ref
			w.store(t, n)
			all = append(all, n)
		}
	}
	require.Equal(t, len(all), int(w.group(t).N))
	for i, n := range all {
		require.Equal(t, isStored, w.outcome(t, n))
		require.True(t, w.retract(t, n), "%d", i)
		require.False(t, w.retract(t, n))
		require.Equal(t, isDropped, w.outcome(t, n))
		require.Equal(t, len(all)-i-1, int(w.group(t).N))
	}
	require.Empty(t, w.list(t, "bob"))
}

// Requests that arrive after their callers gave up bring back nothing that was
// retracted.
func TestALateNotifyOfARemovedTargetChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" }}
	p := w.process(t, nil, late.Wrap)
	w.store(t, w.like("ann"))
	n := w.like("chris")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	_, _, err := p.Notify(ctx, n)
	cancel()
	require.Error(t, err)
	w.pass(time.Second)
	_, err = w.RetractTarget(t.Context(), "bob", n.Activity.Object)
	require.NoError(t, err)
	late.Arrive(t)
	require.Empty(t, w.list(t, "bob"))
	require.Equal(t, isDropped, w.outcome(t, n))
}

// A user with many snoozed groups that are due at once.
func TestManyGroupsDueAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put(t, in("ann", 0))
	w.snooze(t, in("ann", 0), time.Hour)
	due := ids.At(w.Now().Add(time.Hour))
	w.forgeMany(t, "ann", 1, 120, func(n int, g *raw) {
		g.Was = g.Place
		g.Place = fmt.Sprintf("+%s#%012x", due.String(), n)
	})
	w.pass(2 * time.Hour)
	calls := 0
	for ; len(w.snoozed(t, "ann")) > 0; calls++ {
		c, err := w.Unseen(t.Context(), reader("ann"))
		require.NoError(t, err)
		require.True(t, c.More)
		require.LessOrEqual(t, c.N, 25*(calls+1))
		require.Less(t, calls, 20)
	}
	t.Log(calls)
}
