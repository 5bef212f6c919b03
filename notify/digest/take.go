package digest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// take takes the lease of a digest, and decides which spans it covers before anything is
// sent. If it covers none and nobody has its lease, there is nothing to send: the job can
// end.
func (w *Worker) take(ctx context.Context, t *trial) error {
	job := t.job.Work
	key := markKey(job.place())
	var seen mark
	if err := w.r.table.Get(ctx, key, false, &seen); err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return err
	}
	var p *plan
	var on, sent bool
	var unplanned error
	plan := sync.OnceFunc(func() {
		unplanned = parallel.Catch(func() (err error) {
			p, on, err = w.r.plan(ctx, job.place())
			return err
		})
	})
	var own spans
	var to ids.ID // the slot to move to
	next := func(m *mark) (store.Write, error) {
		now, rev := w.r.opts.Now(), m.Rev
		if m.damaged != nil { // report and replace it
			w.r.table.Skips(w.r.table.Corrupt(key, m.damaged.Error()))
		}
		if sent = slices.Contains(m.Leases, t.lease); sent {
			return nil, store.ErrSame
		}
		if t.held = m.held(job.Slot, now); t.held {
			return nil, store.ErrSame
		}
		plan()
		if own, to = m.of(job.Slot), 0; own == nil {
			own = job.Spans
		}
		switch {
		case unplanned != nil: // the failure needs the lease, so that only one worker counts it
		case !on:
			return nil, store.ErrSame
		case own == nil: // this is the first attempt
			if to = w.moved(p, job.Slot, now); to == 0 {
				own = m.assign(job.Begin, job.Slot)
			}
			if to == 0 && own == nil {
				return nil, store.ErrSame // other digests cover it
			}
		}
		// With the lease even if it moves: others may have begun it since the mark was read.
		t.lease = m.hold(job.Slot, now)
		if t.held = m.full(); t.held {
			return nil, store.ErrSame
		}
		return w.write(job.place(), m, rev)
	}
	first, err := next(&seen)
	if err == nil {
		t.took, err = store.Merge(ctx, w.r.table, key, first, next)
	}
	t.took = t.took || sent || first != nil && ctx.Err() != nil // if ctx ended, the write may have arrived: the lease must be given back
	switch {
	case !t.took && errors.Is(err, store.ErrSame):
		return nil
	case !t.took:
		return err
	}
	t.spans = own
	if err := cmp.Or(err, ctx.Err(), unplanned); err != nil || to == 0 {
		return err
	}
	return w.move(ctx, job, to)
}

// moved returns the slot to move to if the schedule no longer has the slot. It is 0 if
// the schedule has it, or if the new slot is past too: that digest may have been sent.
func (w *Worker) moved(p *plan, slot ids.ID, now time.Time) (to ids.ID) {
	from, to := p.slotOf(slot - 1)
	if to > slot && dueOf(to) > ids.At(now) && p.sends(from) {
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

// write is the write of a mark, unless the stored one no longer has that rev.
func (w *Worker) write(to place, m *mark, rev int64) (*store.Put, error) {
	m.next(w.r.opts.Now())
	item, err := m.item(to)
	put := w.r.table.Put(item)
	switch {
	case m.damaged != nil:
	case rev == 0:
		put.If("attribute_not_exists(pk)")
	default:
		put.If("rev = ?", rev)
	}
	return put, err
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
	_, _ = store.Merge(ctx, w.r.table, markKey(to), nil, func(m *mark) (store.Write, error) {
		if !slices.Contains(m.Leases, t.lease) {
			return nil, store.ErrSame
		}
		rev := m.Rev
		m.release(t.lease.slot, w.r.opts.Now())
		return w.write(to, m, rev)
	})
}

func ignoreRefused(err error) error {
	if _, refused := store.AsRefused(err); refused {
		return nil
	}
	return err
}
