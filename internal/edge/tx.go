package edge

import (
	"github.com/guregu/dynamo/v2"
)

// change is an edge of a pair that begins (1) or ends (-1).
type change struct {
	Edge
	by int64
}

// tx makes changes of one pair: of its guard, on the condition given, then the
// two list items of each change, then the counters of the head, that of the
// first change before others, then the tail's. No item is named twice.
func (g *Graph) tx(guard condition, changes ...change) *dynamo.WriteTx {
	tx := g.table.Tx()
	g.writeGuard(tx, guard, changes...)
	for _, c := range changes {
		if c.by < 0 {
			tx.Delete(g.table.Delete(g.TailKey(c.Edge)))
			tx.Delete(g.table.Delete(g.HeadKey(c.Edge)))
			continue
		}
		tx.Put(g.table.Put(g.TailItem(c.Edge)).If("attribute_not_exists(pk)"))
		tx.Put(g.table.Put(g.HeadItem(c.Edge)).If("attribute_not_exists(pk)"))
	}
	var sum int64
	for i, c := range changes {
		sum += c.by
		if !placedIn(changes[:i], c.Place) {
			tx.Update(g.count(c.Head, c.Place, changes[i:]))
		}
	}
	if g.TailCount != "" {
		tx.Update(add(g.table.Update(g.CounterKey(changes[0].Tail, 0)), g.TailCount, sum).Add(verAttr, 1))
	}
	return tx
}

// The places of writes in such a transaction.
const guardWrite = 0

func counterWrite(changes int) int { return 1 + 2*changes }

func placedIn(changes []change, place int) bool {
	for _, c := range changes {
		if c.Place == place {
			return true
		}
	}
	return false
}

// count adds those of the changes that lie in one shard to its counter.
func (g *Graph) count(head string, place int, changes []change) *dynamo.Update {
	update := g.table.Update(g.CounterKey(head, place-1)).Add(verAttr, 1)
	for _, c := range changes {
		if c.Place != place {
			continue
		}
		add(update, ofKind(c.Kind, g.Count), c.by)
		if c.by > 0 && place > 1 {
			update.If("attribute_exists(pk)") // opened before, so that readers know it
		}
	}
	return update
}

// add is Update.Add for an attribute of any name.
func add(update *dynamo.Update, attribute string, n int64) *dynamo.Update {
	return update.SetExpr("$ = if_not_exists($, ?) + ?", attribute, attribute, 0, n)
}

// writeGuard has the guard say what the changes do.
//
// A shared guard stays when its last edge ends: whoever ends it need not have
// read what else it holds, and may not know all kinds that others begin. A
// guard without edges reads as none, and Erase of the tail removes it.
func (g *Graph) writeGuard(tx *dynamo.WriteTx, c condition, changes ...change) {
	key := g.GuardKey(changes[0].Edge)
	switch {
	case g.shared():
		update := g.table.Update(key).Add(verAttr, 1).If(c.expr, c.args...)
		for _, change := range changes {
			id, shard := ofKind(change.Kind, idAttr), ofKind(change.Kind, shardAttr)
			if change.by > 0 {
				update.SetExpr("$ = ?", id, change.ID)
			} else {
				update.RemoveExpr("$", id)
			}
			if change.by > 0 && change.Place > 1 {
				update.SetExpr("$ = ?", shard, change.Place-1)
			} else {
				update.RemoveExpr("$", shard)
			}
		}
		tx.Update(update)
	case changes[0].by > 0:
		tx.Put(g.table.Put(g.GuardItem(changes[0].Edge)).If(c.expr, c.args...))
	default:
		tx.Delete(g.table.Delete(key).If(c.expr, c.args...))
	}
}

// condition is of one item.
type condition struct {
	expr string
	args []any
}

func absent(attribute string) condition {
	return condition{"attribute_not_exists($)", []any{attribute}}
}

func equals(attribute string, value any) condition {
	return condition{"$ = ?", []any{attribute, value}}
}

// stands is the condition that a guard holds e, in that place.
func stands(e Edge) condition {
	c, shard := equals(ofKind(e.Kind, idAttr), e.ID), ofKind(e.Kind, shardAttr)
	if e.Place == 1 {
		return c.and(absent(shard))
	}
	return c.and(equals(shard, e.Place-1))
}

func (c condition) and(d condition) condition {
	return condition{c.expr + " AND " + d.expr, append(c.args[:len(c.args):len(c.args)], d.args...)}
}
