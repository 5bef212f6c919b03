package feed

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// jobLease is how long others leave a job alone that somebody works on, or
// that failed. Two at one job only repeat each other's work.
const jobLease = 30 * time.Second

// stopWait is how long a stopped worker takes to give a job back.
const stopWait = time.Second

// newJob is the job that delivers an activity.
func (r *Repository) newJob(a Activity) (jobItem, error) {
	about, err := r.about(a)
	h := fnv.New64a()
	h.Write([]byte(a.ID.String()))
	shard := int(h.Sum64() % uint64(r.opts.JobShards))
	return jobItem{PK: jobPK(shard), Key: jobKey{CacheKey{a.Owner, a.ID}}, To: a.To, About: about}, err
}

func (r *Repository) leased() int64 { return r.opts.Now().Add(jobLease).UnixMilli() }

func (j jobItem) key() store.Key { return store.Key{PK: j.PK, SK: j.Key.String()} }

// claim takes the lease of a job, unless somebody else did since it was read.
// One that ends later than any taken now was taken by a clock far ahead, and
// holds nobody.
func (r *Repository) claim(ctx context.Context, job *jobItem) (claimed bool, err error) {
	seen, now := job.Lease, r.opts.Now()
	if seen > now.UnixMilli() && seen <= now.Add(jobLease+keys.MaxAhead).UnixMilli() {
		return false, nil
	}
	job.Lease = r.leased()
	update := r.table.Update(job.key()).Set("lease", job.Lease)
	if seen == 0 {
		update.If("attribute_exists(pk) AND attribute_not_exists(lease)")
	} else {
		update.If("lease = ?", seen)
	}
	err = r.table.Run(ctx, update)
	if refused, ok := store.AsRefused(err); ok {
		item, _ := refused.At(0)
		var stands jobItem
		if item != nil {
			err = r.table.Decode(item, &stands)
		} else {
			err = nil
		}
		claimed = err == nil && stands.Lease == job.Lease // the SDK may have sent it twice
	} else {
		claimed = err == nil
	}
	r.giveBack(ctx, *job)
	return claimed && ctx.Err() == nil, err
}

// checkpoint stores how far the job's walk came, unless the job is done, and
// goes on holding it or leaves it to others.
func (r *Repository) checkpoint(ctx context.Context, job *jobItem, leave bool) (stands bool, err error) {
	update := r.table.Update(job.key()).Set("at", job.At).Set("cursor", job.Cursor).If("attribute_exists(pk)")
	if leave {
		update.Remove("lease")
	} else {
		job.Lease = r.leased()
		update.Set("lease", job.Lease)
	}
	return r.holds(ctx, update)
}

// giveBack ends the lease of a job if ctx has ended, so that others need not
// wait for it. What of the job's own writes arrived is not known, so any lease
// up to its own is ended; where that fails, time ends it.
func (r *Repository) giveBack(ctx context.Context, job jobItem) {
	if ctx.Err() == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	_, _ = r.holds(ctx, r.table.Update(job.key()).Remove("lease").If("lease <= ?", job.Lease))
}

// holds runs a write and reports whether its condition held.
func (r *Repository) holds(ctx context.Context, w store.Write) (bool, error) {
	err := r.table.Run(ctx, w)
	if _, refused := store.AsRefused(err); refused {
		return false, nil
	}
	return err == nil, err
}

func (r *Repository) endJob(ctx context.Context, job jobItem) error {
	return r.table.Run(ctx, r.table.Delete(job.key()))
}

// jobShards reads over how many shards jobs are spread. Where that is damaged
// they may lie in any.
func (r *Repository) jobShards(ctx context.Context, consistent bool) (int, error) {
	var item struct {
		N int `dynamo:"n"`
	}
	err := r.table.Get(ctx, jobShardsKey, consistent, &item)
	if errors.Is(err, plaza.ErrNotFound) {
		return 0, nil
	}
	if err == nil && (item.N < 1 || item.N > MaxJobShards) {
		err = r.table.Corrupt(jobShardsKey, fmt.Sprintf("n is %d", item.N))
	}
	if r.table.Skips(err) {
		return MaxJobShards, nil
	}
	return item.N, err
}

// storeJobShards raises the stored number of shards to this process's option,
// before its first job.
func (r *Repository) storeJobShards(ctx context.Context) error {
	if r.jobShardsStored.Load() {
		return nil
	}
	n := r.opts.JobShards
	_, err := r.holds(ctx, r.table.Update(jobShardsKey).Set("n", n).If("attribute_not_exists(n) OR n < ?", n))
	if err == nil {
		r.jobShardsStored.Store(true)
	}
	return err
}
