package feed_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestUpdateReportsWhetherTheContentChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	chris := w.Outbox("chris")
	first, _, err := chris.Publish(t.Context(), addressed("chris", 1, "birds"))
	require.NoError(t, err)
	for name, edit := range map[string]func(*feed.Activity){
		"nothing":     func(*feed.Activity) {},
		"actor":       func(a *feed.Activity) { a.Actor.ID = "ann" },
		"verb":        func(a *feed.Activity) { a.Verb = "share" },
		"object":      func(a *feed.Activity) { a.Object.ID = "7" },
		"no object":   func(a *feed.Activity) { a.Object = feed.Ref{} },
		"target":      func(a *feed.Activity) { a.Target = feed.Ref{Kind: "album", ID: "7"} },
		"time":        func(a *feed.Activity) { a.Time = a.Time.Add(-1) },
		"time's zone": func(a *feed.Activity) { a.Time = a.Time.In(time.FixedZone("east", 3600)) },
		"data":        func(a *feed.Activity) { a.Data = []byte(`1`) },
		"no data":     func(a *feed.Activity) { a.Data = nil },
	} {
		want := name != "nothing" && name != "time's zone"
		edited := first
		edit(&edited)
		stands := edited
		stands.Time = stands.Time.UTC()
		for range 2 {
			got, changed, err := chris.Update(t.Context(), edited)
			require.NoError(t, err)
			require.Equal(t, want, changed, name)
			require.Equal(t, stands, got, name)
			got, err = chris.Get(t.Context(), first.ID)
			require.NoError(t, err)
			require.Equal(t, stands, got, name)
			want = false
		}
		_, _, err := chris.Update(t.Context(), first)
		require.NoError(t, err)
	}
}

// The SDK repeats an update whose answer was lost, after the activity was removed.
func TestAnUpdateThatWasRemovedSinceIsErrRemoved(t *testing.T) {
	t.Parallel()
	cache := memoryCache(t, nil)
	w := newWorld(t, &feed.Options{Cache: cache})
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 1)[0]
	in, sent := faults.New(t, 1, faults.Rates{}), 0
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if sent++; sent == 1 {
			return faults.Fault{Kind: faults.LostAfter}
		}
		require.True(t, w.remove(t, "chris", done.ID))
		return faults.Fault{}
	})
	done.Verb = "share"
	_, _, err := w.process(t, &feed.Options{Cache: cache}, in.Wrap).Outbox("chris").Update(t.Context(), done)
	require.ErrorIs(t, err, plaza.ErrRemoved)
	require.Empty(t, all(t, w.Home("jack").List, 10))
}
