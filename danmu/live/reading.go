package live

import (
	"context"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
)

// question is what several viewers may ask at one time: after a Reset, all of
// a room.
type question struct {
	room     string
	from, to time.Duration
	opts     danmu.WindowOptions
}

// reading is one read of the table, perhaps for many.
type reading struct {
	begun  time.Time
	done   chan struct{}
	window danmu.Window
	caught *caught
	err    error
	left   bool // its reader went away: others read themselves
}

type readings struct {
	mu  sync.Mutex
	now map[question]*reading
}

// read answers q by a read that begins no earlier than since, its own or
// another's.
func (r *readings) read(ctx context.Context, store Store, q question, since time.Time) (*reading, error) {
	for {
		one, own := r.begin(q)
		if own {
			r.finish(ctx, store, q, one)
			return one, one.err
		}
		select {
		case <-one.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !one.left && !one.begun.Before(since) {
			return one, one.err
		}
	}
}

func (r *readings) begin(q question) (one *reading, own bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := r.now[q]; one != nil {
		return one, false
	}
	one = &reading{begun: time.Now(), done: make(chan struct{}), left: true}
	r.now[q] = one
	return one, true
}

// finish reads, and lets the others know in any case.
func (r *readings) finish(ctx context.Context, store Store, q question, one *reading) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.now, q)
		close(one.done)
	}()
	one.window, one.err = store.Window(ctx, q.room, q.from, q.to, &q.opts)
	one.left = one.err != nil && ctx.Err() != nil
	one.caught = &caught{from: q.from, to: q.to, begun: one.begun, lately: map[danmu.ID]struct{}{}}
	for i := range one.window.Comments {
		if c := &one.window.Comments[i]; !c.Sent.Before(one.begun.Add(-settled)) {
			one.caught.lately[c.ID] = struct{}{}
		}
	}
}
