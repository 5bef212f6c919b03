package feed_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestAnActivityOfTwoEdgesShowsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var want []ids.ID
	for range faults.Size(3, 2) { // each edge brings everything
		w.subscribe(t, "jack", "chris")
		want = append(newestFirst(w.publish(t, "chris", 3)), want...)
		w.unfollow(t, "jack", "chris", keep)
	}
	w.subscribe(t, "jack", "chris")
	for limit := 1; limit <= 10; limit += faults.Size(1, 5) {
		require.Equal(t, want, all(t, w.Home("jack").List, limit), "by %d", limit)
	}
	w.unfollow(t, "jack", "chris", nil)
	require.Empty(t, all(t, w.Home("jack").List, 2), "kept history is hidden too")
}

func TestALaggingActivityIsReadAgain(t *testing.T) {
	t.Parallel()
	injector := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, &feed.Options{}, injector.Wrap)
	w.subscribe(t, "jack", "chris")
	a := w.send(t, "chris", addressed("chris", 1, "birds"))
	injector.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "BatchGetItem" && !bytes.Contains(body, []byte(`"ConsistentRead":true`)) {
			return faults.Fault{Kind: faults.Stale}
		}
		return faults.Fault{}
	})
	require.Equal(t, []ids.ID{a.ID}, all(t, w.Home("jack").List, 10))
	require.Equal(t, []ids.ID{a.ID}, all(t, w.Outbox("birds").List, 10), "by a reference")
}

func TestAHomeEndsAtItsCap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, HomeCap: 30})
	want := newestFirst(w.layHome(t, "chris", activities("chris", 50)))[:30]
	home := w.Home("jack")
	for _, limit := range faults.Some(3, 7, 30, 31, 1, 10, 100) {
		require.Equal(t, want, all(t, home.List, limit), "by %d", limit)
	}

	// Reading up and down again counts from the page's place, even if new
	// activities arrived above.
	page := pageOf(t, home.List, cursor.PageRequest{Limit: 10})
	w.layHome(t, "chris", activities("chris", 5))
	above := pageOf(t, home.List, cursor.PageRequest{Limit: 10, Cursor: page.Prev})
	require.Len(t, above.Items, 5)
	var got []ids.ID
	for next := above.Next; next != ""; {
		page := pageOf(t, home.List, cursor.PageRequest{Limit: 7, Cursor: next})
		for _, a := range page.Items {
			got = append(got, a.ID)
		}
		next = page.Next
	}
	require.Equal(t, want, got)
}

func reverse(as []feed.Activity) []feed.Activity {
	var turned []feed.Activity
	for _, a := range as {
		turned = append([]feed.Activity{a}, turned...)
	}
	return turned
}

func TestActivitiesOlderThanRetentionAreHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 2)
	aged := func(age time.Duration) world {
		return w.process(t, &feed.Options{Consistent: true, Now: func() time.Time { return time.Now().Add(age) }})
	}
	require.Equal(t, newestFirst(done), all(t, aged(89*24*time.Hour).Home("jack").List, 10))
	require.Empty(t, all(t, aged(90*24*time.Hour).Home("jack").List, 10))

	old := aged(91 * 24 * time.Hour)
	_, err := old.Home("late").Follow(t.Context(), "chris", nil)
	require.NoError(t, err)
	require.Empty(t, all(t, w.Home("late").List, 10), "expired activities are not copied")
	require.Equal(t, newestFirst(done), all(t, old.Outbox("chris").List, 10), "outboxes keep it")
}
