package edge

import (
	"context"
	"maps"
	"slices"
)

// place is one list of a head.
type place struct {
	shard int
	kind  string
}

// listsOf are the lists that may hold edges to a head: of the kinds that this
// process knows and those that are counted, in the shards that shard 0 names;
// without its counter, in any.
func (g *Graph) listsOf(counters []counter) []place {
	shards, kinds := map[int]bool{0: true}, map[string]bool{}
	for _, kind := range g.Kinds {
		kinds[kind] = true
	}
	first := false
	for _, c := range counters {
		first = first || c.shard == 0
		shards[c.shard] = true
		for _, shard := range c.shards {
			shards[shard] = true
		}
		for kind := range c.heads {
			kinds[kind] = true
		}
	}
	for shard := 0; shard < MaxShards && !first; shard++ {
		shards[shard] = true
	}
	var lists []place
	for _, shard := range slices.Sorted(maps.Keys(shards)) {
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			lists = append(lists, place{shard, kind})
		}
	}
	return lists
}

// tally is what the lists of two ends hold.
type tally struct {
	tail  int64
	heads map[int]map[string]int64 // by shard and kind
}

func (g *Graph) tally(ctx context.Context, of Ends, lists []place) (t tally, err error) {
	t.heads = map[int]map[string]int64{}
	if g.TailCount != "" {
		t.tail, err = countEdges(g.tailList(ctx, of.Tail, nil))
	}
	for i := 0; i < len(lists) && err == nil; i++ {
		shard, kind := lists[i].shard, lists[i].kind
		if t.heads[shard] == nil {
			t.heads[shard] = map[string]int64{}
		}
		t.heads[shard][kind], err = countEdges(g.headList(ctx, of.Head, kind, shard, nil))
	}
	return t, err
}

// correction is a counter that is not what the lists say. Both have the
// version that was seen, 0 where there is no counter.
type correction struct{ is, want counter }

func (c correction) drift() Drift {
	drift := Drift{Tail: c.is.tail - c.want.tail, Counters: 1}
	for kind, want := range c.want.heads {
		drift.addHeads(kind, c.is.heads[kind]-want)
	}
	return drift
}

func corrections(counters []counter, lists tally) []correction {
	standing := make(map[int]counter, len(counters))
	needed := make(map[int]bool)
	for _, c := range counters {
		standing[c.shard] = c
		needed[c.shard] = true
		for _, shard := range c.shards {
			needed[shard] = true
		}
	}
	var further []int
	var wrong []correction
	for _, shard := range slices.Backward(slices.Sorted(maps.Keys(lists.heads))) {
		is, stands := standing[shard]
		want := counter{shard: shard, heads: lists.heads[shard], ver: is.ver}
		if shard == 0 {
			want.tail = lists.tail
			want.shards = further
			slices.Sort(want.shards)
		}
		if !needed[shard] && want.empty() && len(want.shards) == 0 {
			continue
		}
		if shard > 0 {
			further = append(further, shard)
		}
		if !stands || !is.counts(want) {
			wrong = append(wrong, correction{is, want})
		}
	}
	return wrong
}

func (c counter) empty() bool {
	for _, n := range c.heads {
		if n != 0 {
			return false
		}
	}
	return c.tail == 0
}

// counts says whether c counts what want does, which has all kinds.
func (c counter) counts(want counter) bool {
	for kind, n := range want.heads {
		if c.heads[kind] != n {
			return false
		}
	}
	return c.tail == want.tail && slices.Equal(c.shards, want.shards)
}

func (c counter) sameVersion(d counter) bool { return c.shard == d.shard && c.ver == d.ver }
