package notify_test

import (
	"fmt"
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
		require.Equal(t, isDropped, w.outcome(t, early))

		w.store(t, n)
		require.True(t, w.retract(t, n))
		require.False(t, w.retract(t, n))
		require.Equal(t, isDropped, w.outcome(t, n))
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
				require.Equal(t, isDropped, w.outcome(t, n))
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

	require.Greater(t, w.store(t, w.albumLike(ns[0])).Last, g.Last)
}

// albumLike is a further event of the group.
func (w world) albumLike(n notify.Notification) notify.Notification {
	n.Activity.ID, n.Activity.Actor.ID = w.id(), "new"
	return n
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

// What was seen by a set stays seen, however much of it is retracted. The set has
// neither the place nor Last of what is left.
func TestARetractionMakesNothingUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	first, second, third := w.like("ann"), w.like("chris"), w.like("dora")
	w.store(t, first)
	shown := w.store(t, second).Last
	w.store(t, third)
	has := func(id ids.ID) bool { return id == shown }
	require.False(t, w.group(t).Shown(has))
	require.True(t, w.retract(t, third))
	require.True(t, w.group(t).Shown(has))
	require.True(t, w.retract(t, second))
	require.True(t, w.group(t).Shown(has))
	w.store(t, w.like("eve"))
	require.False(t, w.group(t).Shown(has))
}

// A group that a reader put back stays where it is, since that may be unseen.
func TestARetractionKeepsAWokenGroupInItsPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	left, gone := w.like("ann"), w.like("chris")
	w.store(t, left)
	g := w.group(t)
	woken := w.id()
	place := group.Place(group.Listed, woken, g.SK)
	w.set(t, map[string]any{"last": place, "lv": woken, group.FloorAttr: woken})
	w.store(t, gone)
	require.True(t, w.retract(t, gone))
	require.Equal(t, place, w.group(t).Place)
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
	inject := faults.New(t, 1, faults.Rates{})
	inject.Script(func(_ string, _ []byte, n int) faults.Fault {
		if n == 2 {
			require.True(t, w.retract(t, gone))
		}
		return faults.Fault{}
	})
	changed, err := w.process(t, nil, inject.Wrap).Archive(t.Context(), notify.In{User: "bob", Group: w.list(t, "bob")[0].Group})
	require.NoError(t, err)
	require.True(t, changed)
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
		require.Equal(t, isDropped, w.outcome(t, n))
		require.False(t, w.retract(t, n))
	}
	require.Equal(t, isDropped, w.outcome(t, unknown), "it may have been retracted")
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
		require.Equal(t, isDropped, w.outcome(t, n))
	}
	for _, n := range append(others, elsewhere) {
		require.Equal(t, isStored, w.outcome(t, n))
	}
	again := w.like("ann")
	w.store(t, again)
}

func TestARetractionWhoseAnswerIsLostChangedTheGroup(t *testing.T) {
	t.Parallel()
	for name, retract := range map[string]func(world, notify.Notification) (bool, error){
		"an event": func(w world, n notify.Notification) (bool, error) { return w.Retract(t.Context(), n) },
		"a target": func(w world, n notify.Notification) (bool, error) {
			groups, err := w.RetractTarget(t.Context(), n.User, n.Activity.Object)
			return groups == 1, err
		},
	} {
		w := newWorld(t, nil)
		n := w.like("ann")
		w.store(t, n)
		inject := faults.New(t, 1, faults.Rates{})
		inject.Script(func(_ string, _ []byte, n int) faults.Fault {
			if n != 2 { // the write
				return faults.Fault{}
			}
			return faults.Fault{Kind: faults.LostAfter}
		})
		changed, err := retract(w.process(t, nil, inject.Wrap), n)
		require.NoError(t, err)
		require.True(t, changed, name)
		require.Equal(t, 1, inject.Count(faults.LostAfter), name)
	}
}

// Lists show the IDs of activities. A user who has one must not take back another's event.
func TestNobodyTakesBackWhatAnotherDid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := w.like("ann")
	w.store(t, n)
	other := n
	other.Activity.Actor = feed.Ref{ID: "mallory"}
	_, err := w.Retract(t.Context(), other)
	require.ErrorIs(t, err, plaza.ErrConflict)
	require.Len(t, w.list(t, "bob"), 1)
	require.True(t, w.retract(t, n))
	require.False(t, w.retract(t, other), "it is off")
}
