package edge

import (
	"context"
	"hash/maphash"
	"iter"

	"github.com/plaza-sdk/plaza/internal/store"
)

// findTorn visits the edges of these ends whose items do not agree, and some
// that changed meanwhile. Damaged items count as absent; it calls damaged with
// each of them first. It returns the lists that have edges.
func (g *Graph) findTorn(ctx context.Context, of Ends, lists []place, damaged onDamaged, visit func(candidate) error) (filled []place, err error) {
	if of.Tail != "" {
		if err := g.findTornByTail(ctx, of.Tail, damaged, visit); err != nil {
			return nil, err
		}
	}
	for _, list := range lists {
		rows := 0
		err := g.compareRows(ctx, g.headList(ctx, of.Head, list.kind, list.shard, damaged), func(row, guard Edge) error {
			rows++
			if row == guard {
				return nil
			}
			return visit(candidate{Edge: row, byHead: true})
		})
		if err != nil {
			return nil, err
		}
		if rows > 0 {
			filled = append(filled, list)
		}
	}
	return filled, nil
}

func (g *Graph) findTornByTail(ctx context.Context, tail string, damaged onDamaged, visit func(candidate) error) error {
	paired, err := g.paired(ctx, tail, damaged)
	if err != nil {
		return err
	}
	if err := g.compareGuards(ctx, tail, paired, visit); err != nil || paired {
		return err
	}
	return g.compareRows(ctx, g.tailList(ctx, tail, nil), func(row, guard Edge) error {
		if row.ID == guard.ID {
			return nil
		}
		return visit(candidate{Edge: row})
	})
}

// paired reports whether the guards of tail and its lists hold the same edges.
// It compares sums of hashes, so it need not read each edge by key.
func (g *Graph) paired(ctx context.Context, tail string, damaged onDamaged) (bool, error) {
	seed := maphash.MakeSeed()
	var difference uint64
	for guards, err := range g.guards(ctx, tail, damaged) {
		if err != nil {
			return false, err
		}
		for _, e := range guards {
			e.Place = 0
			difference += maphash.Comparable(seed, e)
		}
	}
	for rows, err := range g.tailList(ctx, tail, damaged) {
		if err != nil {
			return false, err
		}
		for _, e := range rows {
			difference -= maphash.Comparable(seed, e)
		}
	}
	return difference == 0, nil
}

// compareGuards reads the list items of each guard. It reads those of the
// tail's lists only if guards and lists are not paired.
func (g *Graph) compareGuards(ctx context.Context, tail string, paired bool, visit func(candidate) error) error {
	for guards, err := range g.guards(ctx, tail, nil) {
		if err != nil {
			return err
		}
		var wanted []store.Key
		for _, e := range guards {
			wanted = append(wanted, g.HeadKey(e))
			if e.Place > 1 {
				wanted = append(wanted, g.CounterKey(e.Head, e.Place-1))
			}
			if !paired {
				wanted = append(wanted, g.TailKey(e))
			}
		}
		found, err := g.table.GetAll(ctx, wanted, true, checkParallel)
		if err != nil {
			return err
		}
		for _, e := range guards {
			open := e.Place == 1 || found[g.CounterKey(e.Head, e.Place-1)] != nil
			listed := open && textIn(found[g.HeadKey(e)][g.Tail]) == tail
			if listed && (paired || textIn(found[g.TailKey(e)][g.Head]) == e.Head) {
				continue
			}
			if err := visit(candidate{Edge: e}); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareRows compares each row of a list with the guard of its pair. guard is
// the zero Edge if there is none.
func (g *Graph) compareRows(ctx context.Context, list iter.Seq2[[]Edge, error], compare func(row, guard Edge) error) error {
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
			guard, err := g.Existing(row, found[wanted[i]])
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
