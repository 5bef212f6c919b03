package prefs_test

import (
	"fmt"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

func TestEraseDeletesAllThatPrefsHasOfAUser(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 3, faults.Rates{LostBefore: 0.05, LostAfter: 0.1, Throttled: 0.05, Unprocessed: 0.3})
	w := newWorld(t, nil)
	group := dynamo.Item{"pk": text("N#ann"), "sk": text("G#picture:10#like#2026-11-21")}
	require.NoError(t, w.raw(t).Put(group).Run(t.Context()))
	w.block(t, prefs.Pair{User: "bob", Actor: "ann"})
	kept := w.stored(t)
	require.Len(t, kept, 2)

	w.set(t, about("like", prefs.InApp), false)
	for i := range 30 {
		w.block(t, prefs.Pair{User: "ann", Actor: fmt.Sprint("user ", i)})
		w.mute(t, prefs.Topic{User: "ann", Object: feed.Ref{ID: fmt.Sprint(i)}})
	}
	does(t, true)(w.Unblock(t.Context(), prefs.Pair{User: "ann", Actor: "user 7"}))
	require.True(t, w.decide(t, of("like")).Drop)

	faulty := w.process(t, nil, in.Wrap)
	faults.Acknowledged(t, func() error { return faulty.Erase(t.Context(), "ann") })
	in.Off()
	require.ElementsMatch(t, kept, w.stored(t))
	require.NoError(t, w.Erase(t.Context(), "ann"), "again")
	require.False(t, w.decide(t, of("like")).Drop, "this process has nothing cached")
}
