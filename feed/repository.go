package feed

import (
	"context"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/work"
)

// Graph holds the follows. *follow.Repository is one. The edge ids of a pair
// only rise, and an ended edge does not come back.
type Graph interface {
	Follow(context.Context, follow.Edge) (edge follow.Edge, created bool, err error)
	Unfollow(context.Context, follow.Edge) (changed bool, err error)
	Last(context.Context, follow.Edge) (last follow.Edge, follows bool, err error)
	Walk(ctx context.Context, followee string, req cursor.PageRequest) (cursor.Page[follow.Edge], error)
}

// maxTries is how often a write is tried while others change what it depends
// on.
const maxTries = 5

// Repository keeps outboxes and homes in one table.
type Repository struct {
	table *store.Table
	gen   ids.Source
	graph Graph
	opts  Options

	hydrator  *hydrator
	pullCache *pullCache // may be nil
	jobs      work.Queue[jobItem]
	unpulled  *lru.Cache[string, time.Time] // when a source was last read that was not Pulled
}

// New does no I/O. The table is one that Table describes.
func New(db *dynamo.DB, table string, gen ids.Source, graph Graph, opts *Options) (*Repository, error) {
	r := &Repository{gen: gen, graph: graph, opts: args.Given(opts)}
	var err error
	if r.table, err = store.Open(db, table, r.opts.OnCorrupt, r.opts.Now != nil || r.opts.TrustClock); err != nil {
		return nil, err
	}
	switch {
	case gen == nil:
		return nil, &plaza.InvalidError{Field: "gen", Reason: "is nil"}
	case graph == nil:
		return nil, &plaza.InvalidError{Field: "graph", Reason: "is nil"}
	}
	if err := r.opts.setDefaults(); err != nil {
		return nil, err
	}
	if r.unpulled, err = lru.New[string, time.Time](unpulledSize); err != nil {
		return nil, fmt.Errorf("feed: remember sources: %w", err)
	}
	r.hydrator = &hydrator{table: r.table, cache: r.opts.Cache, consistent: r.opts.Consistent, flights: map[CacheKey]*flight{}}
	if r.opts.Consistent {
		r.hydrator.cache = nil
	}
	if r.opts.PullCache > 0 && !r.opts.Consistent {
		if r.pullCache, err = newPullCache(r.opts.PullCache, r.opts.Now, r.newest); err != nil {
			return nil, err
		}
	}
	r.jobs = work.Queue[jobItem]{
		Table: r.table, PK: jobPK, Lease: jobLease, Now: r.opts.Now,
		ShardsKey: jobShardsKey, Shards: r.opts.JobShards, MaxShards: MaxJobShards,
		Failed: r.failed,
	}
	return r, nil
}

// runIf runs a write. A failed condition is no error.
func (r *Repository) runIf(ctx context.Context, w store.Write) error {
	err := r.table.Run(ctx, w)
	if _, refused := store.AsRefused(err); refused {
		return nil
	}
	return err
}

// Verify checks the table's key schema, its expiry and the mark that Init left.
// Any difference is plaza.ErrTable, a wrong clock a *plaza.ClockError.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "feed.Repository.Verify")
	return r.table.Verify(ctx, feature())
}

// Init verifies the table and marks it as feed's, so that no other feature uses
// it. Call it once, after the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (r *Repository) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "feed.Repository.Init")
	return r.table.Init(ctx, feature())
}

// Outbox returns the outbox of owner. It does no I/O.
func (r *Repository) Outbox(owner string) Outbox { return Outbox{r: r, owner: owner} }

// Home returns the home of reader. It does no I/O.
func (r *Repository) Home(reader string) Home { return Home{r: r, reader: reader} }

// Outbox holds what one owner published.
type Outbox struct {
	r     *Repository
	owner string
}

func (o Outbox) check() error { return keys.CheckName("Owner", o.owner) }

// Home shows one reader the activities of those whom the reader follows.
type Home struct {
	r      *Repository
	reader string
}

func (h Home) check() error { return keys.CheckName("Reader", h.reader) }
