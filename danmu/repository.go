package danmu

import (
	"context"
	"fmt"
	"sync"

	"github.com/guregu/dynamo/v2"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/share"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxTries bounds how often a write is tried again after the stored item changed.
const maxTries = 20

// maxLayouts is how many objects' layouts a process remembers.
const maxLayouts = 10_000

// Repository keeps comments in one table. It is safe for concurrent use.
type Repository struct {
	table *store.Table
	gen   ids.Source
	opts  Options

	mu      sync.Mutex // guards adding to objects
	objects *lru.Cache[string, *layout]
	layouts share.Group[string, *layout]
	reads   share.Group[part, []Comment]
	cache   *cache // nil where Options.Cache is 0
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
	if err := r.opts.setDefaults(); err != nil {
		return nil, err
	}
	if r.opts.Limiter, err = r.opts.limiter(db, table); err != nil {
		return nil, err
	}
	if r.objects, err = lru.New[string, *layout](maxLayouts); err != nil {
		return nil, fmt.Errorf("danmu: %w", err)
	}
	if r.opts.Cache > 0 {
		if r.cache, err = newCache(r.opts.CacheSize, r.opts.Cache, r.opts.Now); err != nil {
			return nil, fmt.Errorf("danmu: cache: %w", err)
		}
	}
	return r, nil
}

// Verify checks the table's key schema, its index, its expiry and the mark that
// Init left. Any difference is plaza.ErrTable, a wrong clock a *plaza.ClockError.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Verify")
	return r.table.Verify(ctx, feature())
}

// Init verifies the table and marks it as danmu's, so that no other feature uses
// it. Call it once, after the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (r *Repository) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Init")
	return r.table.Init(ctx, feature())
}

// wrap adds the operation and the object or user.
func wrap(what, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("danmu: %s %q: %w", what, name, err)
}

// wrapID adds the operation and the comment.
func wrapID(what, object string, id ID, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("danmu: %s %v of %q: %w", what, id, object, err)
}
