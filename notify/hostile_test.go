package notify_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// Of whatever type an attribute is, the error of each call says that the group is damaged,
// if the call notices.
func TestADamagedGroupIsNamed(t *testing.T) {
	t.Parallel()
	until := noon.Add(time.Hour)
	for i, attribute := range []string{"n", "rev", "lv", "ttl", "a1", "last", "data", "past", "cut", "floor", "was", "read", "more", "eX"} {
		for j, value := range []any{"bad", 7, true, []string{"x"}} {
			if attribute == "last" && value != "bad" || (i+j)%faults.Size(1, 5) > 0 {
				continue
			}
			w := newWorld(t, nil)
			n := w.like("ann")
			w.store(t, n)
			to, write := notify.In{User: "bob", Group: "photo:1#like#2026-03-10"}, w.items(t).Update("pk", "N#bob").Range("sk", "G#photo:1#like#2026-03-10")
			require.NoError(t, write.SetExpr("$ = ?", attribute, value).Run(t.Context()))
			for what, err := range map[string]error{
				"notify":    errOf3(w.Notify(t.Context(), w.like("chris"))),
				"same":      errOf3(w.Notify(t.Context(), n)),
				"retract":   errOf(w.Retract(t.Context(), n)),
				"target":    errOf(w.RetractTarget(t.Context(), "bob", n.Activity.Object)),
				"archive":   errOf(w.Archive(t.Context(), to)),
				"unarchive": errOf(w.Unarchive(t.Context(), to)),
				"snooze":    errOf(w.Snooze(t.Context(), to, until)),
				"unsnooze":  errOf(w.Unsnooze(t.Context(), to)),
				"unread":    errOf(w.MarkUnread(t.Context(), to)),
				"read":      errOf(w.MarkRead(t.Context(), "bob", []notify.Shown{{Group: to.Group, Last: 1<<63 - 1}})),
			} {
				noticed := errors.Is(err, plaza.ErrCorrupt)
				require.True(t, noticed || err == nil || errors.Is(err, plaza.ErrConflict), "%s of %s = %v: %v", what, attribute, value, err)
				if attribute == "n" && value == "bad" || attribute == "eX" && what == "target" {
					require.True(t, noticed, "%s of %s = %v: %v", what, attribute, value, err)
				}
			}
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
