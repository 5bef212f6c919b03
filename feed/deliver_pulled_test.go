package feed_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestADeliverySkipsThePulledOfItsSources(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, OwnHome: true})
	for _, source := range []string{"ann", "birds", "paris", "chris"} {
		_, _, err := w.follows.Follow(t.Context(), followEdge("fan of "+source, source))
		require.NoError(t, err)
	}
	w.switched(t, "birds", true)
	w.switched(t, "chris", true)
	publish := func(owner string, to ...string) ids.ID {
		a, _, err := w.process(t, &feed.Options{OwnHome: true}).Outbox(owner).Publish(t.Context(), addressed(owner, 1, to...))
		require.NoError(t, err)
		require.Empty(t, w.jobs(t))
		return a.ID
	}
	anns := publish("ann", "birds", "paris", "chris")
	require.Equal(t, []ids.ID{anns}, w.entriesOf(t, "fan of ann"))
	require.Equal(t, []ids.ID{anns}, w.entriesOf(t, "fan of paris"))
	require.Equal(t, []ids.ID{anns}, w.entriesOf(t, "ann"), "OwnHome")

	chriss := publish("chris", "paris")
	require.Equal(t, []ids.ID{chriss, anns}, w.entriesOf(t, "fan of paris"))
	require.Equal(t, []ids.ID{chriss}, w.entriesOf(t, "chris"), "OwnHome, though Pulled")
	require.Equal(t, []ids.ID{chriss}, all(t, w.Home("chris").List, 10))
	for _, source := range []string{"birds", "chris"} {
		require.Empty(t, w.entriesOf(t, "fan of "+source))
		require.Contains(t, all(t, w.Home("fan of "+source).List, 1), anns)
	}

	// Part of it inline, the rest by a worker.
	part := w.process(t, &feed.Options{InlineFollowers: 1, OwnHome: true})
	a := part.send(t, "chris", addressed("chris", 2, "birds", "paris"))
	require.Len(t, w.jobs(t), 1)
	delivered, err := w.process(t, &feed.Options{OwnHome: true}).Deliver(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, delivered)
	require.Equal(t, []ids.ID{a.ID, chriss, anns}, w.entriesOf(t, "fan of paris"))
	require.Equal(t, []ids.ID{a.ID, chriss}, w.entriesOf(t, "chris"))
}

// Only that a source is not Pulled is remembered.
func TestThatASourceIsNotPulledIsRememberedFor30Seconds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "star")
	w.switched(t, "star", true)
	now := time.Now() // it does not move, however busy the machine is
	reads := 0
	in := faults.New(t, 1, faults.Rates{})
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "BatchGetItem" && bytes.Contains(body, []byte("O#")) {
			reads++
		}
		return faults.Fault{}
	})
	p := w.process(t, &feed.Options{Now: func() time.Time { return now }}, in.Wrap)
	for i, step := range []struct {
		advance time.Duration
		owner   string
		to      []string
		want    int
	}{
		{0, "chris", nil, 1},
		{0, "chris", nil, 0},
		{29 * time.Second, "chris", nil, 0},
		{0, "chris", []string{"birds"}, 1},
		{0, "chris", []string{"birds"}, 0},
		{2 * time.Second, "chris", []string{"birds"}, 1}, // chris again
		{0, "birds", nil, 0},
		{0, "star", nil, 1},
		{0, "star", nil, 1}, // a Pulled one is read each time
		{0, "chris", []string{"star"}, 1},
		{-time.Second, "chris", nil, 1}, // the clock was set back
		{30 * time.Second, "chris", nil, 1},
	} {
		now = now.Add(step.advance)
		reads = 0
		p.send(t, step.owner, addressed(step.owner, i, step.to...))
		require.Equal(t, step.want, reads, "step %d", i)
	}
	require.Empty(t, w.entriesOf(t, "jack"))

	// Pulled from now on, it is read within the 30 s of its last mode.
	w.switched(t, "chris", true)
	now = now.Add(30 * time.Second)
	reads = 0
	for range 2 {
		p.send(t, "chris", activity("chris", 1))
	}
	require.Equal(t, 2, reads)
}

// A deliverer reads that chris is Pulled and pauses. When it goes on, chris is
// Pushed. The activity lies below where homes stop reading.
func TestADelivererMayPauseOverTheWholeWayBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	w.switched(t, "chris", true)
	paused := false
	slow := w.over(t, watchedGraph{w.follows, func(source string) error {
		if source == "ann" && !paused {
			paused = true
			w.setPulled(t, "chris", false)
			other := w.process(t, nil) // the lease of the delivery holds it off
			delivered, err := other.Deliver(t.Context())
			require.Equal(t, 1, delivered)
			return err
		}
		return nil
	}}, nil)
	a := slow.send(t, "ann", addressed("ann", 1, "chris"))
	require.True(t, paused)
	require.Empty(t, w.jobs(t))
	require.Equal(t, feed.Pushed, w.storedMode(t, "chris").Mode)
	require.Empty(t, w.entriesOf(t, "jack"))
	require.Equal(t, a.ID+1, w.pullOf(t, "jack").Until)
	require.Equal(t, []ids.ID{a.ID}, all(t, w.Home("jack").List, 10))
}
