package edge

import (
	"context"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// mend makes the edge whole or ends what is left of it. An edge that needs
// two steps counts once.
func (g *Graph) mend(ctx context.Context, s suspect) (mended Drift, err error) {
	mends := 0
	for range turns {
		p, err := g.partsOf(ctx, s)
		if err != nil {
			return mended, err
		}
		cure := p.cure()
		if cure == whole {
			return mended, nil
		}
		tx, err := g.cureTx(ctx, p, cure)
		if err != nil {
			return mended, err
		}
		err = g.table.Run(ctx, tx)
		if _, changed := store.AsRefused(err); changed {
			continue
		}
		if err != nil {
			return mended, err
		}
		if mends++; mends == 1 {
			mended = cure.drift()
		}
	}
	return mended, plaza.ErrBusy
}

// cureTx writes one item of the edge under the condition that all three are
// as they were seen. It raises a version of both ends that are counted, of the
// head that of the shard whose list changes, so that a Check or Repair of
// either notices.
func (g *Graph) cureTx(ctx context.Context, p parts, c cure) (*dynamo.WriteTx, error) {
	tx := g.table.Tx()
	e := p.Edge
	e.Place = p.curedShard(c) + 1
	for i, piece := range g.pieces(p, e) {
		switch {
		case cure(i) != c.piece():
			tx.Check(g.table.Check(piece.key).If(piece.seen.expr, piece.seen.args...))
		case c == putGuard:
			g.writeGuard(tx, piece.seen, change{e, 1})
		case c == dropGuard:
			g.clearGuard(tx, piece.seen, e)
		case c.drops():
			tx.Delete(g.table.Delete(piece.key).If(piece.seen.expr, piece.seen.args...))
		default:
			tx.Put(g.table.Put(piece.item).If(piece.seen.expr, piece.seen.args...))
		}
	}
	counted := g.table.Update(g.CounterKey(e.Head, 0)).Add(verAttr, 1)
	var err error
	switch c {
	case putInHead:
		counted, err = g.countRestored(ctx, p, e)
	case dropFromHead:
		if e.Place > 1 {
			err = g.OpenShard(ctx, e.Head, e.Place-1) // where it is missing
		}
		counted = g.table.Update(g.CounterKey(e.Head, e.Place-1)).Add(verAttr, 1)
	}
	tx.Update(counted)
	if g.TailCount != "" {
		tx.Update(g.table.Update(g.CounterKey(e.Tail, 0)).Add(verAttr, 1))
	}
	return tx, err
}

// clearGuard takes e out of its guard, as if it had never been.
func (g *Graph) clearGuard(tx *dynamo.WriteTx, c condition, e Edge) {
	key := g.GuardKey(e)
	if !g.shared() {
		tx.Delete(g.table.Delete(key).If(c.expr, c.args...))
		return
	}
	tx.Update(g.table.Update(key).Add(verAttr, 1).If(c.expr, c.args...).
		RemoveExpr("$", g.name(e.Kind, idAttr)).RemoveExpr("$", g.name(e.Kind, shardAttr)))
}

// piece is one of an edge's three items: its place, what a list holds there
// where it is right, and what was seen of it.
type piece struct {
	key  store.Key
	item dynamo.Item
	seen condition
}

// pieces are the guard of e and its places in the lists of both ends.
func (g *Graph) pieces(p parts, e Edge) [3]piece {
	seen := func(key store.Key, attribute string) condition {
		return g.seen(p.stored[key], "", attribute)
	}
	return [3]piece{
		{g.GuardKey(e), nil, g.seen(p.stored[g.GuardKey(e)], e.Kind, idAttr, shardAttr, endedAttr)},
		{g.TailKey(e), g.TailItem(e), seen(g.TailKey(e), g.Head)},
		{g.HeadKey(e), g.HeadItem(e), seen(g.HeadKey(e), g.Tail)},
	}
}

// seen is the condition that these attributes of an item are as they were read,
// damaged or not.
func (g *Graph) seen(item dynamo.Item, kind string, attributes ...string) (c condition) {
	for i, attribute := range attributes {
		as := absent(g.name(kind, attribute))
		if value, there := item[ofKind(kind, attribute)]; there {
			as = equals(g.name(kind, attribute), value)
		}
		if i > 0 {
			as = c.and(as)
		}
		c = as
	}
	return c
}

// countRestored counts a shard of the head's list together with the edge that
// is put back into it.
func (g *Graph) countRestored(ctx context.Context, p parts, e Edge) (*dynamo.Update, error) {
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
	if p.tails[shard] == "" {
		want.heads[e.Kind]++
	}
	return g.correctionOf(e.Head, want), err
}
