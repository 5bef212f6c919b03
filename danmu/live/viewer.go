package live

import (
	"context"
	"sync/atomic"
	"time"
)

// Batch is what happened in a room since the last one.
type Batch struct {
	// Pos is where the batch ends: Join after it to go on.
	Pos Pos

	// Events are none beside a Reset, and where CatchUp had read them all.
	Events []Event

	// Encoded is Events as Options.Encode writes them, nil where there are none.
	// All viewers share both: do not change them.
	Encoded []byte

	// Dropped is how many events this viewer lost before these, by being slow.
	// A gap that it did not hear of counts as one.
	Dropped int

	// Reset says that what happened before is not all known: read again what is
	// stored, as CatchUp does.
	Reset bool
}

// Viewer is a place in a room's log. It is for one goroutine, but for Close.
type Viewer struct {
	hub    *Hub
	room   *room
	seen   uint64
	since  time.Time // when it joined or was last reset: what is read later has all from before
	reset  Pos       // when not empty, the Reset to begin with
	early  bool      // it begins where the room's replay ends, should that go on
	caught []*caught
	closed atomic.Bool
}

// Next returns the next batch, and waits for it. Once the viewer or its hub is
// closed it returns ErrClosed. The hub's Close ends one that is waiting; after
// the viewer's own it returns by the room's next batch or with ctx. A panic of
// Options.Encode is an error; one for all viewers ends the room: join it again.
func (v *Viewer) Next(ctx context.Context) (b Batch, err error) {
	for {
		wake, ok, err := v.read(&b)
		if err == nil && !ok {
			err = await(ctx, wake)
		}
		if err != nil {
			return Batch{}, err
		}
		if ok {
			if b.Reset {
				v.since = time.Now()
			}
			return b, nil
		}
	}
}

func await(ctx context.Context, wake <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-wake:
		return nil
	}
}

// read gives the next batch, or what to wait for.
func (v *Viewer) read(b *Batch) (wake <-chan struct{}, ok bool, err error) {
	r := v.room
	r.mu.RLock()
	if r.ended || v.closed.Load() {
		err := r.failed
		r.mu.RUnlock()
		if err == nil || v.closed.Load() {
			err = ErrClosed
		}
		return nil, false, err
	}
	if v.early && r.replay == "" {
		v.seen, v.early = max(v.seen, r.begun), false
	}
	var cut bool
	next := v.seen
	switch {
	case v.reset != "":
		*b, v.reset, ok = Batch{Pos: v.reset, Reset: true}, "", true
	case !v.early:
		next, cut, ok = r.log.read(v.seen, b)
	}
	wake = r.wake
	r.mu.RUnlock()
	if !ok {
		return wake, false, nil
	}
	if err := v.leaveOut(b, cut); err != nil {
		return nil, false, err
	}
	v.seen = next
	return nil, true, nil
}

// Close leaves the room. The second time it does nothing.
func (v *Viewer) Close() {
	if !v.closed.Swap(true) {
		v.hub.leave(v.room)
	}
}
