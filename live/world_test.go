package live_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/live"
)

const room = "room"

// event is the type of events in these tests.
type event struct {
	N int `json:"n"`
}

// numbers returns the numbers of events.
func numbers(events []event) []int {
	ns := []int{}
	for _, e := range events {
		ns = append(ns, e.N)
	}
	return ns
}

// entry returns the entry that a backplane delivers for a published event.
func entry(t testing.TB, pos string, e event) live.Entry {
	t.Helper()
	payload, err := json.Marshal(e)
	require.NoError(t, err)
	return live.Entry{Pos: live.Pos(pos), Payload: payload}
}

// rising is an Options.Fresh that leaves out events whose numbers do not rise.
func rising() func(event) bool {
	last := 0
	return func(e event) bool {
		fresh := e.N > last
		last = max(last, e.N)
		return fresh
	}
}

func newHub(t testing.TB, opts *live.Options[event]) *live.Hub[event] {
	t.Helper()
	hub, err := live.New(opts)
	require.NoError(t, err)
	t.Cleanup(hub.Close)
	return hub
}

func join(t testing.TB, hub *live.Hub[event], after live.Pos) *live.Viewer[event] {
	t.Helper()
	v, err := hub.Join(t.Context(), room, after)
	require.NoError(t, err)
	t.Cleanup(v.Close)
	return v
}

func next(t testing.TB, v *live.Viewer[event]) live.Batch[event] {
	t.Helper()
	batch, err := v.Next(t.Context())
	require.NoError(t, err)
	return batch
}

// quiet fails if there is a batch. It works in a bubble only.
func quiet(t *testing.T, v *live.Viewer[event]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	batch, err := v.Next(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded, "%v", batch.Events)
}

func publish(t testing.TB, hub *live.Hub[event], events ...event) {
	t.Helper()
	for _, e := range events {
		require.NoError(t, hub.Publish(t.Context(), room, e))
	}
}

// wire is a backplane whose entries a test delivers.
type wire struct {
	mu      sync.Mutex
	from    live.Pos
	end     live.Pos      // if not empty, the End of Subscribe
	early   []live.Entry  // delivered during Subscribe
	hold    chan struct{} // if not nil, Subscribe waits for it
	deaf    bool          // Subscribe ignores its ctx
	deliver func([]live.Entry)
	opened  int
	stopped int
}

var errDown = errors.New("down")

func (*wire) Publish(context.Context, string, []byte) error { return nil }

func (w *wire) Subscribe(ctx context.Context, _ string, _ live.Pos, deliver func([]live.Entry)) (live.Subscription, error) {
	if w.early != nil {
		deliver(w.early)
	}
	if w.hold != nil {
		select {
		case <-w.hold:
		case <-ctx.Done():
			if !w.deaf {
				return live.Subscription{}, ctx.Err()
			}
			<-w.hold
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deliver = deliver
	w.opened++
	return live.Subscription{From: w.from, End: cmp.Or(w.end, w.from), Stop: func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.stopped++
	}}, nil
}
