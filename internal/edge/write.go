package edge

import (
	"context"
	"errors"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Begin makes e stand, in the place of the pair's edges of the kinds that it
// excludes, and returns the edge of its kind that stands. A repeat answers
// begun again while e stands; a standing edge with another id is returned with
// begun false. An ID that another edge of its kind has in either list is
// plaza.ErrConflict; of the head's list only those are seen that were made
// with as many shards.
//
// One transaction: 2 WCU for the guard, each list item and each counter. Where
// e excludes kinds, 0.5 RCU before it, so that no transaction is refused for
// an edge that has long stood.
func (g *Graph) Begin(ctx context.Context, e Edge, excludes []string) (standing Edge, begun bool, err error) {
	shard, err := g.ShardFor(e)
	if err != nil {
		return e, false, err
	}
	placed := e
	placed.Place = shard + 1
	var ends []Edge
	if len(excludes) > 0 {
		var guard dynamo.Item
		if err := g.table.Get(ctx, g.GuardKey(e), false, &guard); err != nil && !errors.Is(err, plaza.ErrNotFound) {
			return e, false, err
		}
		if ends, err = g.standingOf(e, excludes, guard); err != nil {
			return e, false, err
		}
	}
	for range turns {
		err = g.table.Run(ctx, g.beginTx(placed, excludes, ends))
		refused, ok := store.AsRefused(err)
		if !ok {
			break
		}
		if guard, failed := refused.At(guardWrite); failed {
			standing, err := g.Standing(e, guard)
			if !errors.Is(err, plaza.ErrNotFound) {
				return standing, standing.ID == e.ID, err
			}
			if ends, err = g.standingOf(e, excludes, guard); err != nil {
				return e, false, err
			}
		} else if _, failed := refused.At(counterWrite(1 + len(ends))); !failed {
			return e, false, plaza.ErrConflict // one of the lists has the id for another edge
		} else if err = g.OpenShard(ctx, e.Head, shard); err != nil {
			return e, false, err
		}
		err = plaza.ErrBusy
	}
	if err != nil {
		return e, false, err
	}
	return placed, true, nil
}

// standingOf are the edges of these kinds that the guard of e's pair holds.
func (g *Graph) standingOf(e Edge, kinds []string, guard dynamo.Item) (edges []Edge, err error) {
	for _, kind := range kinds {
		standing, err := g.Standing(Edge{Tail: e.Tail, Head: e.Head, Kind: kind}, guard)
		if errors.Is(err, plaza.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		edges = append(edges, standing)
	}
	return edges, nil
}

func (g *Graph) beginTx(e Edge, excludes []string, ends []Edge) store.Write {
	guard := absent(ofKind(e.Kind, idAttr))
	changes := []change{{e, 1}}
	for _, kind := range excludes {
		at := slices.IndexFunc(ends, func(end Edge) bool { return end.Kind == kind })
		if at < 0 {
			guard = guard.and(absent(ofKind(kind, idAttr)))
			continue
		}
		guard = guard.and(stands(ends[at]))
		changes = append(changes, change{ends[at], -1})
	}
	return g.tx(guard, changes...)
}

// End ends the pair's edge of e's kind; with an ID, only the edge of that id.
// It reports whether this call ended one.
//
// One consistent read, 1 RCU, which an edge whose ID and Place are known
// spares, and one transaction.
func (g *Graph) End(ctx context.Context, e Edge) (ended bool, err error) {
	standing := e
	for range turns {
		if standing.ID == 0 || standing.Place == 0 {
			standing, err = g.Get(ctx, e)
			if errors.Is(err, plaza.ErrNotFound) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
		}
		if e.ID != 0 && standing.ID != e.ID {
			return false, nil
		}
		// An id that was begun with again may stand elsewhere.
		err = g.table.Run(ctx, g.tx(stands(standing), change{standing, -1}))
		refused, ok := store.AsRefused(err)
		if !ok {
			return err == nil, err
		}
		guard, _ := refused.At(guardWrite)
		standing, err = g.Standing(e, guard)
		if errors.Is(err, plaza.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, plaza.ErrBusy
}

// Get reads the pair's edge of e's kind, strongly consistent: 1 RCU.
// plaza.ErrNotFound says that there is none.
func (g *Graph) Get(ctx context.Context, e Edge) (Edge, error) {
	var guard dynamo.Item
	if err := g.table.Get(ctx, g.GuardKey(e), true, &guard); err != nil {
		return Edge{}, err
	}
	return g.Standing(Edge{Tail: e.Tail, Head: e.Head, Kind: e.Kind}, guard)
}
