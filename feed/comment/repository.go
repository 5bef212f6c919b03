package comment

import (
	"context"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/store"
)

// attempts is how often a write is tried while others change what it reads. It
// is large so that a moderator succeeds while many users reply.
const attempts = 20

// guardLife is how long Keys and the ids of removed comments are kept.
const guardLife = 30 * 24 * time.Hour

// Repository keeps comments in one table.
type Repository struct {
	table *store.Table
	gen   ids.Source
	opts  Options
}

// New does no I/O. The table is one that Table describes.
func New(db *dynamo.DB, table string, gen ids.Source, opts *Options) (*Repository, error) {
	if gen == nil {
		return nil, &plaza.InvalidError{Field: "gen", Reason: "is nil"}
	}
	r := &Repository{gen: gen, opts: args.Given(opts)}
	var err error
	if r.table, err = store.Open(db, table, r.opts.OnCorrupt, r.opts.Now != nil); err != nil {
		return nil, err
	}
	return r, r.opts.setDefaults()
}

// Verify checks the table's key schema, its expiry and the mark that Init left.
// Any difference is plaza.ErrTable, a wrong clock a *plaza.ClockError.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Verify")
	return r.table.Verify(ctx, feature())
}

// Init verifies the table and marks it as comment's, so that no other feature
// uses it. Call it once, after the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (r *Repository) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Init")
	return r.table.Init(ctx, feature())
}

// now is the current time with the precision that is stored.
func (r *Repository) now() time.Time { return r.opts.Now().UTC().Truncate(time.Millisecond) }

// expiry is the ttl of an item that is kept for guardLife from now on.
func (r *Repository) expiry() int64 { return r.opts.Now().Add(guardLife).Unix() }

// wrap adds the operation and the address to an error.
func wrap(what string, at Address, err error) error {
	switch {
	case err == nil:
		return nil
	case at.Root != 0:
		return fmt.Errorf("comment: %s %v under %v of %q: %w", what, at.ID, at.Root, at.Object, err)
	}
	return fmt.Errorf("comment: %s %v of %q: %w", what, at.ID, at.Object, err)
}

// wrapName adds the operation and an object or user to an error.
func wrapName(what, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("comment: %s %q: %w", what, name, err)
}
