package edge

import (
	"context"
	"iter"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/store"
)

// onDamaged is called with a damaged item and the names of its damaged
// attributes. "pk" as the first means the whole item. A nil onDamaged ignores
// damage.
type onDamaged func(item dynamo.Item, attributes []string) error

func (f onDamaged) call(item dynamo.Item, attributes ...string) error {
	if f == nil || len(attributes) == 0 {
		return nil
	}
	return f(item, attributes)
}

// guards reads the edges of tail from their guards.
func (g *Graph) guards(ctx context.Context, tail string, damaged onDamaged) iter.Seq2[[]Edge, error] {
	return func(yield func([]Edge, error) bool) {
		for items, err := range g.items(ctx, g.guardPK(tail)) {
			var edges []Edge
			for i := 0; i < len(items) && err == nil; i++ {
				held, attributes := g.edgesOf(tail, items[i])
				edges = append(edges, held...)
				err = damaged.call(items[i], attributes...)
			}
			if !yield(edges, err) || err != nil {
				return
			}
		}
	}
}

// tailList reads the edges of tail from its lists. They have no Place.
func (g *Graph) tailList(ctx context.Context, tail string, damaged onDamaged) iter.Seq2[[]Edge, error] {
	return func(yield func([]Edge, error) bool) {
		for _, kind := range g.Kinds {
			for edges, err := range g.list(ctx, g.tailPK(tail, kind), Edge{Tail: tail, Kind: kind}, damaged) {
				if !yield(edges, err) || err != nil {
					return
				}
			}
		}
	}
}

// headList reads the edges to head from a shard of the list of kind.
func (g *Graph) headList(ctx context.Context, head, kind string, shard int, damaged onDamaged) iter.Seq2[[]Edge, error] {
	return g.list(ctx, g.headPK(head, kind, shard), Edge{Head: head, Kind: kind, Place: shard + 1}, damaged)
}

// list reads the edges of a list. like has the fields that they share.
func (g *Graph) list(ctx context.Context, pk string, like Edge, damaged onDamaged) iter.Seq2[[]Edge, error] {
	return func(yield func([]Edge, error) bool) {
		named := g.Head
		if like.Tail == "" {
			named = g.Tail
		}
		for items, err := range g.items(ctx, pk) {
			edges := make([]Edge, 0, len(items))
			for i := 0; i < len(items) && err == nil; i++ {
				if e, damage := g.listed(like, items[i]); damage != nil {
					err = damaged.call(items[i], "pk", named)
				} else {
					edges = append(edges, e)
				}
			}
			if !yield(edges, err) || err != nil {
				return
			}
		}
	}
}

// items reads a partition strongly consistently, from the last sort key down.
func (g *Graph) items(ctx context.Context, pk string) iter.Seq2[[]dynamo.Item, error] {
	return store.Pages[dynamo.Item](ctx, g.table, store.Span{PK: pk, Consistent: true})
}

func countEdges(pages iter.Seq2[[]Edge, error]) (n int64, err error) {
	for edges, err := range pages {
		if err != nil {
			return 0, err
		}
		n += int64(len(edges))
	}
	return n, nil
}
