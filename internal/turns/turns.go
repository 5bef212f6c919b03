// Package turns queues a process's writes to one item, which would otherwise fail each
// other's conditions.
package turns

import (
	"context"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/internal/store"
)

// patience is how long a write waits for earlier ones of its process.
const patience = 5 * time.Second

// Turns has a queue for each item. It is not a lock: if a write hangs, the next one
// goes on after patience.
type Turns struct {
	mu    sync.Mutex
	taken map[store.Key]*turn
}

type turn struct {
	free chan struct{}
	n    int // holders and waiters
}

// New returns empty Turns.
func New() *Turns { return &Turns{taken: map[store.Key]*turn{}} }

// Take waits for a turn at an item, at most 5 s. Call done after the write.
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
