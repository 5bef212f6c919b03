package edge

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Erase ends every edge of these ends and deletes the head's counters. It repairs
// torn edges first, so that the lists and counts of others stay right. The guards
// stay until they expire, and hold only the ids that have ended; shared guards whose
// edges to the head had ended before do not expire. The counter of shard 0 stays as
// long, as a mark that all is erased. After an error, repeat it. If new edges keep
// arriving, the error is plaza.ErrBusy.
//
// A row of the head's list whose tail cannot be read may be all that is known here
// of an existing edge. It is left and returned as plaza.ErrCorrupt, after all
// else was erased. Repair of the tail restores it, and Repair of the head removes it.
//
// Edges end one after another, since edges of one counter would conflict; only
// the shards of the head's lists run side by side.
//
// Cost: as Repair; 1 transaction for each edge. Where another end counts too few
// edges its counters are repaired. A repeat: 1 request; without a head 1, and 1 for each
// kind.
func (g *Graph) Erase(ctx context.Context, of Ends) error {
	for range attempts {
		erased, err := g.eraseOnce(ctx, of)
		if err != nil || erased {
			return err
		}
	}
	return plaza.ErrBusy
}

func (g *Graph) eraseOnce(ctx context.Context, of Ends) (erased bool, err error) {
	if erased, err = g.isErased(ctx, of); erased || err != nil {
		return erased, err
	}
	var unread error // the first row that names no tail
	_, filled, err := g.mend(ctx, of, func(item dynamo.Item) bool {
		key := store.KeyOf(item)
		if _, err := ids.Parse(key.SK); err != nil || keys.Split(key.PK)[0] != g.Heads {
			return false
		}
		unread = cmp.Or(unread, g.table.Corrupt(key, "it names nobody whose edge could be erased"))
		return true
	})
	if err != nil {
		return false, err
	}
	err = g.endEdges(ctx, of, filled)
	if errors.Is(err, plaza.ErrCorrupt) && of.Head != "" { // perhaps the head counts too few
		if fixed, failed := g.recount(ctx, of); failed != nil || fixed.Counters > 0 {
			return false, failed
		}
	}
	if err != nil {
		return false, err
	}
	if of.Tail != "" && g.shared() {
		if erased, err = g.expireGuards(ctx, of.Tail); err != nil || !erased {
			return false, err
		}
	}
	if of.Head == "" {
		return true, nil
	}
	if erased, err = g.dropCounters(ctx, of, unread == nil); erased {
		err = unread
	}
	return erased, err
}

// isErased reports whether an Erase has ended and no edge has begun since. Every write of
// an edge takes the mark from its head's counter, and the expiry from its guard.
func (g *Graph) isErased(ctx context.Context, of Ends) (bool, error) {
	if of.Head != "" {
		var counter dynamo.Item
		err := g.table.Get(ctx, g.CounterKey(of.Head, 0), true, &counter)
		if errors.Is(err, plaza.ErrNotFound) {
			return false, nil
		}
		return counter[ttlAttr] != nil, err
	}
	for guards, err := range g.items(ctx, g.guardPK(of.Tail)) {
		if err != nil {
			return false, err
		}
		for _, guard := range guards {
			if guard[ttlAttr] == nil || !g.isEnded(of.Tail, guard) {
				return false, nil
			}
		}
	}
	damaged := false
	for edges, err := range g.tailList(ctx, of.Tail, func(dynamo.Item, []string) error { damaged = true; return nil }) {
		if err != nil || damaged || len(edges) > 0 {
			return false, err
		}
	}
	return true, nil
}

// isEnded reports whether a guard holds no edge, and nothing that may be one.
func (g *Graph) isEnded(tail string, guard dynamo.Item) bool {
	edges, damaged := g.edgesOf(tail, guard)
	return len(edges)+len(damaged) == 0
}

// endEdges ends the edges, for each counter of the head one at a time. The
// counter of shard 0 is also the tail's. New edges in other lists than these, of the
// head, are found by its counters.
func (g *Graph) endEdges(ctx context.Context, of Ends, filled []place) error {
	byShard := map[int][]iter.Seq2[[]Edge, error]{}
	if of.Tail != "" {
		byShard[0] = append(byShard[0], g.guards(ctx, of.Tail, nil))
	}
	for _, list := range filled {
		byShard[list.shard] = append(byShard[list.shard], g.headList(ctx, of.Head, list.kind, list.shard, nil))
	}
	group, ctx := parallel.WithContext(ctx)
	group.SetLimit(checkParallel)
	for _, lists := range byShard {
		group.Go(func() error {
			for _, list := range lists {
				if err := g.endAll(ctx, list, of); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func (g *Graph) endAll(ctx context.Context, list iter.Seq2[[]Edge, error], of Ends) error {
	for edges, err := range list {
		if err != nil {
			return err
		}
		for _, e := range edges {
			err := g.endOf(ctx, of, e)
			if errors.Is(err, plaza.ErrCorrupt) { // the other end counts too few
				if err = g.recountOther(ctx, of, e); err == nil {
					err = g.endOf(ctx, of, e)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// endOf ends an edge of these ends.
func (g *Graph) endOf(ctx context.Context, of Ends, e Edge) error {
	if of.Head != "" && g.shared() {
		return g.endOfHead(ctx, e)
	}
	_, err := g.end(ctx, e, false)
	return err
}

// endOfHead ends an edge, and lets its shared guard expire if that was the last one,
// because Erase of a head finds a guard only by its edges.
func (g *Graph) endOfHead(ctx context.Context, e Edge) error {
	for range attempts {
		var guard dynamo.Item
		if err := g.table.Get(ctx, g.GuardKey(e), true, &guard); err != nil {
			break
		}
		edges, damaged := g.edgesOf(e.Tail, guard)
		if len(damaged) > 0 || !slices.Contains(edges, e) {
			break
		}
		ver, _ := intIn(guard[verAttr])
		end := change{e, -1}
		update := g.sharedGuard(g.holds(e), end).If(atVersion(ver), ver)
		if len(edges) == 1 {
			update.Set(ttlAttr, g.expiry())
		}
		tx := g.table.Tx()
		tx.Update(update)
		err := g.table.Run(ctx, g.writeLists(tx, end))
		if refused, ok := store.AsRefused(err); !ok {
			return err
		} else if _, failed := refused.At(guardWrite); !failed {
			break
		}
	}
	_, err := g.end(ctx, e, false)
	return err
}

// recountOther sets the counters of e's other end to what its lists hold.
func (g *Graph) recountOther(ctx context.Context, of Ends, e Edge) error {
	other := Ends{Head: e.Head}
	switch {
	case e.Head != of.Head:
	case g.TailCount == "":
		return nil
	default:
		other.Head = e.Tail
	}
	if g.TailCount != "" {
		other.Tail = other.Head
	}
	_, err := g.recount(ctx, other)
	return err
}

// expireGuards sets the expiry of the guards of a tail whose edges have all
// ended, and reports whether that is all its guards.
func (g *Graph) expireGuards(ctx context.Context, tail string) (all bool, err error) {
	for guards, err := range g.items(ctx, g.guardPK(tail)) {
		if err != nil {
			return false, err
		}
		for _, guard := range guards {
			if !g.isEnded(tail, guard) {
				return false, nil
			}
			if _, expires := guard[ttlAttr]; expires {
				continue
			}
			ver, _ := intIn(guard[verAttr])
			err = g.table.Run(ctx, g.table.Update(store.KeyOf(guard)).Set(ttlAttr, g.expiry()).If(atVersion(ver), ver))
			if _, begun := store.AsRefused(err); begun {
				return false, nil
			}
			if err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// dropCounters removes the zero counters of a head, and reports whether that is
// all of them: otherwise it sets them to what the lists hold. The counter of shard 0 becomes
// the mark of isErased, if it may, with a version above those of all counters together.
func (g *Graph) dropCounters(ctx context.Context, of Ends, mark bool) (all bool, err error) {
	counters, err := g.everyCounter(ctx, of.Head, nil)
	if err != nil {
		return false, err
	}
	tx, first, versions := g.table.Tx(), counter{}, int64(0)
	for _, c := range counters {
		versions += c.ver
		switch {
		case !c.empty():
			_, err := g.recount(ctx, of)
			return false, err
		case c.shard == 0 && mark:
			first = c
		default:
			tx.Delete(g.table.Delete(g.CounterKey(of.Head, c.shard)).If(atVersion(c.ver), c.ver))
		}
	}
	switch {
	case mark:
		item := itemAt(g.CounterKey(of.Head, 0))
		item[verAttr], item[ttlAttr] = number(max(versions, g.firstVersion())+1), number(g.expiry())
		tx.Put(g.table.Put(item).If(atVersion(first.ver), first.ver))
	case len(counters) == 0:
		return true, nil
	}
	err = g.table.Run(ctx, tx)
	if _, changed := store.AsRefused(err); changed {
		return false, nil
	}
	return err == nil, err
}
