package danmu

import (
	"context"
	"sync"
)

// flights lets those who want the same at one time share one read of it.
type flights[K comparable, V any] struct {
	mu sync.Mutex
	up map[K]*flight[V]
}

type flight[V any] struct {
	landed  chan struct{}
	value   V
	err     error
	dropped bool // its reader went away: others read themselves
}

// do reads by read, or waits for who reads key already. The value is shared.
func (f *flights[K, V]) do(ctx context.Context, key K, read func(context.Context) (V, error)) (V, error) {
	for {
		other, own := f.board(key)
		if own != nil {
			return f.fly(ctx, key, own, read)
		}
		select {
		case <-other.landed:
		case <-ctx.Done():
			var none V
			return none, ctx.Err()
		}
		if !other.dropped {
			return other.value, other.err
		}
	}
}

func (f *flights[K, V]) board(key K) (other, own *flight[V]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if other := f.up[key]; other != nil {
		return other, nil
	}
	if f.up == nil {
		f.up = map[K]*flight[V]{}
	}
	own = &flight[V]{landed: make(chan struct{}), dropped: true}
	f.up[key] = own
	return nil, own
}

// fly lands in any case.
func (f *flights[K, V]) fly(ctx context.Context, key K, own *flight[V], read func(context.Context) (V, error)) (V, error) {
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.up, key)
		close(own.landed)
	}()
	own.value, own.err = read(ctx)
	own.dropped = own.err != nil && ctx.Err() != nil
	return own.value, own.err
}
