package poller

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/lease"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/stream"
)

const (
	stopWait    = 5 * time.Second // for what a worker still writes when it stops
	writers     = 8               // how many leases are written at once
	forgetAfter = 3               // listings
)

// errDrained ends a worker whose stream is disabled and was handled to the end.
var errDrained = errors.New("poller: drained")

// worker is one Run of a Poller.
type worker struct {
	*Poller
	name  string
	beats int64
	alive time.Time // when the last beat that arrived was sent
	lapse time.Duration

	others   map[string]*lease.Watch
	missing  map[string]int // listings in a row without a shard that has ended
	held     map[string]*holding
	drained  map[string]leaseItem // shards that were read to their end, which is not stored yet
	outcomes chan outcome
	listing  atomic.Pointer[listing]
}

func newWorker(p *Poller, name string) *worker {
	return &worker{
		Poller: p,
		name:   name,
		alive:  time.Now(),
		// Others take over after Lease. This one stops a little earlier, so that its
		// handlers have time to end.
		lapse:    p.opts.Lease - p.opts.Renew,
		others:   map[string]*lease.Watch{},
		missing:  map[string]int{},
		held:     map[string]*holding{},
		drained:  map[string]leaseItem{},
		outcomes: make(chan outcome),
	}
}

func (w *worker) run(ctx context.Context) error {
	defer w.stop(ctx)
	for failures := 0; ; {
		pause, err := w.tick(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			failures = 0
		case ends(err):
			return err
		default:
			w.opts.OnError(err)
			failures++
			pause = min(backoff(failures), w.opts.Renew)
		}
		if err := w.await(ctx, pause); err != nil {
			return err
		}
	}
}

// ends reports whether an error ends Run.
func ends(err error) bool {
	return errors.Is(err, errDrained) || errors.Is(err, stream.ErrGap) || errors.Is(err, plaza.ErrTable)
}

// await waits for the next tick, which comes at once when a shard has ended. If
// the last beat was too long ago it stops all shards.
func (w *worker) await(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	lapse := time.NewTimer(time.Until(w.alive.Add(w.lapse)))
	defer lapse.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		case <-lapse.C:
			for _, h := range w.held {
				h.stop()
			}
		case o := <-w.outcomes:
			if err := w.settle(o); err != nil || o.ended {
				return err
			}
		}
	}
}

// settle applies the outcome of a shard.
func (w *worker) settle(o outcome) error {
	delete(w.held, o.shard)
	if o.ended {
		w.drained[o.shard] = o.lease
	}
	return o.err
}

// stop ends all shards, and then the worker. Shards that it drained are then free too.
func (w *worker) stop(ctx context.Context) {
	for _, h := range w.held {
		h.stop()
	}
	for len(w.held) > 0 {
		_ = w.settle(<-w.outcomes)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	if err := w.leases.leave(ctx, w.name, w.beats); err != nil {
		w.opts.OnError(fmt.Errorf("poller: leave: %w", err))
	}
}

// tick shows that the worker is alive, lists shards and workers, and takes or gives back
// leases. It returns how long to wait before the next tick.
func (w *worker) tick(ctx context.Context) (time.Duration, error) {
	within, cancel := w.within(ctx)
	defer cancel()
	sent := time.Now()
	w.beats++
	if err := w.leases.beat(within, w.name, w.beats); err != nil {
		return 0, fmt.Errorf("poller: beat: %w", err)
	}
	w.alive = sent

	within, cancel = w.within(ctx)
	defer cancel()
	asked := time.Now()
	known, beats, err := w.leases.all(within)
	if err != nil {
		return 0, fmt.Errorf("poller: reading leases: %w", err)
	}
	live, pause := w.watch(beats, asked)

	// Shards are listed after the leases are read: one that has a lease and is not
	// listed is gone.
	failed := []error{w.list(within, known)}
	if ends(failed[0]) {
		return 0, failed[0]
	}
	failed = append(failed, w.removeDead(within, beats, live))
	if l := w.listing.Load(); l != nil {
		if l.retired && finished(l, known) {
			return 0, errDrained
		}
		failed = append(failed, w.balance(ctx, within, l, known, live))
	}
	return pause, errors.Join(failed...)
}

// within returns a context that ends when this worker's leases lapse. If they have, it
// ends after the time that they would last.
func (w *worker) within(ctx context.Context) (context.Context, context.CancelFunc) {
	end := w.alive.Add(w.lapse)
	if time.Until(end) <= 0 {
		end = time.Now().Add(w.lapse)
	}
	return context.WithDeadline(ctx, end)
}

// watch returns the live workers, and how long until the next of them may count as dead.
func (w *worker) watch(beats map[string]int64, asked time.Time) (live map[string]bool, pause time.Duration) {
	live, pause = map[string]bool{w.name: true}, w.opts.Renew
	others := map[string]*lease.Watch{}
	for name, beat := range beats {
		if name == w.name {
			continue
		}
		if others[name] = w.others[name]; others[name] == nil {
			others[name] = &lease.Watch{}
		}
		if left := others[name].Left(beat, asked, w.opts.Lease); left > 0 {
			live[name] = true
			pause = min(pause, left)
		}
	}
	w.others = others
	return live, pause
}

// removeDead removes workers that died, so that their items do not pile up.
func (w *worker) removeDead(ctx context.Context, beats map[string]int64, live map[string]bool) error {
	var failed []error
	for name, beat := range beats {
		if !live[name] {
			failed = append(failed, w.leases.leave(ctx, name, beat))
		}
	}
	return errors.Join(failed...)
}

// list lists the shards, gives leases to new ones, ends those that were read to
// their end, and forgets those that are gone.
//
// A shard is ended only after it was listed again: by then its children have leases, so
// it is noticed if they vanish unread.
func (w *worker) list(ctx context.Context, known map[string]leaseItem) error {
	l, err := w.source.list(ctx)
	if errors.Is(err, errVanish) {
		return w.vanished(known, err)
	}
	if err != nil {
		return err
	}
	var added []shard
	for _, s := range l.shards {
		if _, there := known[s.id]; !there {
			added = append(added, s)
		}
	}
	leases := make([]leaseItem, len(added))
	group := parallel.New()
	group.SetLimit(writers)
	for i, s := range added {
		group.Go(func() (err error) {
			leases[i], err = w.leases.add(ctx, s)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("poller: new shards: %w", err)
	}
	for i, s := range added {
		known[s.id] = leases[i]
	}
	w.listing.Store(l)
	for id, held := range w.drained {
		owned, err := w.leases.end(ctx, held)
		if err != nil {
			return fmt.Errorf("poller: end of shard %s: %w", id, err)
		}
		delete(w.drained, id)
		if owned {
			held.Ended, held.Owner = true, ""
			known[id] = held
		}
	}
	return w.forget(ctx, l, known)
}

// forget removes the leases of shards that have ended and are gone. It waits for
// several listings: a shard that came back would be read again.
func (w *worker) forget(ctx context.Context, l *listing, known map[string]leaseItem) error {
	missing := map[string]int{}
	for id, stored := range known {
		if !stored.Ended || l.known[id] {
			continue
		}
		if missing[id] = w.missing[id] + 1; missing[id] < forgetAfter {
			continue
		}
		if err := w.leases.forget(ctx, id); err != nil {
			return fmt.Errorf("poller: shard %s: %w", id, err)
		}
	}
	w.missing = missing
	return nil
}

// vanished returns the error with which the worker ends if the stream no longer exists.
func (w *worker) vanished(known map[string]leaseItem, err error) error {
	if len(known) == 0 {
		return fmt.Errorf("%w: %w", plaza.ErrTable, err)
	}
	for id, stored := range known {
		if !stored.Ended {
			return fmt.Errorf("%w: stream %s, shard %s", stream.ErrGap, w.source.arn, id)
		}
	}
	return errDrained
}

// finished reports whether all shards have been handled to the end.
func finished(l *listing, known map[string]leaseItem) bool {
	for _, s := range l.shards {
		if !known[s.id].Ended {
			return false
		}
	}
	for _, stored := range known {
		if !stored.Ended {
			return false
		}
	}
	return true
}
