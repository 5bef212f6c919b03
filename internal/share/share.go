// Package share turns concurrent equal reads into one, and reports whether the result
// of one is still fresh.
package share

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// limit is how long a shared read may take.
const limit = 30 * time.Second

var errEnded = errors.New("share: the read ended its goroutine")

// Group holds the reads in progress. The zero value works. It is safe for concurrent
// use.
type Group[K comparable, V any] struct {
	mu    sync.Mutex
	reads map[K]*read[V]
}

type read[V any] struct {
	waiting int // number of callers; guarded by the group's lock
	cancel  context.CancelFunc
	done    chan struct{}
	value   V
	err     error
}

// Do calls do and returns its answer. Calls with an equal key that come while do runs
// share the answer, so callers must not change the value.
//
// The context of do has the values of the first caller's. It ends when all callers have
// gone, and after 30 s; then the error is plaza.ErrBusy. A panic of do is a
// *parallel.PanicError.
func (g *Group[K, V]) Do(ctx context.Context, key K, do func(context.Context) (V, error)) (V, error) {
	var none V
	if err := ctx.Err(); err != nil {
		return none, err
	}
	r := g.join(ctx, key, do)
	select {
	case <-r.done:
		return r.value, r.err
	case <-ctx.Done():
		g.leave(key, r)
		return none, ctx.Err()
	}
}

func (g *Group[K, V]) join(ctx context.Context, key K, do func(context.Context) (V, error)) *read[V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.reads[key]
	if r == nil {
		if g.reads == nil {
			g.reads = map[K]*read[V]{}
		}
		r = &read[V]{done: make(chan struct{}), err: errEnded}
		ctx, r.cancel = context.WithTimeout(context.WithoutCancel(ctx), limit)
		g.reads[key] = r
		go g.run(ctx, key, r, do)
	}
	r.waiting++
	return r
}

// leave stops a read that nobody waits for any more. The next caller begins another.
func (g *Group[K, V]) leave(key K, r *read[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r.waiting--
	if r.waiting == 0 {
		r.cancel()
		g.forget(key, r)
	}
}

func (g *Group[K, V]) run(ctx context.Context, key K, r *read[V], do func(context.Context) (V, error)) {
	defer r.cancel()
	defer close(r.done)
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.forget(key, r)
	}()
	err := parallel.Catch(func() (err error) {
		r.value, err = do(ctx)
		return err
	})
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("share: no answer within %v: %w: %v", limit, plaza.ErrBusy, err) //nolint:errorlint // callers' own contexts have not ended
	}
	r.err = err
}

// forget needs the group's lock.
func (g *Group[K, V]) forget(key K, r *read[V]) {
	if g.reads[key] == r {
		delete(g.reads, key)
	}
}

// Fresh reports whether what was read at that time is younger than life. After the
// clock was turned back it is not.
func Fresh(read, now time.Time, life time.Duration) bool {
	age := now.Sub(read)
	return 0 <= age && age < life
}
