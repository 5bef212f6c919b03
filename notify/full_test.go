package notify_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

func TestAFullGroupIsFlaggedAndRisesNowAndThen(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	ns := []notify.Notification{w.like("fan0")}
	w.store(t, ns[0])
	for i := 1; i < 10; i++ {
		ns = append(ns, w.like(fmt.Sprint("fan", i)))
		w.store(t, ns[i])
	}
	w.fill(t, ns[0], group.Cap-1, filler)
	ns = append(ns, w.like("fan10"))
	w.store(t, ns[10])
	full := w.group(t)
	require.EqualValues(t, group.Cap, full.N)
	require.False(t, full.More)

	first := w.like("first")
	require.Equal(t, isFull, w.outcome(t, first))
	g := w.group(t)
	require.EqualValues(t, group.Cap, g.N)
	require.True(t, g.More)
	require.Equal(t, "first fan10 fan9 fan8 fan7", g.actors())
	require.Equal(t, first.Activity.ID, g.activity(t).ID)
	require.Greater(t, g.PlaceID(), full.PlaceID())

	meter.Take()
	w.pass(10*time.Second - time.Millisecond)
	require.Equal(t, isFull, w.outcome(t, w.like("second")))
	require.Zero(t, meter.Take(), "the process knows")
	other := w.process(t, nil, meter.Wrap)
	for range 3 {
		require.Equal(t, isFull, other.outcome(t, other.like("third")))
	}
	require.Equal(t, 1, meter.Take().Requests, "the other knows it now")
	require.Equal(t, g.Place, w.group(t).Place)

	w.pass(time.Millisecond)
	last := w.like("last")
	require.Equal(t, isFull, w.outcome(t, last))
	require.Equal(t, isStored, other.outcome(t, ns[5]), "which moves it, but is no newer for that")
	risen := w.group(t)
	require.Greater(t, risen.PlaceID(), g.PlaceID())
	require.Equal(t, "last first fan10 fan9 fan8", risen.actors())

	// Nobody remains whose event was retracted, though the group never knew it. Its
	// place stays, since others beyond the cap may be unseen.
	require.False(t, w.retract(t, last), "it did not count")
	g = w.group(t)
	require.Equal(t, "fan10 fan9 fan8 fan7 fan6", g.actors())
	require.Equal(t, ns[10].Activity.ID, g.activity(t).ID)
	require.Equal(t, risen.Place, g.Place)
	require.EqualValues(t, group.Cap, g.N)

	// Room that retractions make is taken.
	require.True(t, w.retract(t, ns[10]))
	require.Equal(t, risen.Place, w.group(t).Place)
	require.Equal(t, isRetracted, w.outcome(t, last))
	next := w.like("next")
	w.store(t, next)
	g = w.group(t)
	require.True(t, w.retract(t, next))
	require.Equal(t, g.Place, w.group(t).Place, "the event beyond may be unseen")
	w.store(t, w.like("next"))
	g = w.group(t)
	require.EqualValues(t, group.Cap, g.N)
	require.Equal(t, group.Cap, g.live)
	require.True(t, g.More)
	require.Equal(t, isRetracted, w.outcome(t, ns[10]))
	w.pass(time.Minute)
	require.Equal(t, isFull, w.outcome(t, w.like("beyond")))

	emptied, err := w.RetractTarget(t.Context(), "bob", ns[0].Activity.Object)
	require.NoError(t, err)
	require.Equal(t, 1, emptied)
	ns[0].Activity.ID--
	require.Equal(t, isRetracted, w.outcome(t, ns[0]), "older than all")
	w.store(t, w.like("first"))
	require.False(t, w.group(t).More)
}

// An actor who is counted is not one too many.
func TestAFullGroupTakesTheLaterActivitiesOfItsActors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	like := func(i int) notify.Notification {
		n := w.like(fmt.Sprint("fan", i))
		n.CountBy = notify.ByActor
		return n
	}
	for i := range 6 {
		w.store(t, like(i))
	}
	w.fill(t, like(0), group.Cap, filler)
	again := like(3)
	w.store(t, again)
	g := w.group(t)
	require.EqualValues(t, group.Cap, g.N)
	require.False(t, g.More)
	require.Equal(t, again.Activity.ID, g.activity(t).ID)
	require.Equal(t, "fan3 fan5 fan4 fan2 fan1", g.actors())
}

// A target is retracted while another writer finds its group full.
func TestAGroupThatWasEmptiedCountsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := w.like("first")
	w.store(t, n)
	w.fill(t, n, group.Cap, filler)
	require.Equal(t, isFull, w.outcome(t, w.like("late")))
	s := faults.NewSteps()
	p := w.process(t, nil, s.Wrap)
	var failed error
	s.Start(func() { _, failed = p.RetractTarget(t.Context(), "bob", feed.Ref{Kind: "photo", ID: "1"}) })
	s.Step()
	require.Equal(t, isFull, w.outcome(t, w.like("later")))
	s.Finish()
	require.NoError(t, failed)
	w.pass(time.Second)
	p.store(t, w.like("after"))
}

// A full group rests for Coalesce, also if the clock goes back.
func TestAFullGroupRestsNoLongerIfTheClockGoesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := w.like("first")
	w.store(t, n)
	w.fill(t, n, group.Cap, filler)
	require.Equal(t, isFull, w.outcome(t, w.like("late")))
	require.True(t, w.process(t, nil).retract(t, n), "by another process")
	w.pass(-time.Hour)
	w.store(t, w.like("after"))
}

// A user who keeps groups for the longest time must not lose them at once.
func TestTheLongestRetentionKeepsGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, err := notify.New(dynamotest.DB(t), w.table, w.clock, &notify.Options{Retention: math.MaxInt64})
	callstest.RequireInvalid(t, map[string]refusal{"the longest time": {"Options.Retention", err}})
	w = w.process(t, &notify.Options{Retention: 100 * 365 * 24 * time.Hour})
	w.put(t, in("ann", 1))
	require.Len(t, w.list(t, "ann"), 1)
}
