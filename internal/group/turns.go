package group

import (
	"context"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/internal/store"
)

// patience is how long a write waits for those of its process before it.
const patience = 5 * time.Second

// turns lets the writes of a process to one group follow each other. Otherwise they
// refuse each other: 64 writers took 7 requests an event, and take 1.1. It is no lock:
// behind a write that hangs, others go on after a while.
type turns struct {
	mu    sync.Mutex
	taken map[store.Key]*turn
}

type turn struct {
	free chan struct{}
	n    int // who has it and who waits
}

// take waits for the turn of a group, for no longer than patience. Call done after
// the write.
func (t *turns) take(ctx context.Context, key store.Key) (done func(), err error) {
	t.mu.Lock()
	own, ok := t.taken[key]
	if !ok {
		own = &turn{free: make(chan struct{}, 1)}
		t.taken[key] = own
	}
	own.n++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if own.n--; own.n == 0 {
			delete(t.taken, key)
		}
	}
	select {
	case own.free <- struct{}{}:
		return func() { <-own.free; leave() }, nil
	default:
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case own.free <- struct{}{}:
		return func() { <-own.free; leave() }, nil
	case <-timer.C:
		return leave, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
