package edge

import (
	"context"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
)

// Check compares counts, lists and edges, and changes nothing. If an edge's item in the
// head's list is gone, only Check of its tail finds it. If the edges keep changing, the
// error is plaza.ErrBusy.
//
// Cost: 1 request for about 100 edges, 1 RCU for each edge and 1 for about 20.
func (g *Graph) Check(ctx context.Context, of Ends) (Drift, error) {
	for range attempts {
		drift, moved, err := g.checkOnce(ctx, of)
		if err != nil || !moved {
			return drift, err
		}
	}
	return Drift{}, plaza.ErrBusy
}

func (g *Graph) checkOnce(ctx context.Context, of Ends) (drift Drift, moved bool, err error) {
	damaged := func(dynamo.Item, []string) error {
		drift.Damaged++
		return nil
	}
	if of.Head == "" {
		_, err = g.findTorn(ctx, of, nil, damaged, func(c candidate) error {
			s, err := g.readSteadyState(ctx, c)
			drift.add(s.fix().drift())
			return err
		})
		return drift, false, err
	}
	before, err := g.everyCounter(ctx, of.Head, damaged)
	if err != nil {
		return Drift{}, false, err
	}
	lists := g.listsOf(before)
	want, err := g.countLists(ctx, of, lists)
	if err != nil {
		return Drift{}, false, err
	}
	_, err = g.findTorn(ctx, of, lists, damaged, func(c candidate) error {
		s, err := g.readState(ctx, c)
		if err != nil {
			return err
		}
		fix := s.fix()
		drift.add(fix.drift())
		switch fix {
		case putInTail:
			want.tail++
		case dropFromTail:
			want.tail--
		case dropFromHead:
			want.heads[c.Place-1][c.Kind]--
		}
		return nil
	})
	if err != nil {
		return Drift{}, false, err
	}
	for _, c := range corrections(before, want) {
		drift.add(c.drift())
	}
	after, err := g.everyCounter(ctx, of.Head, nil)
	return drift, !slices.EqualFunc(before, after, counter.sameVersion), err
}
