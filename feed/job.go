package feed

import (
	"context"
	"errors"
	"hash/fnv"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// jobLease is how long others leave a job alone that somebody works on, or
// that failed. Two at one job only repeat each other's work.
const jobLease = 30 * time.Second

// newJob is the job that delivers an activity, held by the one who publishes
// if that one delivers too.
func (r *Repository) newJob(owner string, a Activity) jobItem {
	h := fnv.New64a()
	h.Write([]byte(a.ID.String()))
	shard := int(h.Sum64() % uint64(r.opts.JobShards))
	job := jobItem{PK: jobPK(shard), ID: a.ID, Owner: owner, To: a.To, About: r.about(a)}
	if r.opts.InlineFollowers > 0 {
		job.Lease = r.leased()
	}
	return job
}

func (r *Repository) leased() int64 { return r.opts.Now().Add(jobLease).UnixMilli() }

func (j jobItem) key() store.Key { return store.Key{PK: j.PK, SK: j.ID.String()} }

// claim takes the lease of a job, unless somebody else did since it was read.
func (r *Repository) claim(ctx context.Context, job *jobItem) (claimed bool, err error) {
	seen := job.Lease
	if seen > r.opts.Now().UnixMilli() {
		return false, nil
	}
	job.Lease = r.leased()
	update := r.table.Update(job.key()).Set("lease", job.Lease)
	if seen == 0 {
		update.If("attribute_exists(pk) AND attribute_not_exists(lease)")
	} else {
		update.If("lease = ?", seen)
	}
	return r.holds(ctx, update)
}

// checkpoint stores how far the job's walk came, unless the job is done.
func (r *Repository) checkpoint(ctx context.Context, job jobItem) (stands bool, err error) {
	update := r.table.Update(job.key()).Set("at", job.At).Set("cursor", job.Cursor).If("attribute_exists(pk)")
	if job.Lease == 0 {
		update.Remove("lease")
	} else {
		update.Set("lease", job.Lease)
	}
	return r.holds(ctx, update)
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

// jobShards reads over how many shards jobs are spread.
func (r *Repository) jobShards(ctx context.Context) (int, error) {
	var item struct {
		N int `dynamo:"n"`
	}
	err := r.table.Get(ctx, jobShardsKey, false, &item)
	if errors.Is(err, plaza.ErrNotFound) {
		return 0, nil
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
