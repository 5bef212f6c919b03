package leaderboard

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/wallclock"
)

// maxRetries is how often a write is retried when others changed the same item.
const maxRetries = 20

// Repository keeps boards in one table. It is safe for concurrent use.
type Repository struct {
	table *store.Table
	gen   ids.Source
	opts  Options

	reads  singleflight.Group // of boards
	guards guardQueues

	mu        sync.Mutex
	known     *simplelru.LRU[string, *board]
	forgotten int // how often a board was forgotten
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

// Verify compares the table with what this package needs: key schema, index,
// expiry, and the feature that Init marked it with. plaza.ErrTable says what
// differs.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Verify")
	return r.table.Verify(ctx, feature())
}

// Init verifies the table and marks it as leaderboard's, so that no other feature
// uses it. Call it once, where the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (r *Repository) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Init")
	return r.table.Init(ctx, feature())
}

// Options of a Repository. The zero value works.
type Options struct {
	// Refuse is called before a submission changes a score or a name. Its error
	// refuses the submission; Submit returns it beside plaza.ErrForbidden. The
	// submission has its Op, At and Operator; the result is the one it would have.
	// Defaults to nothing refused.
	Refuse func(context.Context, Submission, Result) error

	// Refresh is how long a process remembers a board: a redefinition reaches every
	// process within it. Up to a minute. Defaults to 30 s.
	Refresh time.Duration

	// Parallel is how many players SubmitMany serves at once. Defaults to 8.
	Parallel int

	// Consistent makes Definitions, ByPlayer and Periods strongly consistent, at
	// twice the units.
	Consistent bool

	// OnCorrupt is called with each damaged item that a list leaves out,
	// by several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// Now is the clock. The ids of gen should use the same. Defaults to time.Now.
	Now func() time.Time

	zones wallclock.Loader // nil means the machine's
}

const maxRefresh = time.Minute

func (o *Options) setDefaults() error {
	if o.Refresh == 0 {
		o.Refresh = 30 * time.Second
	}
	if o.Parallel == 0 {
		o.Parallel = 8
	}
	if o.Codec == nil {
		o.Codec = cursor.Plain()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	switch {
	case o.Refresh < 0 || o.Refresh > maxRefresh:
		return &plaza.InvalidError{Field: "Options.Refresh", Reason: fmt.Sprintf("is %v, up to %v are allowed", o.Refresh, maxRefresh)}
	case o.Parallel < 0:
		return &plaza.InvalidError{Field: "Options.Parallel", Reason: fmt.Sprintf("is %d", o.Parallel)}
	}
	return nil
}
