package notify

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/notifytable"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/work"
)

// Repository keeps notifications in one table. It is safe for concurrent use.
type Repository struct {
	table  *store.Table
	gen    ids.Source
	opts   Options
	groups *group.Groups
	jobs   work.Queue[watchItem]
}

// New does no I/O. The table is one that Table describes.
func New(db *dynamo.DB, table string, gen ids.Source, opts *Options) (*Repository, error) {
	r := &Repository{gen: gen, opts: args.Given(opts)}
	var err error
	if r.table, err = store.Open(db, table, r.opts.OnCorrupt, r.opts.Now != nil || r.opts.TrustClock); err != nil {
		return nil, err
	}
	if gen == nil {
		return nil, &plaza.InvalidError{Field: "gen", Reason: "is nil"}
	}
	if err := r.opts.setDefaults(); err != nil {
		return nil, err
	}
	r.groups, err = group.New(group.Config{
		Table:     r.table,
		Now:       r.opts.Now,
		Retention: r.opts.Retention,
		Coalesce:  r.opts.Coalesce,
		InTime:    inTime,
		Rebuild:   rebuild,
		Named:     r.named,
	})
	if err != nil {
		return nil, err
	}
	r.jobs = work.Queue[watchItem]{
		Table: r.table, PK: jobPK, Lease: jobLease, Now: r.opts.Now,
		ShardsKey: jobShardsKey, Shards: r.opts.JobShards, MaxShards: maxJobShards,
		Failed: r.failed,
	}
	return r, nil
}

// Verify checks the table's key schema, its index, its expiry and the mark that
// Init left. Any difference is plaza.ErrTable, a wrong clock a *plaza.ClockError.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Verify")
	return r.table.Verify(ctx, notifytable.Feature())
}

// Init verifies the table and marks it as notify's, so that no other feature uses
// it. Call it once, after the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (r *Repository) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Init")
	return r.table.Init(ctx, notifytable.Feature())
}
