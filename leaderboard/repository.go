package leaderboard

import (
	"context"
	"sync"

	"github.com/guregu/dynamo/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// turns bounds how often a write is tried anew when what it met changed.
const turns = 20

// Repository keeps boards in one table. It is safe for concurrent use.
type Repository struct {
	table *store.Table
	gen   ids.Source
	opts  Options

	reads singleflight.Group // of boards

	mu        sync.Mutex
	known     *simplelru.LRU[string, *board]
	forgotten int // how often something was
}

// New does no I/O. The table is one that Table describes.
func New(db *dynamo.DB, table string, gen ids.Source, opts *Options) (*Repository, error) {
	if gen == nil {
		return nil, &plaza.InvalidError{Field: "gen", Reason: "is nil"}
	}
	r := &Repository{gen: gen}
	if opts != nil {
		r.opts = *opts
	}
	var err error
	if r.table, err = store.Open(db, table, r.opts.OnCorrupt); err != nil {
		return nil, err
	}
	if err := r.opts.setDefaults(); err != nil {
		return nil, err
	}
	r.known, err = simplelru.NewLRU[string, *board](maxBoards, nil)
	return r, err
}

// Verify compares the table with what this package needs: its key schema, its
// index, its expiry, and the feature that Init marked it with. plaza.ErrTable
// says what differs.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	return r.table.Verify(ctx, feature())
}

// Init is Verify, and marks the table as leaderboard's, so that no other
// feature takes it for its own. Call it once, where the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (r *Repository) Init(ctx context.Context) error {
	return r.table.Init(ctx, feature())
}
