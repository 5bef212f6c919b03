package edge

import (
	"context"
	"errors"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ShardFor places a new edge by its id. So a repeat tries the same shard while
// the number of shards stays the same, and so does an edge that has taken the id
// of another.
func (g *Graph) ShardFor(e Edge) (int, error) {
	n := g.shards(e.Head)
	if err := args.Between("Options.Shards", n, 1, MaxShards); err != nil {
		return 0, err
	}
	h := fnv.New64a()
	h.Write([]byte(e.ID.String()))
	return int(h.Sum64() % uint64(n)), nil
}

// OpenShard makes a further shard known to readers, and ready for edges.
//
// Cost: 1 transaction, 4 WCU.
func (g *Graph) OpenShard(ctx context.Context, head string, shard int) error {
	item := itemAt(g.CounterKey(head, shard))
	item[verAttr] = number(0)
	for _, kind := range g.Kinds {
		item[ofKind(kind, g.Count)] = number(0)
	}
	if g.TailCount != "" {
		item[g.TailCount] = number(0)
	}
	err := g.table.Run(ctx, g.table.Tx().
		Put(g.table.Put(item).If("attribute_not_exists(pk)")).
		Update(g.UpdateCounter(head, 0).Add(shardsAttr, []int{shard})))
	if _, opened := store.AsRefused(err); opened {
		return nil
	}
	return err
}

// Shards are those that readers of head's lists read, strongly consistent. If
// their names are damaged, they are all that there can be.
//
// Cost: 1 request, 1 RCU.
func (g *Graph) Shards(ctx context.Context, head string) ([]int, error) {
	var counters []counter
	var err error
	if g.Apart {
		var item dynamo.Item
		err = g.table.Get(ctx, g.CounterKey(head, 0), true, &item)
		if errors.Is(err, plaza.ErrNotFound) {
			return nil, nil
		}
		counters = []counter{g.counterOf(0, item)}
	} else {
		counters, err = g.counters(ctx, head, true)
	}
	if err != nil {
		return nil, err
	}
	shards := map[int]bool{}
	for _, c := range counters {
		g.table.Skips(g.damage(c))
		shards[c.shard] = true
		for _, shard := range c.shards {
			shards[shard] = true
		}
	}
	delete(shards, noShard)
	return slices.Sorted(maps.Keys(shards)), nil
}
