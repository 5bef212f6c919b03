package follow

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// MaxShards is the most shards a followee's list can have.
const MaxShards = edge.MaxShards

// Options of a Repository. The zero value works.
type Options struct {
	// Shards returns the number of partitions over which new followers of followee are
	// spread, 1 to MaxShards. A partition takes about 500 follows a second. The number
	// may grow at any time. Counters of all shards share one partition key, so shards
	// relieve its conflicts but not its heat. Defaults to 1.
	Shards func(followee string) int

	// Consistent makes Relations, Counts and CountsMany strongly consistent, for
	// twice the units. Lists, Get and Last always are.
	Consistent bool

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// OnCorrupt is called with each damaged item that an answer leaves out, by
	// several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Now is the clock by which IDs from the future are refused and ended edges
	// expire. Defaults to time.Now.
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
	r := &Repository{gen: gen, opts: args.Given(opts)}
	var err error
	if r.table, err = store.Open(db, table, r.opts.OnCorrupt, r.opts.Now != nil); err != nil {
		return nil, err
	}
	if r.opts.Now == nil {
		r.opts.Now = time.Now
	}
	if r.opts.Shards == nil {
		r.opts.Shards = func(string) int { return 1 }
	}
	r.opts.Codec = cmp.Or(r.opts.Codec, cursor.Plain())
	r.graph = edge.New(r.table, shape(), r.opts.Shards, r.opts.Now)
	return r, nil
}

// Verify checks the table's key schema, its expiry and the mark that Init left.
// Any difference is plaza.ErrTable, a wrong clock a *plaza.ClockError.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Verify")
	return r.table.Verify(ctx, feature())
}

// Init verifies the table and marks it as follow's, so that no other feature uses
// it. Call it once, after the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (r *Repository) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Init")
	return r.table.Init(ctx, feature())
}

// Follow makes e.Follower follow e.Followee, unless they have an edge already, and
// returns it. created is true if this call began the edge or, with an ID, if an earlier
// attempt with that ID did.
//
// If an edge of the pair with the ID or a later one has ended, the error is
// plaza.ErrRemoved. If another edge of either user has the ID, it is plaza.ErrConflict;
// after a change of the followee's number of shards that may go unnoticed, and lists may
// skip one of the two.
//
// If they have an edge, Follow writes nothing. An Unfollow whose caller gave up may
// still arrive and end that edge: then repeat Follow.
//
// Cost: 1 transaction, 10 WCU; the first into a new shard 3 transactions, 24 WCU.
//
//plaza:cost follow: 1 transaction, 10 WCU
//plaza:cost the first into a new shard: 3 transactions, 24 WCU
func (r *Repository) Follow(ctx context.Context, e Edge) (stored Edge, created bool, err error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Follow")
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
	got, created, err := r.graph.Begin(ctx, e.edge(), nil, minted)
	if err != nil {
		e.ID = got.ID
		return e, false, fmt.Errorf("follow: follow %q by %q, id %v: %w", e.Followee, e.Follower, e.ID, err)
	}
	return edgeOf(got), created, nil
}

// Unfollow ends the edge; with an ID, only the edge of that ID. changed is true
// only if this call ended one.
//
// If they have no edge, Unfollow remembers the ID, so that a late Follow with it is
// plaza.ErrRemoved. Without an ID it writes nothing, and a Follow whose caller gave up
// may still arrive: then repeat Unfollow. If a count does not include the edge, the
// error is plaza.ErrCorrupt until both users are repaired.
//
// Cost: 1 request, 1 transaction, 1 RCU, 10 WCU; with an edge from Follow or Get
// 1 transaction, 10 WCU.
//
//plaza:cost unfollow: 1 request, 1 transaction, 1 RCU, 10 WCU
//plaza:cost with an edge from Follow or Get: 1 transaction, 10 WCU
//plaza:cost without an edge: 1 request, 1 RCU
//plaza:cost without an edge, by an ID, which it remembers: 2 requests, 1 RCU, 1 WCU
func (r *Repository) Unfollow(ctx context.Context, e Edge) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Unfollow")
	if err := e.check(); err != nil {
		return false, err
	}
	changed, err = r.graph.End(ctx, e.edge())
	if err != nil {
		return false, fmt.Errorf("follow: unfollow %q by %q: %w", e.Followee, e.Follower, err)
	}
	return changed, nil
}

// Last reads the edge of e.Follower to e.Followee or, if there is none, the ID of the
// last one that has ended, strongly consistent. plaza.ErrNotFound says that they had none,
// or that it ended more than 30 days ago.
//
// Cost: 1 request, 1 RCU.
func (r *Repository) Last(ctx context.Context, e Edge) (last Edge, follows bool, err error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Last")
	if err := e.check(); err != nil {
		return Edge{}, false, err
	}
	held, err := r.graph.Held(ctx, e.edge())
	if err == nil && !held.Exists() {
		if held.ID = held.Ended; held.ID == 0 {
			err = plaza.ErrNotFound
		}
	}
	if err != nil {
		return Edge{}, false, fmt.Errorf("follow: last of %q by %q: %w", e.Followee, e.Follower, err)
	}
	return edgeOf(held.Edge), held.Place > 0, nil
}

// Get reads the edge between e.Follower and e.Followee, strongly consistent.
// plaza.ErrNotFound says that there is none, plaza.ErrCorrupt that it is damaged.
//
// Cost: 1 request, 1 RCU.
func (r *Repository) Get(ctx context.Context, e Edge) (Edge, error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Get")
	if err := e.check(); err != nil {
		return Edge{}, err
	}
	stored, err := r.graph.Get(ctx, e.edge())
	if err != nil {
		return Edge{}, fmt.Errorf("follow: get %q by %q: %w", e.Followee, e.Follower, err)
	}
	return edgeOf(stored), nil
}
