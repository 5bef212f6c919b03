package edge

import "github.com/plaza-sdk/plaza/internal/store"

// change is an edge that begins (1) or ends (-1).
type change struct {
	Edge
	by int64
}

// tx applies changes of one pair. It writes, in this order: the guard, if it
// meets the condition; the two list items of each change; the counters of the
// head, that of the first change first; the tail's counter. It writes no item
// twice.
func (g *Graph) tx(guard condition, changes ...change) *store.Tx {
	tx := g.table.Tx()
	g.writeGuard(tx, guard, changes...)
	return g.writeLists(tx, changes...)
}

// writeLists writes the rest of such a transaction.
func (g *Graph) writeLists(tx *store.Tx, changes ...change) *store.Tx {
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
		tx.Update(add(g.UpdateCounter(changes[0].Tail, 0), g.TailCount, sum))
	}
	return tx
}

// The indexes of writes in such a transaction.
const guardWrite = 0

func counterWrite(changes int) int { return 1 + 2*changes }

// miscounted is the error of a transaction that a counter refused, because it
// counts fewer edges than end.
func (g *Graph) miscounted(refused *store.Refused, changes []change) error {
	counters := []store.Key{}
	for i, c := range changes {
		if !placedIn(changes[:i], c.Place) {
			counters = append(counters, g.CounterKey(c.Head, c.Place-1))
		}
	}
	counters = append(counters, g.CounterKey(changes[0].Tail, 0))
	for i, key := range counters {
		if _, failed := refused.At(counterWrite(len(changes)) + i); failed {
			return g.table.Corrupt(key, "it counts fewer edges than there are")
		}
	}
	return nil
}

func placedIn(changes []change, place int) bool {
	for _, c := range changes {
		if c.Place == place {
			return true
		}
	}
	return false
}

// count adds the changes of one shard to its counter.
func (g *Graph) count(head string, place int, changes []change) *store.Update {
	update := g.UpdateCounter(head, place-1)
	for _, c := range changes {
		if c.Place != place {
			continue
		}
		add(update, ofKind(c.Kind, g.Count), c.by)
		if c.by > 0 && place > 1 {
			update.If("attribute_exists(pk)") // the shard must be open, so that readers know it
		}
	}
	return update
}

// add is Update.Add for an attribute of any name. No count falls below 0.
func add(update *store.Update, attribute string, n int64) *store.Update {
	if n < 0 {
		update.If("$ >= ?", attribute, -n)
	}
	return update.SetExpr("$ = if_not_exists($, ?) + ?", attribute, attribute, 0, n)
}

// writeGuard writes the changes into the guard. A guard has two short
// attributes for each kind that was ever in Options. It remains for a while
// after its edge has ended, so that a late request does not begin the edge
// again. A shared guard gets no expiry when its last edge ends: the call that
// ends it may not have read the other edges of the guard, and may not know all
// kinds. Erase gives it one.
func (g *Graph) writeGuard(tx *store.Tx, c condition, changes ...change) {
	if !g.shared() {
		item := g.GuardItem(changes[0].Edge)
		if changes[0].by < 0 {
			item = g.endedItem(changes[0].Edge)
		}
		tx.Put(g.table.Put(item).If(c.expr, c.args...))
		return
	}
	tx.Update(g.sharedGuard(c, changes...))
}

func (g *Graph) sharedGuard(c condition, changes ...change) *store.Update {
	update := g.table.Update(g.GuardKey(changes[0].Edge)).Add(verAttr, 1).If(c.expr, c.args...)
	for _, change := range changes {
		id, shard, ended := ofKind(change.Kind, idAttr), ofKind(change.Kind, shardAttr), ofKind(change.Kind, endedAttr)
		if change.by < 0 {
			update.SetExpr("$ = ?", ended, change.ID).RemoveExpr("$", id).RemoveExpr("$", shard)
			continue
		}
		update.SetExpr("$ = ?", id, change.ID).RemoveExpr("$", ended).Remove(ttlAttr)
		if change.Place > 1 {
			update.SetExpr("$ = ?", shard, change.Place-1)
		} else {
			update.RemoveExpr("$", shard)
		}
	}
	return update
}

// remember stores in a guard without an edge that e.ID has ended: 1 WCU.
func (g *Graph) remember(e Edge) *store.Update {
	c := g.mayBegin(e)
	update := g.table.Update(g.GuardKey(e)).SetExpr("$ = ?", ofKind(e.Kind, endedAttr), e.ID).If(c.expr, c.args...)
	if g.shared() {
		return update.Add(verAttr, 1)
	}
	return update.Set(ttlAttr, g.expiry())
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

// mayBegin is the condition that a guard holds no edge of e's kind and that no
// edge with e's id or a greater one has ended.
func (g *Graph) mayBegin(e Edge) condition {
	ended := ofKind(e.Kind, endedAttr)
	return absent(ofKind(e.Kind, idAttr)).and(condition{"(attribute_not_exists($) OR $ < ?)", []any{ended, ended, e.ID}})
}

// holds is the condition that a guard holds e, in that place.
func (g *Graph) holds(e Edge) condition {
	c, shard := equals(ofKind(e.Kind, idAttr), e.ID), ofKind(e.Kind, shardAttr)
	if e.Place == 1 {
		return c.and(absent(shard))
	}
	return c.and(equals(shard, e.Place-1))
}

func (c condition) and(d condition) condition {
	return condition{c.expr + " AND " + d.expr, append(c.args[:len(c.args):len(c.args)], d.args...)}
}
