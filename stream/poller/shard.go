package poller

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/stream"
)

const (
	// firstIdle is the pause before the next read of a shard that had nothing new, or only a
	// little. It doubles with each answer without records, up to the longest.
	firstIdle = 200 * time.Millisecond

	recent     = 10 * time.Second // older records are a backlog
	fullAnswer = 1000             // records
)

var (
	errLost    = errors.New("poller: the lease is another worker's")
	errStopped = errors.New("poller: the processor stopped before the last record")
)

// holding is a shard that a worker reads, in a goroutine of its own.
type holding struct {
	*worker
	shard   string
	lease   leaseItem // as stored
	handled string    // the last record that was handled: the lease's Seq, unless a checkpoint failed
	first   bool      // nobody in the group has read the shard or its parent

	cancel   context.CancelFunc
	stopping bool // the worker's
}

// outcome says how a holding ended.
type outcome struct {
	shard string
	lease leaseItem
	ended bool  // the shard was read to its end
	err   error // ends Run
}

// hold begins to read a shard.
func (w *worker) hold(ctx context.Context, l leaseItem, first bool) {
	ctx, cancel := context.WithCancel(ctx)
	h := &holding{worker: w, shard: l.shardID(), lease: l, handled: l.Seq, first: first, cancel: cancel}
	w.held[h.shard] = h
	go func() {
		defer cancel()
		o := outcome{shard: h.shard}
		if err := parallel.Catch(func() (err error) { o.ended, err = h.run(ctx); return err }); err != nil {
			o.err = err
		}
		o.lease = h.lease
		w.outcomes <- o
	}()
}

// stop lets the shard's goroutine end, and give the lease back.
func (h *holding) stop() {
	h.stopping = true
	h.cancel()
}

// run reads the shard. Unless it reaches the shard's end, it gives the lease back.
func (h *holding) run(ctx context.Context) (ended bool, err error) {
	ended, err = h.follow(ctx)
	if errors.Is(err, errLost) || errors.Is(h.save(ctx), errLost) {
		return false, nil
	}
	if !ended {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
		defer cancel()
		if err := h.leases.release(ctx, h.lease); err != nil {
			h.opts.OnError(fmt.Errorf("poller: shard %s: %w", h.shard, err))
		}
	}
	return ended, err
}

// follow handles records until the shard's end, or until ctx ends.
func (h *holding) follow(ctx context.Context) (ended bool, err error) {
	var (
		at       string // "" if it must be asked for
		failures int    // in a row
		empty    int    // empty answers in a row
		spent    int    // those that count towards the shard's end
	)
	for ctx.Err() == nil {
		items, next, err := h.read(ctx, &at)
		if ended, err := h.over(err); ended || err != nil {
			return ended, err
		}
		switch {
		case len(items) > 0:
			empty, spent = 0, 0
		case err == nil || errors.Is(err, errTrimmed): // all that a shard had may be too old
			empty++
			if l := h.listing.Load(); l.endless(h.shard) || err != nil && l.parents[h.shard] {
				spent++
			}
		}
		if spent >= emptyReads {
			return true, nil
		}
		if err == nil {
			if err = h.handle(ctx, items); errors.Is(err, errLost) {
				return false, err
			}
			if err != nil {
				at = "" // again from the first that was not handled
			}
		}
		if err != nil {
			if failures++; ctx.Err() == nil && (failures > 1 || !routine(err)) {
				h.opts.OnError(err)
			}
			_ = wait(ctx, backoff(failures))
			continue
		}
		if next == "" {
			return true, nil
		}
		failures, at = 0, next
		_ = wait(ctx, pause(items, empty, h.opts.Idle))
	}
	return false, nil
}

// read reads at a position or, if there is none, after the last handled record. If no
// record was handled, it begins with the oldest one.
func (h *holding) read(ctx context.Context, at *string) (items []stream.Item, next string, err error) {
	if *at == "" {
		if *at, err = h.source.iterator(ctx, h.shard, h.handled, horizon); err != nil {
			return nil, "", err
		}
	}
	items, next, err = h.source.read(ctx, h.shard, *at)
	if err == nil {
		h.first = false
	} else if routine(err) {
		*at = ""
	}
	return items, next, err
}

// over reports whether a failure to read is the shard's end, or returns the error
// that ends Run. Otherwise it may pass.
func (h *holding) over(err error) (ended bool, _ error) {
	switch {
	case errors.Is(err, errVanish) && h.first:
		return true, nil // it was gone before the group began
	case errors.Is(err, errVanish), errors.Is(err, errTrimmed) && h.handled != "":
		return false, fmt.Errorf("%w: %w", stream.ErrGap, err)
	case errors.Is(err, plaza.ErrTable):
		return false, err
	}
	return false, nil
}

// handle gives items to the processor and stores how far it got. It fails unless all
// were handled.
func (h *holding) handle(ctx context.Context, items []stream.Item) error {
	var done int
	err := parallel.Catch(func() (err error) {
		if len(items) > 0 {
			done, err = h.processor.Process(ctx, items)
		}
		return err
	})
	for _, item := range items[:done] {
		if item.Seq != "" {
			h.handled = item.Seq
		}
	}
	if lost := h.save(ctx); lost != nil {
		return lost
	}
	switch {
	case done == len(items):
		return nil
	case err == nil:
		err = errStopped
	}
	return fmt.Errorf("poller: shard %s: %w", h.shard, err)
}

// save stores how far the shard was handled. A failure is tried again with the
// next records; only errLost is returned. It does not end with ctx, since what was
// handled must not come again.
func (h *holding) save(ctx context.Context) error {
	if h.handled == h.lease.Seq {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	owned, err := h.leases.checkpoint(ctx, &h.lease, h.handled)
	if err != nil {
		h.opts.OnError(err)
	}
	if !owned {
		return errLost
	}
	return nil
}

// routine reports whether an error is normal: a position was lost and must be asked for
// again.
func routine(err error) bool { return errors.Is(err, errExpired) || errors.Is(err, errTrimmed) }

// pause is how long to wait after an answer. empty is how many answers in a row had no
// records. Without a pause, a few records a second would cost as many reads as the
// network allows.
func pause(items []stream.Item, empty int, longest time.Duration) time.Duration {
	if len(items) == fullAnswer || len(items) > 0 && time.Since(items[len(items)-1].Record.At) > recent {
		return 0
	}
	return min(firstIdle<<min(max(empty-1, 0), 10), longest)
}
