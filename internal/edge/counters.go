package edge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/store"
)

// Count is how many edges lead to a head, of each kind, and how many lead from
// a tail of that name.
type Count struct {
	Heads map[string]int64 // by kind; one that is missing has none
	Tail  int64
}

// counter is what one shard's item counts. A tail's edges are counted in shard
// 0, which also names the further shards that were opened.
type counter struct {
	shard  int
	heads  map[string]int64 // by kind, also of kinds that this process does not know
	tail   int64
	ver    int64
	shards []int
}

func (s Shape) counterOf(shard int, item dynamo.Item) (counter, error) {
	c := counter{shard: shard, heads: make(map[string]int64, len(s.Kinds))}
	for attribute, value := range item {
		if set, ok := value.(*types.AttributeValueMemberNS); ok && attribute == shardsAttr {
			for _, n := range set.Value {
				further, err := strconv.Atoi(n)
				if err != nil {
					return c, fmt.Errorf("counter: %w", err)
				}
				c.shards = append(c.shards, further)
			}
			continue
		}
		n, _ := intIn(value)
		switch kind, counts := kindIn(attribute, s.Count); {
		case attribute == verAttr:
			c.ver = n
		case attribute == s.TailCount:
			c.tail = n
		case counts:
			c.heads[kind] = n
		}
	}
	slices.Sort(c.shards)
	return c, nil
}

// Counts adds up the counters of head: one request, or two where they lie apart
// and head is sharded.
func (g *Graph) Counts(ctx context.Context, head string, consistent bool) (Count, error) {
	counters, err := g.counters(ctx, head, consistent)
	return sum(counters), err
}

// CountsMany is Counts for many heads, each of which is in the answer: one
// request for each 100 counters, first those of shard 0, then the others.
func (g *Graph) CountsMany(ctx context.Context, heads []string, consistent bool) (map[string]Count, error) {
	counters, err := g.countersOf(ctx, heads, consistent)
	if err != nil {
		return nil, err
	}
	counts := make(map[string]Count, len(heads))
	for _, head := range heads {
		counts[head] = sum(counters[head])
	}
	return counts, nil
}

func sum(counters []counter) Count {
	total := Count{Heads: map[string]int64{}}
	for _, c := range counters {
		total.Tail += c.tail
		for kind, n := range c.heads {
			total.Heads[kind] += n
		}
	}
	return total
}

// counters reads the counters of one head that readers know.
func (g *Graph) counters(ctx context.Context, head string, consistent bool) ([]counter, error) {
	if g.Apart {
		counters, err := g.countersOf(ctx, []string{head}, consistent)
		return counters[head], err
	}
	span := store.Span{PK: g.CounterKey(head, 0).PK, Ascending: true, Consistent: consistent}
	items, err := store.Query[dynamo.Item](ctx, g.table, span)
	if err != nil {
		return nil, err
	}
	counters := make([]counter, len(items))
	for i, item := range items {
		shard, err := strconv.Atoi(store.KeyOf(item).SK)
		if err != nil {
			return nil, fmt.Errorf("counter: %w", err)
		}
		if counters[i], err = g.counterOf(shard, item); err != nil {
			return nil, err
		}
	}
	return counters, nil
}

type atShard struct {
	head  string
	shard int
}

// countersOf reads the counters of shard 0, and then those that they name.
func (g *Graph) countersOf(ctx context.Context, heads []string, consistent bool) (map[string][]counter, error) {
	counters := make(map[string][]counter, len(heads))
	wanted := make(map[store.Key]atShard, len(heads))
	for _, head := range heads {
		wanted[g.CounterKey(head, 0)] = atShard{head, 0}
	}
	for len(wanted) > 0 {
		found, err := g.table.GetAll(ctx, slices.Collect(maps.Keys(wanted)), consistent, 1)
		if err != nil {
			return nil, err
		}
		further := make(map[store.Key]atShard)
		for key, item := range found {
			at := wanted[key]
			c, err := g.counterOf(at.shard, item)
			if err != nil {
				return nil, err
			}
			counters[at.head] = append(counters[at.head], c)
			for _, shard := range c.shards {
				further[g.CounterKey(at.head, shard)] = atShard{at.head, shard}
			}
		}
		wanted = further
	}
	return counters, nil
}

// everyCounter reads the counters of head that stand, whether shard 0 names
// them or not.
func (g *Graph) everyCounter(ctx context.Context, head string) ([]counter, error) {
	if !g.Apart {
		return g.counters(ctx, head, true)
	}
	wanted := make([]store.Key, MaxShards)
	for shard := range wanted {
		wanted[shard] = g.CounterKey(head, shard)
	}
	found, err := g.table.GetAll(ctx, wanted, true, 1)
	if err != nil {
		return nil, err
	}
	var counters []counter
	for shard, key := range wanted {
		if item, stands := found[key]; stands {
			c, err := g.counterOf(shard, item)
			if err != nil {
				return nil, err
			}
			counters = append(counters, c)
		}
	}
	return counters, nil
}
