package feed_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
)

// old is an id from before Retention and a day.
func old() ids.ID { return ids.At(time.Now().Add(-91*24*time.Hour - time.Minute)) }

func TestMarksAreForgottenOnceTheirRangeHasExpired(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.switchTo(t, "chris", feed.Pulled)
	now := ids.At(time.Now())
	marks := map[string]any{}
	for source, p := range map[string]pull{
		"goes: a switch bounded it": {Until: old(), At: old()},
		"goes: kept":                {Until: 1, Kept: true, At: old()},
		"stays: no bound":           {At: old()},
		"stays: a switch of late":   {Until: old(), At: now},
		"stays: kept of late":       {Until: 1, Kept: true, At: now},
		"stays: shows something":    {Until: now, At: old()},
	} {
		marks[feed.PullName(7, source)] = p
	}
	for name, tidied := range map[string]func(){
		"follow":   func() { w.subscribe(t, "jack", "chris") },
		"unfollow": func() { w.unfollow(t, "jack", "chris", nil) },
		"switch": func() {
			_, err := w.Home("jack").OpenPull(t.Context(), "ann", now, 0, now)
			require.NoError(t, err)
		},
	} {
		putMarks(t, w, marks)
		tidied()
		stay := 0
		for mark := range headerItem(t, w, "jack") {
			require.NotContains(t, mark, "goes", name)
			if strings.Contains(mark, "stays") {
				stay++
			}
		}
		require.Equal(t, 4, stay, name)
	}
}

// Without their dead mark, pulls that it has ended would show again.
func TestADeadMarkIsForgottenWithThePullsThatItEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.publish(t, "chris", 1)
	now := ids.At(time.Now())
	marks := map[string]any{"dead#chris": mark{Edge: now, Unfollow: old()}, "dead#ann": mark{Edge: 1, Unfollow: old()}}
	for i := range ids.ID(120) {
		marks[feed.PullName(now-i, "chris")] = pull{At: now}
	}
	marks[feed.PullName(now+1, "chris")] = pull{Since: now, Until: now + 1, At: now}
	putMarks(t, w, marks)
	for _, want := range []int{71, 21, 0, 0} { // of 50 removals, the first is ann's
		w.unfollow(t, "jack", "bob", nil)
		header, left := headerItem(t, w, "jack"), len(pulls(t, w, "jack", "chris"))-1
		require.Equal(t, want, left)
		require.Equal(t, left > 0, header["dead#chris"] != nil, "%d left", left)
		require.Empty(t, all(t, w.Home("jack").List, 10))
	}
	require.Len(t, pulls(t, w, "jack", "chris"), 1, "of a later edge")
	require.NotContains(t, headerItem(t, w, "jack"), "dead#ann")
}

// A mark that was read as old is written again before it is removed.
func TestAPullWrittenAgainIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	edge := w.edge(t, "jack", "chris")
	putMarks(t, w, map[string]any{feed.PullName(edge, "chris"): pull{Until: old(), At: old()}})
	tidying := w.before(t, func() { w.switchTo(t, "chris", feed.Pulled) }, "REMOVE", feed.PullName(edge, "chris"))
	tidying.unfollow(t, "jack", "ann", nil)
	require.Zero(t, pulls(t, w, "jack", "chris")[edge].Until)
	require.Contains(t, pulls(t, w, "jack", "chris"), edge)
}

// A damaged dead mark may be repaired, so what it covers stays.
func TestADamagedDeadMarkEndsNoPull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := ids.At(time.Now())
	putMarks(t, w, map[string]any{
		"dead#chris": "damaged", feed.PullName(now, "chris"): pull{At: now},
		"dead#ben": mark{Edge: 1, Unfollow: old()},
	})
	w.unfollow(t, "jack", "ann", nil)
	require.Len(t, pulls(t, w, "jack", "chris"), 1)
	require.NotContains(t, headerItem(t, w, "jack"), "dead#ben", "it holds up nothing")
	require.Empty(t, all(t, w.Home("jack").List, 10))
}
