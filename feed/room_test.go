package feed_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// old is an id from before Retention and a day.
func old() ids.ID { return ids.At(time.Now().Add(-91*24*time.Hour - time.Minute)) }

func TestPullsAreForgottenOnceTheirRangeHasExpired(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.switchTo(t, "chris", feed.Pulled)
	bounded := followEdge("jack", "goes: a switch bounded it")
	bounded.ID = 7
	_, _, err := w.follows.Follow(t.Context(), bounded)
	require.NoError(t, err)
	now := ids.At(time.Now())
	attributes := map[string]any{}
	for source, p := range map[string]pull{
		"goes: a switch bounded it": {Until: old(), At: old()},
		"goes: kept":                {Until: 1, Kept: true, At: old()},
		"stays: no bound":           {At: old()},
		"stays: a switch of late":   {Until: old(), At: now},
		"stays: kept of late":       {Until: 1, Kept: true, At: now},
		"stays: shows something":    {Until: now, At: old()},
	} {
		attributes[feed.PullName(7, source)] = p
	}
	for name, tidied := range map[string]func(){
		"follow":   func() { w.subscribe(t, "jack", "chris") },
		"unfollow": func() { w.unfollow(t, "jack", "chris", nil) },
		"switch": func() {
			_, err := w.Home("jack").OpenPull(t.Context(), "ann", now, 0, now)
			require.NoError(t, err)
		},
	} {
		putAttributes(t, w, attributes)
		tidied()
		stay := 0
		for attribute := range headerItem(t, w, "jack") {
			require.NotContains(t, attribute, "goes", name)
			if strings.Contains(attribute, "stays") {
				stay++
			}
		}
		require.Equal(t, 4, stay, name)
	}
}

// Without their ending, pulls that it covers would show again.
func TestAnEndingIsForgottenWithThePullsThatItEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.publish(t, "chris", 1)
	now := ids.At(time.Now())
	attributes := map[string]any{"end#chris": ending{Edge: now, Unfollow: old()}, "end#ann": ending{Edge: 1, Unfollow: old()}}
	for i := range ids.ID(120) {
		attributes[feed.PullName(now-i, "chris")] = pull{At: now}
	}
	attributes[feed.PullName(now+1, "chris")] = pull{Since: now, Until: now + 1, At: now}
	putAttributes(t, w, attributes)
	for _, want := range []int{71, 21, 0, 0} { // of 50 removals, the first is ann's
		w.unfollow(t, "jack", "bob", nil)
		header, left := headerItem(t, w, "jack"), len(pulls(t, w, "jack", "chris"))-1
		require.Equal(t, want, left)
		require.Equal(t, left > 0, header["end#chris"] != nil, "%d left", left)
		require.Empty(t, all(t, w.Home("jack").List, 10))
	}
	require.Len(t, pulls(t, w, "jack", "chris"), 1, "of a later edge")
	require.NotContains(t, headerItem(t, w, "jack"), "end#ann")
}

// A pull that was read as old is written again before it is removed.
func TestAPullWrittenAgainIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	edge := w.edge(t, "jack", "chris")
	putAttributes(t, w, map[string]any{feed.PullName(edge, "chris"): pull{Until: old(), At: old()}})
	tidying := w.before(t, func() { w.switchTo(t, "chris", feed.Pulled) }, "REMOVE", feed.PullName(edge, "chris"))
	tidying.unfollow(t, "jack", "ann", nil)
	require.Zero(t, pulls(t, w, "jack", "chris")[edge].Until)
	require.Contains(t, pulls(t, w, "jack", "chris"), edge)
}

// A damaged ending may be repaired, so what it covers stays.
func TestADamagedEndingEndsNoPull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := ids.At(time.Now())
	putAttributes(t, w, map[string]any{
		"end#chris": "damaged", feed.PullName(now, "chris"): pull{At: now},
		"end#ben": ending{Edge: 1, Unfollow: old()},
	})
	w.unfollow(t, "jack", "ann", nil)
	require.Len(t, pulls(t, w, "jack", "chris"), 1)
	require.NotContains(t, headerItem(t, w, "jack"), "end#ben", "it holds up nothing")
	require.Empty(t, all(t, w.Home("jack").List, 10))
}

// The process dies before the edge has ended, so deliveries go on, hidden. Even the next
// walk of a switch brings nothing back.
func TestWhatAnInterruptedUnfollowHidStaysHidden(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*feed.UnfollowOptions{"removed": nil, "kept": keep} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			injector := faults.New(t, 1, faults.Rates{})
			injector.KillAt(1)
			if name == "kept" {
				w.switchTo(t, "chris", feed.Pulled)
				injector.KillBefore(3) // the first is refused
			}
			for _, source := range []string{"ann", "bob", "chris"} {
				w.subscribe(t, "jack", source)
			}
			_, err := w.process(t, nil, injector.Wrap).Home("jack").Unfollow(t.Context(), "chris", opts)
			require.ErrorIs(t, err, faults.ErrKilled)
			var clock clock
			later := w.process(t, &feed.Options{Consistent: true, Now: clock.now})
			for _, other := range []string{"ann", "bob"} {
				clock.advance(91 * 24 * time.Hour)
				a := activity("chris", 1)
				a.ID = ids.At(clock.now())
				later.send(t, "chris", a)
				clock.advance(24 * time.Hour)
				require.True(t, later.unfollow(t, "jack", other, nil))
				if name == "kept" {
					later.setPulled(t, "chris", true)
					deliverAll(t, later)
				}
				require.Empty(t, all(t, later.Home("jack").List, 10))
			}
			later.subscribe(t, "jack", "chris")
			require.Len(t, all(t, later.Home("jack").List, 10), 1)
		})
	}
}

func TestAnOldEndingStaysWhileItsEdgeMayStand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, source := range []string{"later", "stands"} {
		w.subscribe(t, "jack", source)
	}
	putAttributes(t, w, map[string]any{
		"end#later": ending{Edge: 1, Unfollow: old()}, "end#none": ending{Edge: 1, Unfollow: old()},
		"end#stands": ending{Edge: w.edge(t, "jack", "stands"), Unfollow: old()}, "end#unknown": ending{Edge: 1, Unfollow: old()},
	})
	expired := entryOf(feed.Activity{Owner: "ann", ID: old()}, "ann", 1)
	expired.TTL = 1
	w.putEntries(t, []entry{expired})
	w.damageEdge(t, "unknown")
	for range 2 {
		w.unfollow(t, "jack", "ann", nil)
		var endings []string
		for name := range headerItem(t, w, "jack") {
			if strings.HasPrefix(name, "end#") {
				endings = append(endings, name)
			}
		}
		require.ElementsMatch(t, []string{"end#ann", "end#stands", "end#unknown"}, endings)
		_, err := w.follows.Unfollow(t.Context(), followEdge("jack", "stands"))
		require.NoError(t, err, "now it has ended, what it brought until now stays hidden")
	}
}

// An entry of a longer Retention lies below what has expired, and DynamoDB has deleted
// nothing yet.
func TestAnEndingHidesWhatWasStoredUnderALongerRetention(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var clock clock
	shorter := w.process(t, &feed.Options{Consistent: true, Retention: time.Hour, Now: clock.now})
	longest := w.process(t, &feed.Options{Consistent: true, Retention: math.MaxInt64})
	w.subscribe(t, "jack", "chris")
	w.publish(t, "chris", 1)
	require.True(t, w.unfollow(t, "jack", "chris", nil))
	clock.advance(26 * time.Hour)
	shorter.unfollow(t, "jack", "ann", nil)
	require.Empty(t, all(t, w.Home("jack").List, 10))
	longest.unfollow(t, "jack", "ann", nil)
	require.Empty(t, all(t, w.Home("jack").List, 10))
	expired := make([]entry, 1_001)
	for i := range expired {
		expired[i] = entryOf(feed.Activity{Owner: "ann", ID: w.mint(t)}, "ann", 1)
		expired[i].TTL = 1
	}
	w.putEntries(t, expired)
	shorter.unfollow(t, "jack", "ann", nil)
	require.Empty(t, all(t, w.Home("jack").List, 10))
}
