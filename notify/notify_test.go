package notify_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

// policy decides by verb, and by who is blocked.
type policy struct {
	muted, blocked []string
	channels       []string
}

func (p *policy) Decide(_ context.Context, n notify.Notification) (notify.Decision, error) {
	if n.Activity.Verb == "fail" {
		return notify.Decision{}, plaza.ErrBusy
	}
	return notify.Decision{
		Drop:     slices.Contains(p.muted, n.Activity.Verb) || slices.Contains(p.blocked, n.Activity.Actor.String()),
		Channels: p.channels,
	}, nil
}

func TestAnUnwantedEventIsNotStored(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	p := &policy{muted: []string{"poke"}, blocked: []string{"mallory"}}
	w := newWorld(t, &notify.Options{
		Policy: p,
		User:   func(actor feed.Ref) string { return actor.ID },
	}, meter.Wrap)
	for name, c := range map[string]struct {
		change  func(*notify.Notification)
		dropped bool
	}{
		"another's":           {func(*notify.Notification) {}, false},
		"one's own":           {func(n *notify.Notification) { n.Activity.Actor = feed.Ref{Kind: "user", ID: "bob"} }, true},
		"one's own, critical": {func(n *notify.Notification) { n.Activity.Actor.ID, n.Critical = "bob", true }, false},
		"muted":               {func(n *notify.Notification) { n.Activity.Verb = "poke" }, true},
		"muted, critical":     {func(n *notify.Notification) { n.Activity.Verb, n.Critical = "poke", true }, false},
		"blocked":             {func(n *notify.Notification) { n.Activity.Actor.ID = "mallory" }, true},
		"too old":             {func(n *notify.Notification) { n.Activity.ID = ids.At(noon.Add(-90 * 24 * time.Hour)) }, true},
		"almost too old":      {func(n *notify.Notification) { n.Activity.ID = ids.At(noon.Add(time.Millisecond - 90*24*time.Hour)) }, false},
	} {
		n := w.like("ann")
		n.User = "bob"
		c.change(&n)
		meter.Take()
		if c.dropped {
			require.Equal(t, isDropped, w.outcome(t, n), name)
			require.Zero(t, meter.Take(), name)
		} else {
			w.store(t, n)
		}
	}
	blocked := w.like("mallory")
	require.Equal(t, isDropped, w.outcome(t, blocked))
	before := w.groups(t, "bob")
	p.blocked = nil // does not bring back what was dropped
	require.Equal(t, before, w.groups(t, "bob"))

	n := w.like("ann")
	n.Activity.Verb = "fail"
	_, created, err := w.Notify(t.Context(), n)
	require.ErrorIs(t, err, plaza.ErrBusy)
	require.False(t, created)
}

func TestLikesOfADayAreOneGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for i := range 5 {
		w.store(t, w.like(fmt.Sprint("fan", i)))
	}
	g := w.group(t)
	require.EqualValues(t, 5, g.N)
	require.Equal(t, "fan4 fan3 fan2 fan1 fan0", g.actors())
	require.Equal(t, "fan4", g.activity(t).Actor.ID)

	w.store(t, w.like("fan5"), w.like("fan3"), w.like("fan0")) // one who is named, one who is no more
	g = w.group(t)
	require.EqualValues(t, 8, g.N)
	require.Equal(t, "fan0 fan3 fan5 fan4 fan2", g.actors())

	other := w.like("ann")
	other.Activity.ID = ids.At(noon.Add(12 * time.Hour)) // the next day
	w.pass(12 * time.Hour)
	w.store(t, other)
	about := w.like("ann")
	about.Activity.Target = feed.Ref{Kind: "album", ID: "1"}
	w.store(t, about)
	names := []string{}
	for _, g := range w.groups(t, "bob") {
		names = append(names, g.SK)
	}
	require.Equal(t, []string{"G#album:1#like#2026-03-11", "G#photo:1#like#2026-03-10", "G#photo:1#like#2026-03-11"}, names)
}

// Events come late, doubled, and out of order.
func TestTheNewestEventIsTheOneShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var likes []notify.Notification
	for _, actor := range []string{"ann", "bob2", "chris", "dora", "eve", "finn", "ann"} {
		likes = append(likes, w.like(actor))
	}
	shows := func(actors string, newest notify.Notification) {
		t.Helper()
		g := w.group(t)
		require.Equal(t, actors, g.actors())
		require.Equal(t, newest.Activity.ID, g.activity(t).ID)
		require.Equal(t, g.Last, g.PlaceID(), "the group rises")
	}
	last := ids.ID(0)
	for _, step := range []struct {
		like   int
		actors string
		newest int
	}{
		{2, "chris", 2}, {0, "chris ann", 2}, {4, "eve chris ann", 4}, {3, "eve dora chris ann", 4}, {6, "ann eve dora chris", 6},
		{1, "ann eve dora chris bob2", 6}, {5, "ann finn eve dora chris", 6},
	} {
		w.store(t, likes[step.like])
		shows(step.actors, likes[step.newest])
		require.Greater(t, w.group(t).Last, last)
		last = w.group(t).Last
	}
	require.True(t, w.retract(t, likes[6]))
	g := w.group(t)
	require.Equal(t, "finn eve dora chris bob2", g.actors())
	require.Equal(t, "finn", g.activity(t).Actor.ID)
	require.True(t, w.retract(t, likes[5]))
	require.Equal(t, "eve dora chris bob2 ann", w.group(t).actors())

	late := w.like("late")
	w.pass(time.Second)
	named := w.like("gil")
	w.store(t, named)
	w.fill(t, named, group.Cap, filler)
	beyond, after := w.like("hugo"), w.like("ida")
	require.Equal(t, isFull, w.outcome(t, beyond))
	shows("hugo gil eve dora chris", beyond)
	w.pass(time.Minute)
	require.Equal(t, isFull, w.outcome(t, late))
	shows("hugo gil eve dora chris", beyond)
	require.Equal(t, w.Now().UnixMilli(), w.group(t).Last.Time().UnixMilli())
	w.pass(time.Minute)
	require.Equal(t, isFull, w.outcome(t, after))
	shows("ida hugo gil eve dora", after)
}

func TestAnActorsLaterEventKeepsHerBehindNewerOnesOfAFullGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	by := func(actor string) notify.Notification {
		n := w.like(actor)
		n.CountBy = notify.ByActor
		return n
	}
	first := by("ann")
	w.store(t, first)
	w.fill(t, first, group.Cap, filler)
	older, again, newest := by("zoe"), by("ann"), by("hugo")
	require.Equal(t, isFull, w.outcome(t, newest))
	w.pass(time.Minute)
	w.store(t, again)
	w.pass(time.Minute)
	require.Equal(t, isFull, w.outcome(t, older))
	g := w.group(t)
	require.Equal(t, "hugo ann", g.actors(), "an older event beyond the cap names nobody")
	require.Equal(t, "hugo", g.activity(t).Actor.ID)
}

// Each is by a process of its own.
func TestTwoFirstEventsAtOnceAreOneGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	other := w.process(t, nil)
	for range 5 {
		var both sync.WaitGroup
		n := w.like("ann")
		n.Activity.Object.ID = w.id().String()
		m := n
		m.Activity.ID, m.Activity.Actor.ID = w.id(), "chris"
		both.Go(func() { w.store(t, n) })
		both.Go(func() { other.store(t, m) })
		both.Wait()
	}
	for _, g := range w.groups(t, "bob") {
		require.EqualValues(t, 2, g.N)
		require.Equal(t, g.Last, g.PlaceID())
	}
}

func TestAnEventBringsAGroupUpAndUnread(t *testing.T) {
	t.Parallel()
	for _, shelf := range []group.Shelf{group.Listed, group.Archived, group.Snoozed} {
		w := newWorld(t, nil)
		w.store(t, w.like("ann"))
		g := w.group(t)
		place := group.Place(shelf, g.Last, g.SK)
		w.set(t, map[string]any{"last": place, "was": g.Place, "read": g.Last})
		other := w.like("chris")
		other.User = "other" // ids of other groups are between
		w.store(t, other)
		res := w.store(t, w.like("dora"))
		now := w.group(t)
		require.Equal(t, group.Place(group.Listed, res.Last, g.SK), now.Place)
		require.Empty(t, now.Was)
		require.Greater(t, now.PlaceID(), now.Read)
		require.Greater(t, res.Last, w.groups(t, "other")[0].Last)
	}
}

func TestByActorTheLatestActivityCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	like := func() notify.Notification {
		n := w.like("ann")
		n.CountBy = notify.ByActor
		return n
	}
	first, second, third := like(), like(), like()
	w.store(t, second)
	require.Equal(t, isStored, w.outcome(t, first)) // late
	require.EqualValues(t, 1, w.group(t).N)
	require.Equal(t, second.Activity.ID, w.group(t).activity(t).ID)
	require.False(t, w.retract(t, first), "ann did it again since")
	require.True(t, w.retract(t, second))
	require.Zero(t, w.group(t).N)
	w.store(t, third)
	require.EqualValues(t, 1, w.group(t).N)
}

func TestAClockThatIsBehindDoesNotLoseEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	slow := w
	slow.clock = &clock{now: noon.Add(-time.Minute)}
	slow = slow.process(t, nil)
	ahead := w.store(t, w.like("ann"))
	for _, actor := range []string{"ann", "chris"} {
		res := slow.store(t, slow.like(actor))
		require.Greater(t, res.Last, ahead.Last)
		require.Equal(t, res.Last, w.group(t).PlaceID())
	}
	require.EqualValues(t, 3, w.group(t).N)
	w.store(t, w.like("dora"))
}

func TestAnExpiredGroupStartsFromNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	old := w.like("ann")
	n := w.like("chris")
	w.store(t, old, n)
	require.True(t, w.retract(t, n))
	w.set(t, map[string]any{"read": w.group(t).Last})
	w.pass(90*24*time.Hour - time.Second)
	require.Equal(t, isStored, w.outcome(t, old), "it is still stored")
	require.Greater(t, time.Unix(w.group(t).TTL, 0), w.Now().Add(time.Second))

	w.set(t, map[string]any{"ttl": w.Now().Unix()}) // a group of events that came late, which expires now
	late := w.like("dora")
	late.Activity.ID = old.Activity.ID + 1<<40
	w.store(t, late)
	g := w.group(t)
	require.EqualValues(t, 1, g.N)
	require.Equal(t, 1, g.live)
	require.Zero(t, g.off)
	require.Zero(t, g.Read)
	require.Equal(t, "dora", g.actors())
	w.pass(time.Second)
	require.Equal(t, isDropped, w.outcome(t, old), "it is too old to be stored again")
}
