package leaderboard

import (
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
	t, err := store.Open(db, table, nil)
	if err != nil {
		return nil, err
	}
	if gen == nil {
		return nil, &plaza.InvalidError{Field: "gen", Reason: "is nil"}
	}
	r := &Repository{table: t, gen: gen}
	if opts != nil {
		r.opts = *opts
	}
	if err := r.opts.setDefaults(); err != nil {
		return nil, err
	}
	r.known, err = simplelru.NewLRU[string, *board](maxBoards, nil)
	return r, err
}
