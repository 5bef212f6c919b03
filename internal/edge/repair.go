package edge

import (
	"context"
	"maps"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Repair mends what Check finds, and returns what it mended. What is damaged is
// removed first. Of an edge's three items two restore the third, and one alone
// is removed; then the counts are set to what the lists hold. Edges may begin and end meanwhile. An edge
// that is restored to a head's list is counted there too, so ends may be
// repaired in any order.
func (g *Graph) Repair(ctx context.Context, of Ends) (mended Drift, err error) {
	found := func(item dynamo.Item, damaged []string) error {
		cleared, err := g.clear(ctx, item, damaged)
		if cleared {
			mended.Damaged++
		}
		return err
	}
	var lists []place
	if of.Head != "" {
		counters, err := g.everyCounter(ctx, of.Head, found)
		if err != nil {
			return mended, err
		}
		lists = g.listsOf(counters)
	}
	err = g.suspects(ctx, of, lists, found, func(s suspect) error {
		drift, err := g.mend(ctx, s)
		mended.add(drift)
		return err
	})
	if err != nil || of.Head == "" {
		return mended, err
	}
	counts, err := g.recount(ctx, of)
	mended.add(counts)
	return mended, err
}

// clear takes what is damaged out of an item, unless that changed meanwhile,
// and reports whether it did. A version that cannot be read begins again, later
// than any that it had.
func (g *Graph) clear(ctx context.Context, item dynamo.Item, damaged []string) (bool, error) {
	key := store.KeyOf(item)
	lone := !g.shared() && keys.Split(key.PK)[0] == g.Guard // a guard of one edge, without a version
	var seen condition
	for i, attribute := range damaged {
		as := absent(short(i, attribute))
		if value, there := item[attribute]; there {
			as = equals(short(i, attribute), value)
		}
		if i > 0 {
			as = seen.and(as)
		}
		seen = as
	}
	var write store.Write
	if damaged[0] == "pk" || lone && damaged[0] != ttlAttr {
		write = g.table.Delete(key).If(seen.expr, seen.args...)
	} else {
		update := g.table.Update(key).If(seen.expr, seen.args...)
		if !lone && !slices.Contains(damaged, verAttr) {
			update.Add(verAttr, 1)
		}
		for i, attribute := range damaged {
			_, stands := item[idAttr]
			switch {
			case attribute == verAttr:
				update.Set(verAttr, g.now().UnixMilli())
			case attribute == ttlAttr && lone && !stands:
				update.Set(ttlAttr, g.expiry())
			default:
				update.RemoveExpr("$", short(i, attribute))
			}
		}
		write = update
	}
	err := g.table.Run(ctx, write)
	if _, changed := store.AsRefused(err); changed {
		return false, nil
	}
	return err == nil, err
}

// recount sets the counters to what the lists hold.
func (g *Graph) recount(ctx context.Context, of Ends) (mended Drift, err error) {
	for range turns {
		counters, err := g.everyCounter(ctx, of.Head, nil)
		if err != nil {
			return mended, err
		}
		lists, err := g.tally(ctx, of, g.listsOf(counters))
		if err != nil {
			return mended, err
		}
		for _, c := range counters {
			if err := g.damage(c); err != nil {
				return mended, err // since it was cleared
			}
		}
		wrong := corrections(counters, lists)
		for _, c := range slices.Backward(wrong) { // shard 0 names the others before they stand
			set, err := g.correct(ctx, of.Head, c)
			if err != nil {
				return mended, err
			}
			if set {
				mended.add(c.drift())
			}
		}
		if len(wrong) > 0 {
			continue // and see that it holds
		}
		after, err := g.everyCounter(ctx, of.Head, nil)
		if err != nil || slices.EqualFunc(counters, after, counter.sameVersion) {
			return mended, err
		}
	}
	return mended, plaza.ErrBusy
}

// correct sets a counter unless it changed since it was read, and reports
// whether it did. A guard on the count alone would not tell: it may have
// changed there and back while the list was read. It is a transaction for its
// token: a request that is sent twice is not taken for somebody else's.
func (g *Graph) correct(ctx context.Context, head string, c correction) (bool, error) {
	err := g.table.Run(ctx, g.table.Tx().Update(g.correctionOf(head, c.want)))
	if _, changed := store.AsRefused(err); changed {
		return false, nil
	}
	return err == nil, err
}

// correctionOf guards on the version that want was made of.
func (g *Graph) correctionOf(head string, want counter) *dynamo.Update {
	update := g.table.Update(g.CounterKey(head, want.shard)).
		SetSet(shardsAttr, want.shards).
		Add(verAttr, 1).
		If(atVersion(want.ver), want.ver)
	for i, kind := range slices.Sorted(maps.Keys(want.heads)) {
		update.SetExpr("$ = ?", short(i, ofKind(kind, g.Count)), want.heads[kind])
	}
	if g.TailCount != "" {
		update.SetExpr("$ = ?", g.TailCount, want.tail)
	}
	return update
}

// atVersion is the condition that a counter has the version that was seen, 0
// for one that was not there.
func atVersion(ver int64) string {
	if ver == 0 {
		return "ver = ? OR attribute_not_exists(ver)"
	}
	return "ver = ?"
}
