package live

import (
	"context"
	"sync/atomic"
	"time"
)

// Batch is what happened in a room since the batch before.
type Batch[E any] struct {
	// Pos is where the batch ends: Join after it to continue.
	Pos Pos

	// Events is empty if Reset is set, or if viewers came or went.
	Events []E

	// Encoded is Events as Options.Encode writes them, nil if there are none.
	// All viewers share both: do not change them.
	Encoded []byte

	// Dropped is how many earlier events this viewer lost, most often by being
	// slow. A gap that no Reset has reported counts as one.
	Dropped int

	// Reset reports that earlier events are lost and their number is not known:
	// read again what is stored.
	Reset bool

	// Present is how many viewers of this hub are in the room; it may be as old
	// as Options.PresentEvery. Without that option it is 0.
	Present int
}

// Viewer is a place in a room's log. It is for one goroutine, except for Close
// and Err.
type Viewer[E any] struct {
	hub    *Hub[E]
	room   *room[E]
	seen   uint64
	since  time.Time
	reset  Pos  // if not empty, the viewer begins with a Reset at this position
	early  bool // if the room's replay is still running, the viewer begins where that ends
	closed atomic.Bool

	present int  // the Present of the next batch
	changes int  // the room's changes that it counts
	changed bool // present has changed since the last batch without events
}

// Since returns when the viewer joined or got its last Reset. If you read what is
// stored after that time and then call Next, you miss nothing.
func (v *Viewer[E]) Since() time.Time { return v.since }

// Next waits for the next batch. Once the viewer or its hub is closed it returns
// ErrClosed; Viewer.Close does not wake a Next that waits. A panic in a function
// of Options is returned as an error; if it concerns all viewers it ends the
// room, so join again.
//
// Cost: none.
func (v *Viewer[E]) Next(ctx context.Context) (b Batch[E], err error) {
	for {
		wake, ok, err := v.read(&b)
		if err == nil && !ok {
			err = await(ctx, wake)
		}
		if err != nil {
			return Batch[E]{}, err
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

// read takes the next batch, or returns a channel to wait for.
func (v *Viewer[E]) read(b *Batch[E]) (wake <-chan struct{}, ok bool, err error) {
	r := v.room
	r.mu.RLock()
	if err := v.over(); err != nil {
		r.mu.RUnlock()
		return nil, false, err
	}
	if v.early && r.replay == "" {
		v.seen, v.early = max(v.seen, r.begun), false
	}
	v.takeCount()
	var cut bool
	next := v.seen
	switch {
	case v.reset != "":
		*b, v.reset, ok = Batch[E]{Pos: v.reset, Reset: true}, "", true
	case !v.early:
		next, cut, ok = r.log.read(v.seen, b)
		if !ok && v.changed {
			*b, v.changed, ok = Batch[E]{Pos: r.log.pos(v.seen)}, false, true
		}
	}
	wake = r.wake
	r.mu.RUnlock()
	if !ok {
		return wake, false, nil
	}
	if cut {
		if b.Encoded, err = r.encode(b.Events); err != nil {
			return nil, false, err
		}
	}
	b.Present = v.present
	v.seen = next
	return nil, true, nil
}

// Err returns why Next returns no more batches: ErrClosed, or the error that ended the
// room. Until then it is nil.
func (v *Viewer[E]) Err() error {
	v.room.mu.RLock()
	defer v.room.mu.RUnlock()
	return v.over()
}

// over is Err under the room's lock.
func (v *Viewer[E]) over() error {
	closed := v.closed.Load()
	switch {
	case !closed && !v.room.ended:
		return nil
	case !closed && v.room.failed != nil:
		return v.room.failed
	}
	return ErrClosed
}

// Close leaves the room. A second call does nothing.
func (v *Viewer[E]) Close() {
	if !v.closed.Swap(true) {
		v.hub.leave(v.room)
	}
}
