package digest

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/notifytable"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/work"
)

// Repository plans digests in notify's table. It is a notify.Scheduler, and safe for
// concurrent use. A Worker sends what it plans.
type Repository struct {
	table *store.Table
	opts  Options
	jobs  work.Queue[dueItem]
	known *memory
	plans *plans
}

// New does no I/O. The table is notify's, which notify.Table describes.
func New(db *dynamo.DB, table string, opts *Options) (*Repository, error) {
	r := &Repository{opts: args.Given(opts)}
	var err error
	if r.table, err = store.Open(db, table, r.opts.OnCorrupt, r.opts.Now != nil || r.opts.TrustClock); err != nil {
		return nil, err
	}
	if err := r.opts.setDefaults(); err != nil {
		return nil, err
	}
	if r.known, err = newMemory(r.opts.CacheSize, r.opts.Now); err != nil {
		return nil, fmt.Errorf("digest: memory: %w", err)
	}
	if r.plans, err = newPlans(); err != nil {
		return nil, fmt.Errorf("digest: plans: %w", err)
	}
	r.jobs = work.Queue[dueItem]{
		Table: r.table, PK: jobPK, Lease: lease, Now: r.opts.Now,
		ShardsKey: jobShardsKey, Shards: r.opts.JobShards, MaxShards: maxJobShards,
	}
	return r, nil
}

// Verify checks the table as notify.Repository.Verify does.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "notify/digest.Repository.Verify")
	return r.table.Verify(ctx, notifytable.Feature())
}

func wrap(what, user string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("digest: %s %q: %w", what, user, err)
}
