package notify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

func TestARetractedEventStaysAway(t *testing.T) {
	t.Parallel()
	for _, by := range []notify.CountBy{notify.ByActivity, notify.ByActor} {
		w := newWorld(t, nil)
		early, n, again := w.like("ann"), w.like("ann"), w.like("ann")
		early.CountBy, n.CountBy, again.CountBy = by, by, by
		require.False(t, w.retract(t, early), "before it came")
		require.False(t, w.retract(t, early))
		require.Empty(t, w.group(t).Place)
		require.Equal(t, isRetracted, w.outcome(t, early))

		w.store(t, n)
		require.True(t, w.retract(t, n))
		require.False(t, w.retract(t, n))
		require.Equal(t, isRetracted, w.outcome(t, n))
		g := w.group(t)
		require.Zero(t, g.N)
		require.Empty(t, g.Place)
		require.Empty(t, g.actors())

		w.store(t, again)
		g = w.group(t)
		require.EqualValues(t, 1, g.N)
		require.Equal(t, again.Activity.ID, g.activity(t).ID)
	}
}

// A request that was given up arrives after the event was retracted.
func TestALateRequestBringsNothingBack(t *testing.T) {
	t.Parallel()
	for name, retract := range map[string]func(world, notify.Notification) error{
		"retract": func(w world, n notify.Notification) error { return errOf(w.Retract(t.Context(), n)) },
		"retract target": func(w world, n notify.Notification) error {
			return errOf(w.RetractTarget(t.Context(), n.User, n.Activity.Object))
		},
	} {
		for _, first := range []bool{true, false} {
			for _, actor := range []string{"ann", "chris"} { // by an update, and by a put
				w := newWorld(t, nil)
				n := w.like(actor)
				if !first {
					w.store(t, w.like("ann"))
				} else if name == "retract target" {
					continue // nothing remembers what was never there
				}
				late := &faults.Late{Holds: func(op string, _ []byte) bool {
					return op == "PutItem" || op == "UpdateItem" && (first || actor != "ann")
				}}
				_, _, err := w.process(t, nil, late.Wrap).Notify(t.Context(), n)
				require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
				require.NoError(t, retract(w, n))
				require.Zero(t, late.Arrive(t), "%s, %s", name, actor)
				require.Equal(t, isRetracted, w.outcome(t, n))
			}
		}
	}
}

func TestAGroupShowsItsRemainingEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ns := make([]notify.Notification, 7)
	writes := make([]ids.ID, len(ns))
	for i := range ns {
		ns[i] = w.like(fmt.Sprint("fan", i))
		ns[i].Activity.Target, ns[i].Activity.Object.ID = feed.Ref{Kind: "album", ID: "#1"}, fmt.Sprint("#", i)
		ns[i].Activity.Data = []byte(`{"text":"<hello>"}`)
		writes[i] = w.store(t, ns[i]).Last
	}
	before := w.group(t)
	require.Equal(t, ns[6].Activity.Data, before.activity(t).Data)

	require.True(t, w.retract(t, ns[3])) // not the newest: nothing moves
	g := w.group(t)
	require.Equal(t, before.Place, g.Place)
	require.Equal(t, before.Data, g.Data)
	require.Equal(t, "fan6 fan5 fan4 fan2 fan1", g.actors())

	require.True(t, w.retract(t, ns[6]))
	g = w.group(t)
	require.EqualValues(t, 5, g.N)
	require.Equal(t, writes[5], g.PlaceID())
	require.Equal(t, writes[6], g.Last)
	require.Equal(t, "fan5 fan4 fan2 fan1 fan0", g.actors())
	want := ns[5].Activity
	want.Data, want.Time = nil, want.ID.Time()
	require.Equal(t, want, g.activity(t))

	ns[0].Activity.ID = w.id()
	require.Greater(t, w.store(t, ns[0]).Last, g.Last)
}

func TestARetractionKeepsTheShelf(t *testing.T) {
	t.Parallel()
	for _, shelf := range []group.Shelf{group.Listed, group.Archived, group.Snoozed} {
		w := newWorld(t, nil)
		left, gone := w.like("ann"), w.like("chris")
		want := w.store(t, left).Last
		w.store(t, gone)
		g := w.group(t)
		due := ids.At(noon.Add(time.Hour))
		set := map[string]any{"last": group.Place(shelf, g.Last, g.SK)}
		if shelf == group.Snoozed {
			set = map[string]any{"last": group.Place(shelf, due, g.SK), "was": group.Place(group.Archived, g.Last, g.SK)}
		}
		w.set(t, set)
		require.True(t, w.retract(t, gone))
		g = w.group(t)
		require.Equal(t, want, g.PlaceID())
		if shelf == group.Snoozed {
			require.Equal(t, group.Place(shelf, due, g.SK), g.Place)
			require.Equal(t, group.Place(group.Archived, want, g.SK), g.Was)
		} else {
			require.Equal(t, group.Place(shelf, want, g.SK), g.Place)
		}
		require.True(t, w.retract(t, left))
		g = w.group(t)
		require.Empty(t, g.Place)
		require.Empty(t, g.Was)
	}
}

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

// The retraction moves the group after Archive has read it.
func TestAGroupIsArchivedWhereARetractionLeftIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.store(t, w.like("ann"))
	want := w.group(t).PlaceID()
	w.pass(time.Hour)
	gone := w.like("chris")
	w.store(t, gone)
	require.Greater(t, w.group(t).PlaceID(), want)
	inject := faults.Before(t, "UpdateItem", func() { require.True(t, w.retract(t, gone)) })
	does(t)(w.process(t, nil, inject.Wrap).Archive(t.Context(), notify.In{User: "bob", Group: w.list(t, "bob")[0].Group}))
	require.Equal(t, group.Place(group.Archived, want, w.group(t).SK), w.group(t).Place)
}

// A group remembers 100 retracted events, and of others that events up to the oldest
// of them were retracted.
func TestAGroupForgetsTheOldestRetractions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	unknown, first, second := w.like("late"), w.like("ann"), w.like("ann")
	require.False(t, w.retract(t, first))
	require.False(t, w.retract(t, second))
	offs := map[string]string{}
	for range 98 {
		offs["e"+w.id().String()] = "-" + w.id().String()
	}
	w.add(t, w.group(t), 0, offs)
	require.Equal(t, 100, w.group(t).off)

	last := w.like("ann")
	require.False(t, w.retract(t, last))
	require.Equal(t, 100, w.group(t).off)
	for _, n := range []notify.Notification{first, second, last} {
		require.Equal(t, isRetracted, w.outcome(t, n))
		require.False(t, w.retract(t, n))
	}
	require.Equal(t, isRetracted, w.outcome(t, unknown), "it may have been retracted")
	w.store(t, w.like("ann"))
}

func TestRetractTargetLeavesNoGhosts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	photo := feed.Ref{Kind: "photo", ID: "1"}
	var gone []notify.Notification
	for range 3 { // days
		for _, verb := range []string{"like", "#tag", "\U0010ffff"} {
			for _, actor := range []string{"ann", "chris"} {
				n := w.like(actor)
				n.Activity.Verb = verb
				w.store(t, n)
				gone = append(gone, n)
			}
		}
		w.pass(24 * time.Hour)
	}
	require.True(t, w.retract(t, gone[0]))
	var others []notify.Notification
	for _, about := range []feed.Ref{{Kind: "photo", ID: "10"}, {Kind: "photo", ID: "1#like"}, {Kind: "photo", ID: "1$"}, {ID: "photo"}} {
		n := w.like("ann")
		n.Activity.Object = about
		w.store(t, n)
		others = append(others, n)
	}
	elsewhere := w.like("ann")
	elsewhere.User = "other"
	w.store(t, elsewhere)

	for _, want := range []int{9, 0} {
		emptied, err := w.RetractTarget(t.Context(), "bob", photo)
		require.NoError(t, err)
		require.Equal(t, want, emptied)
	}
	listed := 0
	for _, g := range w.groups(t, "bob") {
		if g.Place != "" {
			listed++
		}
	}
	require.Equal(t, len(others), listed)
	for _, n := range gone {
		require.Equal(t, isRetracted, w.outcome(t, n))
	}
	for _, n := range append(others, elsewhere) {
		require.Equal(t, isStored, w.outcome(t, n))
	}
	again := w.like("ann")
	w.store(t, again)
}

// Lists show the IDs of activities. A user who has one must not take back another's event.
func TestNobodyTakesBackWhatAnotherDid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := w.like("ann")
	w.store(t, n)
	other := n
	other.Activity.Actor = feed.Ref{ID: "mallory"}
	require.ErrorIs(t, errOf(w.Retract(t.Context(), other)), plaza.ErrConflict)
	require.ErrorIs(t, errOf3(w.Notify(t.Context(), other)), plaza.ErrConflict, "nor have it under that ID")
	require.Len(t, w.list(t, "bob"), 1)
	require.True(t, w.retract(t, n))
	require.False(t, w.retract(t, other), "it is off")
}

// The text of what a group is about may be as long as a Ref allows.
func TestTheLongestTargetIsRetracted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, about := range []feed.Ref{
		{Kind: strings.Repeat("#", 256), ID: strings.Repeat("#", 256)},
		{Kind: strings.Repeat("#", 255), ID: strings.Repeat("#", 254)},
		{Kind: strings.Repeat("#", 250), ID: strings.Repeat("#", 250)},
	} {
		n, err := w.RetractTarget(t.Context(), "bob", about)
		if err != nil {
			require.ErrorIs(t, err, plaza.ErrInvalid)
		}
		require.Zero(t, n)
	}
}
