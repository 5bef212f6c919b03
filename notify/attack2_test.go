package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// Waking a full group costs what List and Unseen state.
func TestWakingALargeGroupCostsWhatIsStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &notify.Options{}, meter.Wrap)
	n := w.like("first")
	n.Activity.Data = json.RawMessage(`"` + strings.Repeat("x", notify.MaxData-2) + `"`)
	w.store(t, n)
	w.fill(t, n, 100, filler)
	g := w.group(t)
	w.snooze(t, notify.In{User: "bob", Group: g.SK[2:]}, time.Minute)
	w.pass(time.Hour)
	t.Log(meter.AtMost(t, "unseen", dynamotest.Cost{Requests: 5, Read: 1 + 2 + 2, Write: 3*9 + 2}, func() { w.unseen(t, "bob") }))
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

// A clock that is an hour ahead for one event.
func TestAnHourAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	fast := w.skewed(t, time.Hour)
	n := w.of(t, in("ann", 1))
	_, _, err := fast.Notify(t.Context(), n)
	require.NoError(t, err)
	w.put(t, in("ann", 2))
	l := w.list(t, "ann")
	require.NoError(t, w.MarkAllRead(t.Context(), "ann", notify.See(l)))
	t.Log("after an all read:", w.unseen(t, "ann"))
	w.pass(time.Minute)
	l = w.list(t, "ann")
	require.NoError(t, w.MarkAllRead(t.Context(), "ann", notify.See(l)))
	t.Log("a minute later:", w.unseen(t, "ann"))
	require.NoError(t, w.MarkRead(t.Context(), "ann", shown(l[0])))
	t.Log("read by itself:", w.unseen(t, "ann"))
	// The fast process marks for all.
	w2 := newWorld(t, nil)
	fast = w2.skewed(t, time.Hour)
	for n := range 3 {
		w2.put(t, in("ann", n))
	}
	l, err2 := func() ([]notify.Entry, error) {
		p, err := fast.List(t.Context(), reader("ann"), cursor.PageRequest{})
		return p.Items, err
	}()
	require.NoError(t, err2)
	require.NoError(t, fast.MarkAllRead(t.Context(), "ann", notify.See(l)))
	w2.pass(time.Minute)
	w2.put(t, in("ann", 1))
	w2.put(t, in("ann", 9))
	require.Equal(t, 2, w2.unseen(t, "ann"))
}

// 10,000 announcements of 100 audiences.
func TestManyAnnouncements(t *testing.T) {
	var live board
	w := newWorld(t, &notify.Options{Consistent: true, Announcements: &live})
	for n := range 10_000 {
		live.announce("ann", fmt.Sprint(n), w.id())
	}
	for n := range 30 {
		w.put(t, in("ann", n))
	}
	start := time.Now()
	for range 10 {
		_, err := w.List(t.Context(), reader("ann"), cursor.PageRequest{})
		require.NoError(t, err)
	}
	t.Log("list", time.Since(start)/10)
	start = time.Now()
	_, err := w.Unseen(t.Context(), reader("ann"))
	require.NoError(t, err)
	t.Log("unseen", time.Since(start))
	w.pass(time.Minute)
	w.put(t, in("ann", 50))
	// Marks of a client: 100 ids, and dismissals.
	view := notify.View{At: ids.At(w.Now()), Newest: 1}
	for i := range 100 {
		view.Recent = append(view.Recent, ids.At(w.Now().Add(time.Second))+ids.ID(i))
	}
	require.NoError(t, w.MarkSeen(t.Context(), "ann", view))
	for i := range 100 {
		require.NoError(t, w.Dismiss(t.Context(), "ann", ids.ID(1000+i)))
	}
	start = time.Now()
	_, err = w.Unseen(t.Context(), reader("ann"))
	require.NoError(t, err)
	t.Log("unseen with marks", time.Since(start))
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

// A full group on a shelf comes back with the next event.
func TestAnEventBringsAFullGroupBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := w.like("first")
	w.store(t, n)
	w.fill(t, n, 100, filler)
	require.Equal(t, notify.Full, w.outcome(t, w.like("over")))
	in := notify.In{User: "bob", Group: w.group(t).SK[2:]}
	require.True(t, first(w.Archive(t.Context(), in)))
	w.pass(time.Second)
	require.Equal(t, notify.Full, w.outcome(t, w.like("over2")))
	t.Log("listed after the event:", len(w.list(t, "bob")))
	w.pass(time.Minute)
	t.Log("a minute later:", len(w.list(t, "bob")))
}
