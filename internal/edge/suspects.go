package edge

import (
	"context"
	"hash/maphash"
	"iter"

	"github.com/plaza-sdk/plaza/internal/store"
)

// checkParallel is how many requests a Check, Repair or Erase runs at once.
const checkParallel = 8

// suspect is an edge that may be torn, placed where its guard or the list of
// its head says, wherever it was found.
type suspect struct {
	Edge
	byHead bool // found in the head's list
}

// suspects visits the edges of these ends whose items do not agree, and some
// that were changed meanwhile. Items that are damaged count as absent; found is
// called with each of them before.
func (g *Graph) suspects(ctx context.Context, of Ends, lists []place, found found, visit func(suspect) error) error {
	if of.Tail != "" {
		if err := g.tailSuspects(ctx, of.Tail, found, visit); err != nil {
			return err
		}
	}
	for _, list := range lists {
		err := g.suspectRows(ctx, g.headList(ctx, of.Head, list.kind, list.shard, found), func(row, guard Edge) error {
			if row == guard {
				return nil
			}
			return visit(suspect{Edge: row, byHead: true})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *Graph) tailSuspects(ctx context.Context, tail string, found found, visit func(suspect) error) error {
	paired, err := g.paired(ctx, tail, found)
	if err != nil {
		return err
	}
	if err := g.suspectGuards(ctx, tail, paired, visit); err != nil || paired {
		return err
	}
	return g.suspectRows(ctx, g.tailList(ctx, tail, nil), func(row, guard Edge) error {
		if row.ID == guard.ID {
			return nil
		}
		return visit(suspect{Edge: row})
	})
}

// paired reports whether the guards of tail and its lists are of the same
// edges: they are if their hashes add up to the same. It spares reading each
// by key.
func (g *Graph) paired(ctx context.Context, tail string, found found) (bool, error) {
	seed := maphash.MakeSeed()
	var difference uint64
	for guards, err := range g.guards(ctx, tail, found) {
		if err != nil {
			return false, err
		}
		for _, e := range guards {
			e.Place = 0
			difference += maphash.Comparable(seed, e)
		}
	}
	for rows, err := range g.tailList(ctx, tail, found) {
		if err != nil {
			return false, err
		}
		for _, e := range rows {
			difference -= maphash.Comparable(seed, e)
		}
	}
	return difference == 0, nil
}

// suspectGuards looks for the list items of each guard; for those of the
// tail's lists only where guards and lists are not paired.
func (g *Graph) suspectGuards(ctx context.Context, tail string, paired bool, visit func(suspect) error) error {
	for guards, err := range g.guards(ctx, tail, nil) {
		if err != nil {
			return err
		}
		var wanted []store.Key
		for _, e := range guards {
			wanted = append(wanted, g.HeadKey(e))
			if !paired {
				wanted = append(wanted, g.TailKey(e))
			}
		}
		found, err := g.table.GetAll(ctx, wanted, true, checkParallel)
		if err != nil {
			return err
		}
		for _, e := range guards {
			listed := textIn(found[g.HeadKey(e)][g.Tail]) == tail
			if listed && (paired || textIn(found[g.TailKey(e)][g.Head]) == e.Head) {
				continue
			}
			if err := visit(suspect{Edge: e}); err != nil {
				return err
			}
		}
	}
	return nil
}

// suspectRows sets each row of a list against the guard of its pair, which is
// the zero Edge where there is none.
func (g *Graph) suspectRows(ctx context.Context, list iter.Seq2[[]Edge, error], compare func(row, guard Edge) error) error {
	for rows, err := range list {
		if err != nil {
			return err
		}
		wanted := make([]store.Key, len(rows))
		for i, row := range rows {
			wanted[i] = g.GuardKey(row)
		}
		found, err := g.table.GetAll(ctx, wanted, true, checkParallel)
		if err != nil {
			return err
		}
		for i, row := range rows {
			guard, err := g.Standing(row, found[wanted[i]])
			if err != nil { // not there, or damaged
				guard = Edge{}
			}
			if err := compare(row, guard); err != nil {
				return err
			}
		}
	}
	return nil
}
