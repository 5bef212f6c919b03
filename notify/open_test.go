package notify_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

// Another process learns that the group counts again.
func TestAFullGroupThatWasRetractedCountsInEveryProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := w.like("first")
	w.store(t, n)
	w.fill(t, n, group.Cap, filler)
	other := w.process(t, nil)
	require.Equal(t, notify.Full, other.outcome(t, w.like("late")))
	require.True(t, w.retract(t, n))
	w.pass(time.Second)
	res, created, err := other.Notify(t.Context(), w.like("after"))
	require.NoError(t, err)
	require.True(t, created, res.Outcome)
}

// Rows that were read one by one are not counted.
func TestTheCountIsThatOfTheListPastReadRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 3 {
		w.forge(t, in("ann", n), func(*raw) {})
	}
	for n := range 102 {
		w.forge(t, in("ann", 10+n), func(g *raw) { g.Read = g.Last })
	}
	c, err := w.Unseen(t.Context(), reader("ann"))
	require.NoError(t, err)
	require.Equal(t, notify.Count{N: 3}, c)
}

// The caller of Notify gave up, and the request arrives after Window. The caller
// repeats it: the user has not seen the event.
func TestAnEventThatArrivedAfterItsCallerGaveUpIsUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	late := &faults.Late{Holds: func(op string, body []byte) bool { return strings.HasSuffix(op, "UpdateItem") }}
	p := w.process(t, nil, late.Wrap)
	n := w.of(t, in("ann", 1))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	_, _, err := p.Notify(ctx, n)
	cancel()
	require.Error(t, err)
	w.pass(time.Minute)
	w.put(t, in("ann", 2))
	w.pass(time.Minute)
	w.seen(t, "ann")
	require.NotZero(t, late.Arrive(t))
	_, _, err = w.Notify(t.Context(), n)
	require.NoError(t, err)
	require.Equal(t, 1, w.unseen(t, "ann"))
}

// A full group whose events are all retracted begins again.
func TestAFullGroupThatWasRetractedBeginsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := w.like("first")
	w.store(t, n)
	w.fill(t, n, 100, filler)
	over := w.like("over")
	require.Equal(t, notify.Full, w.outcome(t, over))
	require.True(t, w.retract(t, n))
	require.True(t, w.retract(t, over))
	for i := range 99 {
		f := w.like(filler(i).ID)
		f.Activity.ID = n.Activity.ID - ids.ID(i) - 1
		require.True(t, w.retract(t, f), i)
	}
	require.Empty(t, w.list(t, "bob"))
	w.store(t, w.like("again"))
	e := w.list(t, "bob")
	require.Len(t, e, 1)
	require.Equal(t, 1, e[0].N)
	require.False(t, e[0].More, "there are none that it does not count")
}
