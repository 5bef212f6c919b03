package edge

import (
	"context"
	"errors"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Begin begins e, unless the pair has an edge of its kind already, and returns that
// edge. It ends the pair's edges of the kinds that e excludes. It reports begun if the
// pair's edge has the ID of e, so a repeat reports it too.
//
// If another edge of the kind has the ID in either list, the error is
// plaza.ErrConflict; after a change of the head's number of shards it may go unnoticed.
// If an edge of the pair with this ID or a later one has ended, the error is
// plaza.ErrRemoved, a *plaza.OlderError if clocks may be the reason.
//
// A minted ID is replaced by a later one where it would be refused. The ID is returned
// beside an error too.
//
// If the pair has an edge, Begin writes nothing, so an earlier End whose request arrives
// later still ends it. A repeat of Begin begins it again.
//
// Cost: 1 transaction, 2 WCU for the guard, each list item and each counter;
// where e excludes kinds 1 request, 0.5 RCU more, so that no transaction is
// refused because of an edge that began long ago.
func (g *Graph) Begin(ctx context.Context, e Edge, excludes []string, minted bool) (stored Edge, begun bool, err error) {
	if e, err = g.placed(e); err != nil {
		return e, false, err
	}
	var ends []Edge
	if len(excludes) > 0 {
		var guard dynamo.Item
		if err := g.table.Get(ctx, g.GuardKey(e), false, &guard); err != nil && !errors.Is(err, plaza.ErrNotFound) {
			return e, false, err
		}
		if ends, err = g.existingOf(e, excludes, guard); err != nil {
			return e, false, err
		}
	}
	for range attempts {
		guarded, changes := g.beginning(e, excludes, ends)
		err := g.table.Run(ctx, g.tx(guarded, changes...))
		refused, ok := store.AsRefused(err)
		if !ok {
			return e, err == nil, err
		}
		guard, failed := refused.At(guardWrite)
		if !failed {
			if e, err = g.unblocked(ctx, e, refused, changes, minted); err != nil {
				return e, false, err
			}
			continue
		}
		held, err := g.HeldBy(guard, e)
		switch {
		case err != nil:
			return e, false, err
		case held.Exists():
			return held.Edge, held.ID == e.ID, nil
		case held.Ended < e.ID: // a condition on another kind failed
		case !minted:
			return e, false, keys.Older(e.ID, held.Ended, g.now())
		default:
			if e, err = g.movedBehind(e, held.Ended); err != nil {
				return e, false, err
			}
		}
		if ends, err = g.existingOf(e, excludes, guard); err != nil {
			return e, false, err
		}
	}
	return e, false, plaza.ErrBusy
}

// unblocked prepares another try after a counter or a list has refused the first: it opens
// the shard, or replaces a minted ID that another edge has.
func (g *Graph) unblocked(ctx context.Context, e Edge, refused *store.Refused, changes []change, minted bool) (Edge, error) {
	if counter, failed := refused.At(counterWrite(len(changes))); failed && counter == nil && e.Place > 1 {
		return e, g.OpenShard(ctx, e.Head, e.Place-1)
	}
	if err := g.miscounted(refused, changes); err != nil {
		return e, err
	}
	if !minted {
		return e, plaza.ErrConflict
	}
	return g.movedBehind(e, e.ID)
}

// placed is e in the shard of its id.
func (g *Graph) placed(e Edge) (Edge, error) {
	shard, err := g.ShardFor(e)
	e.Place = shard + 1
	return e, err
}

// movedBehind gives e an id in the millisecond after that of id, as unique as
// its own, and the Place of the new id.
func (g *Graph) movedBehind(e Edge, id ids.ID) (Edge, error) {
	e.ID = keys.After(e.ID, id)
	return g.placed(e)
}

// existingOf returns the edges of these kinds that the guard of e's pair holds.
func (g *Graph) existingOf(e Edge, kinds []string, guard dynamo.Item) (edges []Edge, err error) {
	for _, kind := range kinds {
		existing, err := g.Existing(Edge{Tail: e.Tail, Head: e.Head, Kind: kind}, guard)
		if errors.Is(err, plaza.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		edges = append(edges, existing)
	}
	return edges, nil
}

// beginning returns the condition of the guard and the changes of the write that
// begins e and ends the edges in ends.
func (g *Graph) beginning(e Edge, excludes []string, ends []Edge) (guard condition, changes []change) {
	guard, changes = g.mayBegin(e), []change{{e, 1}}
	for _, kind := range excludes {
		at := slices.IndexFunc(ends, func(end Edge) bool { return end.Kind == kind })
		if at < 0 {
			guard = guard.and(absent(ofKind(kind, idAttr)))
			continue
		}
		guard = guard.and(g.holds(ends[at]))
		changes = append(changes, change{ends[at], -1})
	}
	return guard, changes
}

// End ends the pair's edge of e's kind; with an ID, only the edge of that id. It
// reports whether this call ended one.
//
// If there is no edge, End remembers the ID, so that a late request to begin it is
// refused. Without an ID it writes nothing, and such a request still begins the edge: a
// repeat of End ends it.
//
// Cost: 1 request, 1 RCU, and 1 transaction as Begin's; with an ID and a Place
// the transaction alone; to remember an ID 1 WCU in place of the transaction.
func (g *Graph) End(ctx context.Context, e Edge) (ended bool, err error) {
	return g.end(ctx, e, true)
}

func (g *Graph) end(ctx context.Context, e Edge, remember bool) (ended bool, err error) {
	held := Held{Edge: e}
	if e.ID == 0 || e.Place == 0 {
		if held, err = g.Held(ctx, e); err != nil {
			return false, err
		}
	}
	for range attempts {
		var write store.Write
		end := change{held.Edge, -1}
		switch exists := held.Exists(); {
		case exists && (e.ID == 0 || e.ID == held.ID):
			write, ended = g.tx(g.holds(held.Edge), end), true
		case exists || e.ID <= held.Ended || !remember:
			return false, nil
		default:
			if err := keys.CheckNewID("ID", e.ID, g.now()); err != nil {
				return false, err
			}
			write, ended = g.remember(e), false
		}
		err = g.table.Run(ctx, write)
		refused, ok := store.AsRefused(err)
		if !ok {
			return ended && err == nil, err
		}
		// The edge may be in another shard than the caller knows.
		guard, failed := refused.At(guardWrite)
		if !failed {
			return false, g.miscounted(refused, []change{end})
		}
		if held, err = g.HeldBy(guard, e); err != nil {
			return false, err
		}
	}
	return false, plaza.ErrBusy
}

// Held reads the guard of e's pair, strongly consistent.
//
// Cost: 1 request, 1 RCU.
func (g *Graph) Held(ctx context.Context, e Edge) (Held, error) {
	var guard dynamo.Item
	if err := g.table.Get(ctx, g.GuardKey(e), true, &guard); err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return Held{}, err
	}
	return g.HeldBy(guard, e)
}

// Get reads the pair's edge of e's kind, strongly consistent. plaza.ErrNotFound
// says that there is none.
//
// Cost: 1 request, 1 RCU.
func (g *Graph) Get(ctx context.Context, e Edge) (Edge, error) {
	held, err := g.Held(ctx, e)
	if err == nil && !held.Exists() {
		err = plaza.ErrNotFound
	}
	return held.Edge, err
}
