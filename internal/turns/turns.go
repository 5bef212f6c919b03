// Package turns lets the writes of a process to one item follow each other, where they
// would otherwise refuse each other.
package turns

import (
	"context"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/internal/store"
)

// patience is how long a write waits for those of its process before it.
const patience = 5 * time.Second

// Turns are the turns of all items. It is no lock: behind a write that hangs, others go
// on after a while.
type Turns struct {
	mu    sync.Mutex
	taken map[store.Key]*turn
}

type turn struct {
	free chan struct{}
	n    int // who has it and who waits
}

// New returns turns that nobody has.
func New() *Turns { return &Turns{taken: map[store.Key]*turn{}} }

// Take waits for the turn of an item, for no longer than 5 s. Call done after the write.
func (t *Turns) Take(ctx context.Context, key store.Key) (done func(), err error) {
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
