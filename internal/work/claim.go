package work

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// The attributes of a job's lease.
const (
	lease = "lease"
	claim = "claim"
)

// stopWait is how long a stopped worker takes to give a job back.
const stopWait = time.Second

// NewLease is a lease that begins now.
func (q *Queue[W]) NewLease() int64 { return q.Now().Add(q.Lease).UnixMilli() }

// Claim takes the lease of a job as it was read. It reports false if another worker has
// the lease, or has taken it since. Otherwise it updates job: another worker may have begun
// the work and left it since.
func (q *Queue[W]) Claim(ctx context.Context, job *Job[W]) (claimed bool, err error) {
	if q.leased(*job) {
		return false, nil
	}
	mine := *job
	mine.Lease, mine.claim = q.NewLease(), rand.Uint32()
	stored, err := q.take(ctx, *job, mine)
	if ctx.Err() != nil { // the write may have arrived
		q.GiveBack(ctx, mine)
		return false, err
	}
	if err != nil || stored.Lease != mine.Lease || stored.claim != mine.claim {
		return false, err
	}
	*job = stored
	return true, nil
}

// leased reports whether another worker has a job's lease. A lease that ends later than
// any lease that begins now comes from a clock that is far ahead, and does not count.
func (q *Queue[W]) leased(job Job[W]) bool {
	now := q.Now()
	return job.Lease > now.UnixMilli() && job.Lease <= now.Add(q.Lease+keys.MaxAhead).UnixMilli()
}

// take stores the lease of mine if the job still has that of seen. It returns the job as it
// is then stored, with either lease: the SDK may send the write twice.
func (q *Queue[W]) take(ctx context.Context, seen, mine Job[W]) (stored Job[W], err error) {
	update := q.Table.Update(seen.Key).Set(lease, mine.Lease).Set(claim, mine.claim)
	if seen.Lease == 0 {
		update.If("attribute_exists(pk) AND attribute_not_exists(lease)")
	} else {
		update.If("lease = ?", seen.Lease)
	}
	err = q.Table.Run(ctx, store.Returning{Update: update, Out: &stored})
	refused, ok := store.AsRefused(err)
	if !ok {
		return stored, err
	}
	item, _ := refused.At(0)
	if item == nil { // another worker has ended it
		return stored, nil
	}
	return stored, q.Table.Decode(item, &stored)
}

// Checkpoint stores how far the work on a job came, and renews its lease or leaves the job
// to others. It reports false if another worker has ended the job.
func (q *Queue[W]) Checkpoint(ctx context.Context, job *Job[W], progress map[string]any, leave bool) (exists bool, err error) {
	update := q.Table.Update(job.Key).If("attribute_exists(pk)")
	for name, value := range progress {
		update.Set(name, value)
	}
	if leave {
		update.Remove(lease, claim)
	} else {
		job.Lease = q.NewLease()
		update.Set(lease, job.Lease)
	}
	return q.holds(ctx, update)
}

// Hold calls do, which may outlast the job's lease: until do returns, Hold renews it. If
// the job is ended meanwhile, held is false and the context of do ends. A panic of do is
// an error.
func (q *Queue[W]) Hold(ctx context.Context, job *Job[W], do func(context.Context) error) (held bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	ended := false
	renewal := parallel.New()
	renewal.Go(func() error {
		ticker := time.NewTicker(q.Lease / 3)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return nil
			}
			// After an error the next renewal may succeed, or the lease ends.
			if exists, err := q.Checkpoint(ctx, job, nil, false); err == nil && !exists {
				ended = true
				stop()
			}
		}
	})
	err = parallel.Catch(func() error { return do(ctx) })
	stop()
	failed := renewal.Wait()
	return !ended, cmp.Or(err, failed)
}

// GiveBack ends the lease of a worker that was stopped, so that others need not wait for its
// end. ctx may have ended. It ends any lease up to the job's, because it does not know
// which of the job's writes arrived. If it fails, the lease expires.
func (q *Queue[W]) GiveBack(ctx context.Context, job Job[W]) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	_, _ = q.holds(ctx, q.Table.Update(job.Key).Remove(lease, claim).If("lease <= ?", job.Lease))
}

// End deletes a job whose work is done.
func (q *Queue[W]) End(ctx context.Context, job Job[W]) error {
	return q.Table.Run(ctx, q.Table.Delete(job.Key))
}
