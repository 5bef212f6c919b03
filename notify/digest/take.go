package digest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxTries bounds the writes of a mark that others change meanwhile.
const maxTries = 10

// take takes the lease of a digest, and decides what it covers before anything is sent.
// If it covers nothing and is not held, there is nothing to send and the job can end.
func (w *Worker) take(ctx context.Context, t *trial) error {
	job := t.job.Work
	var item dynamo.Item
	if err := w.r.table.Get(ctx, markKey(job.place()), false, &item); err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return err
	}
	var p *plan
	var on bool
	var unplanned error
	for try := range maxTries {
		seen, err := w.r.markOf(item)
		damaged := w.r.table.Skips(err)
		switch {
		case damaged:
			seen = mark{}
		case err != nil:
			return err
		}
		now := w.r.opts.Now()
		if t.held = seen.held(job.Slot, now); t.held {
			return nil
		}
		if try == 0 {
			unplanned = parallel.Catch(func() (err error) {
				p, on, err = w.r.plan(ctx, job.place())
				return err
			})
		}
		next := seen.clone()
		own, to := next.of(job.Slot), ids.ID(0)
		if own == nil {
			own = job.Spans
		}
		switch {
		case unplanned != nil: // the failure needs the lease, so that only one worker counts it
		case !on:
			return nil
		case own == nil: // this is the first attempt
			if to = w.moved(p, job.Slot, now); to == 0 {
				own = next.assign(job.Begin, job.Slot)
			}
			if to == 0 && own == nil {
				return nil // other digests cover it
			}
		}
		// With the lease even if it moves: others may have begun it since the mark was read.
		t.lease = next.hold(job.Slot, now)
		if t.held = next.full(); t.held {
			return nil
		}
		item, err = w.write(ctx, job.place(), &next, seen.Rev, damaged)
		if item == nil {
			t.took = err == nil || ctx.Err() != nil // if ctx ended, the write may have arrived: the lease must be given back
			t.spans = own
			if err := cmp.Or(err, ctx.Err(), unplanned); err != nil || to == 0 {
				return err
			}
			return w.move(ctx, job, to)
		}
	}
	return plaza.ErrBusy
}

// moved returns the slot to move to if the schedule no longer has the slot. It is 0 if
// the schedule has it, or if the new slot is past too: that digest may have been sent.
func (w *Worker) moved(p *plan, slot ids.ID, now time.Time) (to ids.ID) {
	_, to = p.slotOf(slot - 1)
	if to > slot && to > ids.At(now) {
		return to
	}
	return 0
}

// move plans the digest for another slot. Then the job can end.
func (w *Worker) move(ctx context.Context, job dueItem, to ids.ID) error {
	if err := w.r.jobs.StoreShards(ctx); err != nil {
		return err
	}
	return w.r.put(ctx, job.place(), job.Begin, to)
}

// write stores a mark, unless the stored one no longer has that rev. Then it returns
// the stored item.
func (w *Worker) write(ctx context.Context, to place, m *mark, rev int64, damaged bool) (stands dynamo.Item, err error) {
	m.next(w.r.opts.Now())
	item, err := m.item(to)
	if err != nil {
		return nil, err
	}
	put := w.r.table.Put(item)
	switch {
	case damaged:
	case rev == 0:
		put.If("attribute_not_exists(pk)")
	default:
		put.If("rev = ?", rev)
	}
	err = w.r.table.Run(ctx, put)
	refused, ok := store.AsRefused(err)
	if !ok {
		return nil, err
	}
	stands, _ = refused.At(0)
	if stands == nil {
		return dynamo.Item{}, nil // it was erased
	}
	if found, err := w.r.markOf(stands); err == nil && m.same(&found) {
		return nil, nil //nolint:nilnil // it is written: the SDK sent it twice
	}
	return stands, nil
}

// giveBack releases the lease of a digest after ctx has ended. If that fails, the lease
// expires.
func (w *Worker) giveBack(ctx context.Context, t *trial) {
	if !t.took {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	to := t.job.Work.place()
	for range maxTries {
		var m mark
		if err := w.r.table.Get(ctx, markKey(to), true, &m); err != nil || !slices.Contains(m.Leases, t.lease) {
			return
		}
		rev := m.Rev
		m.release(t.lease.slot, w.r.opts.Now())
		if stands, err := w.write(ctx, to, &m, rev, false); err != nil || stands == nil {
			return
		}
	}
}

func ignoreRefused(err error) error {
	if _, refused := store.AsRefused(err); refused {
		return nil
	}
	return err
}
