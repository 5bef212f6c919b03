package edge

import (
	"context"
	"maps"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// recount sets the counters to what the lists hold.
func (g *Graph) recount(ctx context.Context, of Ends) (fixed Drift, err error) {
	for range attempts {
		counters, err := g.everyCounter(ctx, of.Head, nil)
		if err != nil {
			return fixed, err
		}
		lists, err := g.countLists(ctx, of, g.listsOf(counters))
		if err != nil {
			return fixed, err
		}
		for _, c := range counters {
			if err := g.damage(c); err != nil && !slices.Equal(c.damaged, []string{shardsAttr}) {
				return fixed, err // damaged after it was cleared
			}
		}
		wrong := corrections(counters, lists)
		for _, c := range slices.Backward(wrong) { // shard 0 first: it names the others before they exist
			set, err := g.correct(ctx, of.Head, c)
			if err != nil {
				return fixed, err
			}
			if set {
				fixed.add(c.drift())
			}
		}
		if len(wrong) > 0 {
			continue // count again, to see that it is correct now
		}
		after, err := g.everyCounter(ctx, of.Head, nil)
		if err != nil || slices.EqualFunc(counters, after, counter.sameVersion) {
			return fixed, err
		}
	}
	return fixed, plaza.ErrBusy
}

// correct sets a counter and reports true, unless the counter has changed since
// it was read. A condition on the count would not do: the count may have
// changed and changed back while the list was read. It is a transaction because
// of the token: without it, a request that is sent twice looks like another
// writer's.
func (g *Graph) correct(ctx context.Context, head string, c correction) (bool, error) {
	err := g.table.Run(ctx, g.table.Tx().Update(g.correctionOf(head, c.want)))
	if _, changed := store.AsRefused(err); changed {
		return false, nil
	}
	return err == nil, err
}

// correctionOf sets a counter if it still has the version of want.
func (g *Graph) correctionOf(head string, want counter) *store.Update {
	update := g.UpdateCounter(head, want.shard).
		SetSet(shardsAttr, want.shards).
		If(atVersion(want.ver), want.ver)
	for _, kind := range slices.Sorted(maps.Keys(want.heads)) {
		update.SetExpr("$ = ?", ofKind(kind, g.Count), want.heads[kind])
	}
	if g.TailCount != "" {
		update.SetExpr("$ = ?", g.TailCount, want.tail)
	}
	return update
}

// atVersion is the condition that a counter has the version that was read, 0 if
// there was no counter.
func atVersion(ver int64) string {
	if ver == 0 {
		return "ver = ? OR attribute_not_exists(ver)"
	}
	return "ver = ?"
}

// place is one list of a head.
type place struct {
	shard int
	kind  string
}

// listsOf are the lists that may hold edges to a head: of the kinds that this
// process knows or that are counted, in the shards that shard 0 names, or in
// all shards if it has no counter, or its names cannot be read.
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

// listCounts is the numbers of edges in the lists of two ends.
type listCounts struct {
	tail  int64
	heads map[int]map[string]int64 // by shard and kind
}

func (g *Graph) countLists(ctx context.Context, of Ends, lists []place) (t listCounts, err error) {
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

// correction changes a counter that differs from the lists. is and want have
// the version that was read, 0 if there is no counter.
type correction struct{ is, want counter }

func (c correction) drift() Drift {
	drift := Drift{Tail: c.is.tail - c.want.tail, Counters: 1}
	for kind, want := range c.want.heads {
		drift.addHeads(kind, c.is.heads[kind]-want)
	}
	return drift
}

func corrections(counters []counter, lists listCounts) []correction {
	existing := make(map[int]counter, len(counters))
	needed := make(map[int]bool)
	for _, c := range counters {
		existing[c.shard] = c
		needed[c.shard] = true
		for _, shard := range c.shards {
			needed[shard] = needed[shard] || !slices.Contains(c.damaged, shardsAttr)
		}
	}
	var further []int
	var wrong []correction
	for _, shard := range slices.Backward(slices.Sorted(maps.Keys(lists.heads))) {
		is, stored := existing[shard]
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
		if !stored || !is.counts(want) {
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

// counts reports whether c has the numbers of want, which has all kinds.
func (c counter) counts(want counter) bool {
	for kind, n := range want.heads {
		if c.heads[kind] != n {
			return false
		}
	}
	return c.tail == want.tail && slices.Equal(c.shards, want.shards) && !slices.Contains(c.damaged, shardsAttr)
}

func (c counter) sameVersion(d counter) bool { return c.shard == d.shard && c.ver == d.ver }
