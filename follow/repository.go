package follow

import (
	"context"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// MaxShards is the most shards a followee's list can have.
const MaxShards = edge.MaxShards

// Options of a Repository. The zero value works.
type Options struct {
	// Shards says over how many partitions new followers of followee are
	// spread, 1 to MaxShards; a partition takes about 500 follows a second.
	// It may grow at any time: what is stored tells readers where to look.
	// The shards' counters share a partition key, which relieves conflicts,
	// not heat. Defaults to 1 for everybody.
	Shards func(followee string) int

	// Consistent makes Relations, Counts and CountsMany strongly consistent,
	// at twice the units. Lists and Get always are.
	Consistent bool

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// OnCorrupt is called with each damaged item that an answer leaves out,
	// by several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Now is the clock that ids from the future are refused by. Defaults to
	// time.Now.
	Now func() time.Time
}

// Repository keeps edges in one table.
type Repository struct {
	table *store.Table
	graph *edge.Graph
	gen   ids.Source
	opts  Options
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
	if r.opts.Now == nil {
		r.opts.Now = time.Now
	}
	var err error
	if r.table, err = store.Open(db, table, r.opts.OnCorrupt); err != nil {
		return nil, err
	}
	if r.opts.Shards == nil {
		r.opts.Shards = func(string) int { return 1 }
	}
	if r.opts.Codec == nil {
		r.opts.Codec = cursor.Plain()
	}
	r.graph = edge.New(r.table, shape(), r.opts.Shards, r.opts.Now)
	return r, nil
}

// Verify compares the table with what this package needs: its key schema, its
// expiry, and the feature that Init marked it with. plaza.ErrTable says what
// differs.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	return r.table.Verify(ctx, feature())
}

// Init is Verify, and marks the table as follow's, so that no other feature
// takes it for its own. Call it once, where the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (r *Repository) Init(ctx context.Context) error {
	return r.table.Init(ctx, feature())
}

// Follow makes e.Follower follow e.Followee and returns the edge that stands.
// With an ID, a repeat answers created again while that edge stands; a
// standing edge with another id is returned with created false. An ID up to
// that of an edge between them which has ended is plaza.ErrRemoved: what was
// undone stays undone, however late the request. An ID that another edge of
// either user has is plaza.ErrConflict; of the followee's only those are seen
// that were made with as many shards, and lists may skip one of two that share
// an ID.
//
// Cost: 1 request, 10 WCU.
func (r *Repository) Follow(ctx context.Context, e Edge) (standing Edge, created bool, err error) {
	if err := e.check(); err != nil {
		return e, false, err
	}
	minted := e.ID == 0
	if minted {
		if e.ID, err = r.gen.Next(ctx); err != nil {
			return e, false, err
		}
	} else if err := keys.CheckNewID("ID", e.ID, r.opts.Now()); err != nil {
		return e, false, err
	}
	stands, created, err := r.graph.Begin(ctx, e.edge(), nil, minted)
	if err != nil {
		e.ID = stands.ID
		return e, false, fmt.Errorf("follow: follow %q by %q, id %v: %w", e.Followee, e.Follower, e.ID, err)
	}
	return edgeOf(stands), created, nil
}

// Unfollow ends the edge; with an ID, only the edge of that id. It reports
// whether this call removed one: false the second time. An ID that stands
// nowhere is remembered where they have no edge: its Follow, if that is still
// on its way, comes too late.
//
// Cost: 2 requests, 1 RCU, 10 WCU; the read is spared by an edge that Follow or
// Get returned.
// Cost: 1 request, 1 RCU where they have no edge, and 1 request, 1 WCU more the first time an ID is remembered.
func (r *Repository) Unfollow(ctx context.Context, e Edge) (removed bool, err error) {
	if err := e.check(); err != nil {
		return false, err
	}
	removed, err = r.graph.End(ctx, e.edge())
	if err != nil {
		return false, fmt.Errorf("follow: unfollow %q by %q: %w", e.Followee, e.Follower, err)
	}
	return removed, nil
}

// Last reads the edge between e.Follower and e.Followee that stands, or else
// the ID of the last one that has ended, strongly consistent.
// plaza.ErrNotFound says that there has been none, or that its end is 30 days
// ago.
//
// Cost: 1 request, 1 RCU.
func (r *Repository) Last(ctx context.Context, e Edge) (last Edge, stands bool, err error) {
	if err := e.check(); err != nil {
		return Edge{}, false, err
	}
	held, err := r.graph.Held(ctx, e.edge())
	if err == nil && !held.Stands() {
		if held.ID = held.Ended; held.ID == 0 {
			err = plaza.ErrNotFound
		}
	}
	if err != nil {
		return Edge{}, false, fmt.Errorf("follow: last of %q by %q: %w", e.Followee, e.Follower, err)
	}
	return edgeOf(held.Edge), held.Place > 0, nil
}

// Get reads the edge between e.Follower and e.Followee, strongly consistent;
// plaza.ErrNotFound says that there is none, plaza.ErrCorrupt that it is
// damaged.
//
// Cost: 1 request, 1 RCU.
func (r *Repository) Get(ctx context.Context, e Edge) (Edge, error) {
	if err := e.check(); err != nil {
		return Edge{}, err
	}
	standing, err := r.graph.Get(ctx, e.edge())
	if err != nil {
		return Edge{}, fmt.Errorf("follow: get %q by %q: %w", e.Followee, e.Follower, err)
	}
	return edgeOf(standing), nil
}
