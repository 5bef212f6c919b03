package follow

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// shardFor places a new edge by its id, so that a repeat tries the same shard
// while Options.Shards stands still, and so does an edge that has taken the id
// of another.
func (r *Repository) shardFor(e Edge) (int, error) {
	n := r.opts.Shards(e.Followee)
	if n < 1 || n > MaxShards {
		return 0, &plaza.InvalidError{Field: "Options.Shards", Reason: fmt.Sprintf("gives %d shards, 1 to %d are allowed", n, MaxShards)}
	}
	h := fnv.New64a()
	h.Write([]byte(e.ID.String()))
	return int(h.Sum64() % uint64(n)), nil
}

// openShard makes a further shard known to readers and ready for edges.
func (r *Repository) openShard(ctx context.Context, followee string, shard int) error {
	err := r.table.Run(ctx, r.table.Tx().
		Put(r.table.Put(counterItem{PK: counterPK(followee), Shard: shardNo(shard)}).If("attribute_not_exists(pk)")).
		Update(r.table.Update(counterKey(followee, 0)).Add("shards", []int{shard}).Add("ver", 1)))
	if _, opened := store.AsRefused(err); opened {
		return nil
	}
	return err
}

// counters reads all counters of a user, in order of their shards.
func (r *Repository) counters(ctx context.Context, user string, consistent bool) ([]counterItem, error) {
	return store.Query[counterItem](ctx, r.table, store.Span{PK: counterPK(user), Ascending: true, Consistent: consistent})
}
