package follow

import (
	"context"
	"errors"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// MaxShards is the most shards a followee's list can have.
const MaxShards = 64

// turns bounds how often a write is tried anew when the edge changed under it.
const turns = 5

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
}

// Repository keeps edges in one table.
type Repository struct {
	table *store.Table
	gen   ids.Source
	opts  Options
}

// New does no I/O. The table is one that Table describes.
func New(db *dynamo.DB, table string, gen ids.Source, opts *Options) (*Repository, error) {
	t, err := store.Open(db, table)
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
	if r.opts.Shards == nil {
		r.opts.Shards = func(string) int { return 1 }
	}
	if r.opts.Codec == nil {
		r.opts.Codec = cursor.Plain()
	}
	return r, nil
}

// Follow makes e.Follower follow e.Followee and returns the edge that stands.
// With an ID, a repeat answers created again while that edge stands; a
// standing edge with another id is returned with created false. An ID that
// another edge of either user has is plaza.ErrConflict; of the followee's only
// those are seen that were made with as many shards.
//
// One transaction, 10 WCU.
func (r *Repository) Follow(ctx context.Context, e Edge) (edge Edge, created bool, err error) {
	if err := e.check(); err != nil {
		return e, false, err
	}
	if e.ID == 0 {
		if e.ID, err = r.gen.Next(ctx); err != nil {
			return e, false, err
		}
	}
	shard, err := r.shardFor(e)
	if err != nil {
		return e, false, err
	}
	for range turns {
		err = r.table.Run(ctx, r.followTx(e, shard))
		refused, ok := store.AsRefused(err)
		if !ok {
			break
		}
		if item, failed := refused.At(guardWrite); failed {
			standing, err := edgeOf(e.Follower, item)
			return standing, standing.ID == e.ID, err
		}
		if _, failed := refused.At(followerCountWrite); !failed {
			err = plaza.ErrConflict // one of the lists has the id for another edge
			break
		}
		if err = r.openShard(ctx, e.Followee, shard); err != nil {
			break
		}
		err = plaza.ErrBusy
	}
	if err != nil {
		return e, false, fmt.Errorf("follow: follow %q by %q, id %v: %w", e.Followee, e.Follower, e.ID, err)
	}
	e.place = shard + 1
	return e, true, nil
}

// The places of an edge's writes in its transactions.
const (
	guardWrite = iota
	followingWrite
	followerWrite
	followerCountWrite
	followingCountWrite
)

func (r *Repository) followTx(e Edge, shard int) store.Write {
	const absent = "attribute_not_exists(pk)"
	guard := edgeKey(e.Follower, e.Followee)
	count := r.table.Update(counterKey(e.Followee, shard)).Add("followers", 1).Add("ver", 1)
	if shard > 0 {
		count.If("attribute_exists(pk)") // opened before, so that readers know it
	}
	return r.table.Tx().
		Put(r.table.Put(edgeItem{PK: guard.PK, SK: guard.SK, ID: e.ID, Shard: shard}).If(absent)).
		Put(r.table.Put(followingItem{PK: followingPK(e.Follower), ID: e.ID, Followee: e.Followee}).If(absent)).
		Put(r.table.Put(followerItem{PK: followerPK(e.Followee, shard), ID: e.ID, Follower: e.Follower}).If(absent)).
		Update(count).
		Update(r.table.Update(counterKey(e.Follower, 0)).Add("following", 1).Add("ver", 1))
}

// Unfollow ends the edge; with an ID, only the edge of that id. It reports
// whether this call removed one: false the second time.
//
// One consistent read, which an edge that Follow or Get returned spares, and
// one transaction: 1 RCU and 10 WCU.
func (r *Repository) Unfollow(ctx context.Context, e Edge) (removed bool, err error) {
	if err := e.check(); err != nil {
		return false, err
	}
	standing := e
	for range turns {
		if standing.ID == 0 || standing.place == 0 {
			standing, err = r.Get(ctx, e)
			if errors.Is(err, plaza.ErrNotFound) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
		}
		if e.ID != 0 && standing.ID != e.ID {
			return false, nil
		}
		err = r.table.Run(ctx, r.unfollowTx(standing))
		refused, ok := store.AsRefused(err)
		if !ok {
			break
		}
		item, _ := refused.At(guardWrite)
		if item == nil {
			return false, nil
		}
		if standing, err = edgeOf(e.Follower, item); err != nil {
			return false, err
		}
		err = plaza.ErrBusy
	}
	if err != nil {
		return false, fmt.Errorf("follow: unfollow %q by %q: %w", e.Followee, e.Follower, err)
	}
	return true, nil
}

func (r *Repository) unfollowTx(e Edge) store.Write {
	shard := e.place - 1
	guard := r.table.Delete(edgeKey(e.Follower, e.Followee)).If("id = ?", e.ID)
	if shard == 0 { // an id that was followed with again may stand elsewhere
		guard.If("attribute_not_exists('shard')")
	} else {
		guard.If("'shard' = ?", shard)
	}
	return r.table.Tx().
		Delete(guard).
		Delete(r.table.Delete(followingKey(e.Follower, e.ID))).
		Delete(r.table.Delete(followerKey(e.Followee, shard, e.ID))).
		Update(r.table.Update(counterKey(e.Followee, shard)).Add("followers", -1).Add("ver", 1)).
		Update(r.table.Update(counterKey(e.Follower, 0)).Add("following", -1).Add("ver", 1))
}

// Get reads the edge between e.Follower and e.Followee, strongly consistent;
// plaza.ErrNotFound says that there is none.
//
// One read, 1 RCU.
func (r *Repository) Get(ctx context.Context, e Edge) (Edge, error) {
	if err := e.check(); err != nil {
		return Edge{}, err
	}
	var item edgeItem
	if err := r.table.Get(ctx, edgeKey(e.Follower, e.Followee), true, &item); err != nil {
		return Edge{}, fmt.Errorf("follow: get %q by %q: %w", e.Followee, e.Follower, err)
	}
	return item.edge(e.Follower), nil
}

func edgeOf(follower string, item dynamo.Item) (Edge, error) {
	var e edgeItem
	err := dynamo.UnmarshalItem(item, &e)
	return e.edge(follower), err
}
