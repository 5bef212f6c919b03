package edge

import (
	"context"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
)

// Drift is how far what is stored of some ends is from being whole.
type Drift struct {
	// Heads and Tail are by how much the counts are above (or, if negative,
	// below) the edges. Heads has the kinds that are off.
	Heads    map[string]int64
	Tail     int64
	Counters int // that are wrong or missing
	Torn     int // edges that lack one of their three items, or have a wrong one
	Orphans  int // items without the other two of their edge
	Damaged  int // items that cannot be read; else they count as absent
}

func (d *Drift) add(e Drift) {
	for kind, n := range e.Heads {
		d.addHeads(kind, n)
	}
	d.Tail += e.Tail
	d.Counters += e.Counters
	d.Torn += e.Torn
	d.Orphans += e.Orphans
	d.Damaged += e.Damaged
}

func (d *Drift) addHeads(kind string, n int64) {
	if n == 0 {
		return
	}
	if d.Heads == nil {
		d.Heads = map[string]int64{}
	}
	if d.Heads[kind] += n; d.Heads[kind] == 0 {
		delete(d.Heads, kind)
	}
}

// Check compares counts, lists and edges, and changes nothing. Of an edge to
// the head whose item in the head's list is gone, Check of the tail tells.
// While the edges keep changing it is plaza.ErrBusy.
func (g *Graph) Check(ctx context.Context, of Ends) (Drift, error) {
	for range turns {
		drift, moved, err := g.checkOnce(ctx, of)
		if err != nil || !moved {
			return drift, err
		}
	}
	return Drift{}, plaza.ErrBusy
}

func (g *Graph) checkOnce(ctx context.Context, of Ends) (drift Drift, moved bool, err error) {
	found := func(dynamo.Item, []string) error {
		drift.Damaged++
		return nil
	}
	if of.Head == "" {
		err = g.suspects(ctx, of, nil, found, func(s suspect) error {
			p, err := g.steadyPartsOf(ctx, s)
			drift.add(p.cure().drift())
			return err
		})
		return drift, false, err
	}
	before, err := g.everyCounter(ctx, of.Head, found)
	if err != nil {
		return Drift{}, false, err
	}
	lists := g.listsOf(before)
	want, err := g.tally(ctx, of, lists)
	if err != nil {
		return Drift{}, false, err
	}
	err = g.suspects(ctx, of, lists, found, func(s suspect) error {
		p, err := g.partsOf(ctx, s)
		if err != nil {
			return err
		}
		cure := p.cure()
		drift.add(cure.drift())
		switch cure {
		case putInTail:
			want.tail++
		case dropFromTail:
			want.tail--
		case dropFromHead:
			want.heads[s.Place-1][s.Kind]--
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
