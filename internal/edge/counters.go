package edge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Count is how many edges of each kind lead to a name, and how many lead from
// it.
type Count struct {
	Heads map[string]int64 // by kind; a missing kind has none
	Tail  int64

	// Version rises with every write of an edge that the counters count. Of several
	// consistent reads, the one with the highest Version is the newest.
	Version int64
}

// counter is the item of one shard. A tail's edges are counted in shard 0,
// which also names the other open shards. It has a number for each kind that
// was ever in Options, and at most 63 shards.
type counter struct {
	shard  int
	heads  map[string]int64 // by kind, including kinds that this process does not know
	tail   int64
	ver    int64
	shards []int // everyShard if they cannot be read

	item    dynamo.Item // nil if there is none
	damaged []string    // the attributes that cannot be read, which count as absent; "pk" where the key is not that of a counter
}

// UpdateCounter begins a write of a head's counter, and raises its version. The counter
// of shard 0 begins with the version of an id of now, so the sum of a head's versions
// only grows, even if Erase drops the counters and new ones begin later. Further shards
// begin at 0, or the sum could exceed 64 bits. It takes away the mark of an Erase.
func (g *Graph) UpdateCounter(head string, shard int) *store.Update {
	update := g.table.Update(g.CounterKey(head, shard))
	if shard > 0 {
		return update.Add(verAttr, 1)
	}
	return update.SetExpr("$ = if_not_exists($, ?) + ?", verAttr, verAttr, g.firstVersion(), 1).Remove(ttlAttr)
}

// firstVersion is above any version that a head's first counter had before.
func (g *Graph) firstVersion() int64 {
	return int64(ids.At(g.now()))
}

// versionFrom is above any version that the item of that key had before.
func (g *Graph) versionFrom(key store.Key) int64 {
	if parts := keys.Split(key.PK); len(parts) > 1 && key == g.CounterKey(parts[1], 0) {
		return g.firstVersion()
	}
	return g.now().UnixMilli() // it began at 0
}

// maxCount is far above any real count, and sums of it do not overflow.
const maxCount = 1 << 53

func (s Shape) counterOf(shard int, item dynamo.Item) counter {
	c := counter{shard: shard, heads: make(map[string]int64, len(s.Kinds)), item: item}
	for attribute, value := range item {
		kind, counts := kindIn(attribute, s.Count)
		counts = counts && s.mayBeKind(kind)
		if attribute == shardsAttr {
			var ok bool
			if c.shards, ok = shardsIn(value); !ok || shard > 0 {
				c.shards, c.damaged = everyShard[:], append(c.damaged, attribute)
			}
			continue
		}
		if !counts && attribute != verAttr && (attribute != s.TailCount || s.TailCount == "") {
			continue
		}
		n, ok := intIn(value)
		if !ok || attribute != verAttr && (n > maxCount || n < -maxCount) {
			n, c.damaged = 0, append(c.damaged, attribute)
		}
		switch {
		case attribute == verAttr:
			c.ver = n
		case counts:
			c.heads[kind] = n
		default:
			c.tail = n
		}
	}
	return c
}

// everyShard is all that a counter can name.
var everyShard = func() (shards [MaxShards - 1]int) {
	for i := range shards {
		shards[i] = i + 1
	}
	return shards
}()

// shardsIn returns the shards that a set names, in order.
func shardsIn(value types.AttributeValue) (shards []int, ok bool) {
	set, _ := value.(*types.AttributeValueMemberNS)
	if set == nil {
		return nil, false
	}
	for _, text := range set.Value {
		shard, err := strconv.Atoi(text)
		if err != nil || shard < 1 || shard >= MaxShards {
			return nil, false
		}
		shards = append(shards, shard)
	}
	slices.Sort(shards)
	return shards, true
}

// damage is the error of a counter that cannot be read, or nil.
func (g *Graph) damage(c counter) error {
	if len(c.damaged) == 0 {
		return nil
	}
	reason := "no counter has its key"
	if c.damaged[0] != "pk" {
		reason = fmt.Sprintf("%q cannot be read", c.damaged)
	}
	return g.table.Corrupt(store.KeyOf(c.item), reason)
}

// Counts adds up the counters of head. A damaged one is plaza.ErrCorrupt.
//
// Cost: 1 request, 0.5 RCU; where the counters lie apart and head is sharded
// 2 requests, 0.5 RCU for each shard; twice the units if consistent.
func (g *Graph) Counts(ctx context.Context, head string, consistent bool) (Count, error) {
	counters, err := g.counters(ctx, head, consistent)
	if err != nil {
		return Count{}, err
	}
	return g.sum(counters)
}

// CountsMany is Counts for many heads. The answer has all except those whose
// counters are damaged.
//
// Cost: 1 request for each 100 counters, 0.5 RCU each, first for those of shard 0,
// then for the others.
func (g *Graph) CountsMany(ctx context.Context, heads []string, consistent bool) (map[string]Count, error) {
	counters, err := g.countersOf(ctx, heads, consistent)
	if err != nil {
		return nil, err
	}
	counts := make(map[string]Count, len(heads))
	for _, head := range heads {
		count, err := g.sum(counters[head])
		if !g.table.Skips(err) {
			counts[head] = count
		}
	}
	return counts, nil
}

func (g *Graph) sum(counters []counter) (Count, error) {
	total := Count{Heads: map[string]int64{}}
	for _, c := range counters {
		if err := g.damage(c); err != nil {
			return Count{}, err
		}
		total.Tail += c.tail
		total.Version += c.ver
		for kind, n := range c.heads {
			total.Heads[kind] += n
		}
	}
	return total, nil
}

// noShard is the shard of an item among the counters that is not a counter.
const noShard = -1

// counters reads the counters of a head that shard 0 names.
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
		if err != nil || shard < 0 || shard >= MaxShards || store.KeyOf(item) != g.CounterKey(head, shard) {
			counters[i] = counter{shard: noShard, item: item, damaged: []string{"pk"}}
			continue
		}
		counters[i] = g.counterOf(shard, item)
	}
	return counters, nil
}

type atShard struct {
	head  string
	shard int
}

// countersOf reads the counters of shard 0, and then the ones that these name.
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
			c := g.counterOf(at.shard, item)
			counters[at.head] = append(counters[at.head], c)
			for _, shard := range c.shards {
				further[g.CounterKey(at.head, shard)] = atShard{at.head, shard}
			}
		}
		wanted = further
	}
	return counters, nil
}

// everyCounter reads all counters of head, whether shard 0 names them or not,
// and calls damaged with the damaged ones.
func (g *Graph) everyCounter(ctx context.Context, head string, damaged onDamaged) ([]counter, error) {
	counters, err := g.storedCounters(ctx, head)
	for i := 0; i < len(counters) && err == nil; i++ {
		err = damaged.call(counters[i].item, counters[i].damaged...)
	}
	return slices.DeleteFunc(counters, func(c counter) bool { return c.shard == noShard }), err
}

func (g *Graph) storedCounters(ctx context.Context, head string) ([]counter, error) {
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
		if item, ok := found[key]; ok {
			counters = append(counters, g.counterOf(shard, item))
		}
	}
	return counters, nil
}
