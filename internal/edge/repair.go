package edge

import (
	"context"
	"errors"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Repair fixes what Check finds, and returns what it fixed. It first removes
// what is damaged. Two of an edge's three items restore the third, and one
// alone is removed. Then it sets the counts to what the lists hold. Edges may
// begin and end meanwhile. An edge that is restored to a head's list is counted
// there too, so ends may be repaired in any order. If Repair of the tail was
// interrupted, repair the head after it.
//
// Cost: as Check; for each torn edge 2 requests and 1 transaction more.
func (g *Graph) Repair(ctx context.Context, of Ends) (Drift, error) {
	fixed, _, err := g.mend(ctx, of, func(dynamo.Item) bool { return false })
	if err != nil || of.Head == "" {
		return fixed, err
	}
	counts, err := g.recount(ctx, of)
	fixed.add(counts)
	return fixed, err
}

// mend removes what is damaged, unless keep returns true for it, and makes torn edges whole.
// It returns the lists of the head that have edges.
func (g *Graph) mend(ctx context.Context, of Ends, keep func(dynamo.Item) bool) (fixed Drift, filled []place, err error) {
	damaged := func(item dynamo.Item, attributes []string) error {
		if keep(item) {
			return nil
		}
		cleared, err := g.clear(ctx, item, attributes)
		if cleared {
			fixed.Damaged++
		}
		return err
	}
	var lists []place
	if of.Head != "" {
		counters, err := g.everyCounter(ctx, of.Head, damaged)
		if err != nil {
			return fixed, nil, err
		}
		lists = g.listsOf(counters)
	}
	filled, err = g.findTorn(ctx, of, lists, damaged, func(c candidate) error {
		drift, err := g.fixEdge(ctx, c)
		fixed.add(drift)
		return err
	})
	return fixed, filled, err
}

// clear removes the damaged attributes of an item and reports true, unless the
// item has changed since. A version that cannot be read starts again above any
// number that it had.
func (g *Graph) clear(ctx context.Context, item dynamo.Item, damaged []string) (bool, error) {
	key := store.KeyOf(item)
	single := !g.shared() && keys.Split(key.PK)[0] == g.Guard // a guard of one edge has no version
	var seen condition
	for i, attribute := range damaged {
		as := absent(attribute)
		if value, there := item[attribute]; there {
			as = equals(attribute, value)
		}
		if i > 0 {
			as = seen.and(as)
		}
		seen = as
	}
	var write store.Write
	if damaged[0] == "pk" || single && damaged[0] != ttlAttr && damaged[0] != g.Stamp {
		write = g.table.Delete(key).If(seen.expr, seen.args...)
	} else {
		update := g.table.Update(key).If(seen.expr, seen.args...)
		if !single && !slices.Contains(damaged, verAttr) {
			update.Add(verAttr, 1)
		}
		for _, attribute := range damaged {
			_, held := item[idAttr]
			switch {
			case attribute == shardsAttr: // recount sets it: until then it says that all lists must be read
			case attribute == verAttr:
				update.Set(verAttr, g.versionFrom(key))
			case attribute == ttlAttr && single && !held:
				update.Set(ttlAttr, g.expiry())
			default:
				update.RemoveExpr("$", attribute)
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

// fixEdge makes the edge whole, or removes what is left of it. An edge that needs
// two steps counts once.
func (g *Graph) fixEdge(ctx context.Context, c candidate) (fixed Drift, err error) {
	steps := 0
	for range attempts {
		s, err := g.readState(ctx, c)
		if err != nil {
			return fixed, err
		}
		fix := s.fix()
		if fix == nothing {
			return fixed, nil
		}
		tx, err := g.fixTx(ctx, s, fix)
		if err != nil {
			return fixed, err
		}
		err = g.table.Run(ctx, tx)
		if _, changed := store.AsRefused(err); changed {
			continue
		}
		if err != nil {
			return fixed, err
		}
		if steps++; steps == 1 {
			fixed = fix.drift()
		}
	}
	return fixed, plaza.ErrBusy
}

// fixTx writes one item of the edge, on condition that all three are as they
// were read. It raises the version of each end's counter, so that a Check or
// Repair of either end notices. For the head, that is the counter of
// the shard whose list changes.
func (g *Graph) fixTx(ctx context.Context, s state, f fix) (*store.Tx, error) {
	tx := g.table.Tx()
	e := s.Edge
	e.Place = s.fixedShard(f) + 1
	for i, piece := range g.pieces(s, e) {
		switch {
		case fix(i) != f.item():
			tx.Check(piece.key, piece.seen.expr, piece.seen.args...)
		case f == putGuard:
			g.writeGuard(tx, piece.seen, change{e, 1})
		case f == dropGuard:
			g.clearGuard(tx, piece.seen, e)
		case f.removes():
			tx.Delete(g.table.Delete(piece.key).If(piece.seen.expr, piece.seen.args...))
		default:
			tx.Put(g.table.Put(piece.item).If(piece.seen.expr, piece.seen.args...))
		}
	}
	counted := g.UpdateCounter(e.Head, 0)
	var err error
	switch f {
	case putInHead:
		counted, err = g.countRestored(ctx, s, e)
	case dropFromHead:
		if e.Place > 1 {
			err = g.OpenShard(ctx, e.Head, e.Place-1) // if it is missing
		}
		if errors.Is(err, plaza.ErrCorrupt) {
			err = nil // the names of shards are damaged, so all lists are read until recount sets them
		}
		counted = g.UpdateCounter(e.Head, e.Place-1)
	}
	if err != nil {
		return nil, err
	}
	tx.Update(counted)
	if g.TailCount != "" {
		tx.Update(g.UpdateCounter(e.Tail, 0))
	}
	return tx, nil
}

// clearGuard removes e from its guard, as if it had never begun.
func (g *Graph) clearGuard(tx *store.Tx, c condition, e Edge) {
	key := g.GuardKey(e)
	if !g.shared() {
		tx.Delete(g.table.Delete(key).If(c.expr, c.args...))
		return
	}
	tx.Update(g.table.Update(key).Add(verAttr, 1).If(c.expr, c.args...).
		RemoveExpr("$", ofKind(e.Kind, idAttr)).RemoveExpr("$", ofKind(e.Kind, shardAttr)))
}

// piece is one of an edge's three items: its key, the item that a list should
// have, and the condition that it is as it was read.
type piece struct {
	key  store.Key
	item dynamo.Item
	seen condition
}

// pieces are the guard of e and its places in the lists of both ends.
func (g *Graph) pieces(s state, e Edge) [3]piece {
	seen := func(key store.Key, attribute string) condition {
		return g.seen(s.stored[key], "", attribute)
	}
	return [3]piece{
		{g.GuardKey(e), nil, g.seen(s.stored[g.GuardKey(e)], e.Kind, idAttr, shardAttr, endedAttr)},
		{g.TailKey(e), g.TailItem(e), seen(g.TailKey(e), g.Head)},
		{g.HeadKey(e), g.HeadItem(e), seen(g.HeadKey(e), g.Tail)},
	}
}

// seen is the condition that these attributes of an item are as they were read,
// even if damaged.
func (g *Graph) seen(item dynamo.Item, kind string, attributes ...string) (c condition) {
	for i, attribute := range attributes {
		as := absent(ofKind(kind, attribute))
		if value, there := item[ofKind(kind, attribute)]; there {
			as = equals(ofKind(kind, attribute), value)
		}
		if i > 0 {
			as = c.and(as)
		}
		c = as
	}
	return c
}

// countRestored sets the count of a shard of the head's list to its edges and
// the one that is being restored.
func (g *Graph) countRestored(ctx context.Context, s state, e Edge) (*store.Update, error) {
	counters, err := g.everyCounter(ctx, e.Head, nil)
	if err != nil {
		return nil, err
	}
	shard := e.Place - 1
	want := counter{shard: shard, heads: map[string]int64{}}
	at := slices.IndexFunc(counters, func(c counter) bool { return c.shard == shard })
	if at >= 0 {
		want = counters[at]
		if err := g.damage(want); err != nil {
			return nil, err // until Repair of the head has cleared it
		}
	} else if shard > 0 {
		if err := g.OpenShard(ctx, e.Head, shard); err != nil {
			return nil, err
		}
	}
	want.heads[e.Kind], err = countEdges(g.headList(ctx, e.Head, e.Kind, shard, nil))
	if s.tails[shard] == "" {
		want.heads[e.Kind]++
	}
	return g.correctionOf(e.Head, want), err
}
