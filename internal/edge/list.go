package edge

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ByHead reads what a reach has of head's edges of these kinds, merged from
// all shards, strongly consistent: one read of the counters, and one for each
// kind and shard.
func (g *Graph) ByHead(ctx context.Context, head string, kinds []string, reach store.Reach) ([]Edge, error) {
	shards, err := g.Shards(ctx, head)
	if err != nil {
		return nil, err
	}
	return merge(ctx, len(kinds)*len(shards), reach, func(ctx context.Context, i int) ([]Edge, error) {
		return g.ByShard(ctx, head, kinds[i/len(shards)], shards[i%len(shards)], reach)
	})
}

// ByTail is ByHead for the edges that lead from tail: one read for each kind.
func (g *Graph) ByTail(ctx context.Context, tail string, kinds []string, reach store.Reach) ([]Edge, error) {
	return merge(ctx, len(kinds), reach, func(ctx context.Context, i int) ([]Edge, error) {
		return g.read(ctx, g.tailPK(tail, kinds[i]), Edge{Tail: tail, Kind: kinds[i]}, reach)
	})
}

// ByShard reads what a reach has of one shard's edges of one kind.
func (g *Graph) ByShard(ctx context.Context, head, kind string, shard int, reach store.Reach) ([]Edge, error) {
	return g.read(ctx, g.headPK(head, kind, shard), Edge{Head: head, Kind: kind, Place: shard + 1}, reach)
}

func (g *Graph) read(ctx context.Context, pk string, like Edge, reach store.Reach) ([]Edge, error) {
	span := within(reach, like.Kind).Span(pk)
	span.Consistent = true
	rows, err := store.Query[dynamo.Item](ctx, g.table, span)
	if err != nil {
		return nil, err
	}
	edges := make([]Edge, len(rows))
	for i, row := range rows {
		if edges[i], err = g.listed(like, row); err != nil {
			return nil, err
		}
	}
	return edges, nil
}

// merge puts n lists of a reach in order.
func merge(ctx context.Context, n int, reach store.Reach, read func(context.Context, int) ([]Edge, error)) ([]Edge, error) {
	if n == 1 {
		return read(ctx, 0)
	}
	lists := make([][]Edge, n)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(MaxShards)
	for i := range lists {
		group.Go(func() (err error) {
			lists[i], err = read(ctx, i)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	edges := slices.Concat(lists...)
	slices.SortFunc(edges, func(a, b Edge) int {
		if reach.Up {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(b.ID, a.ID), strings.Compare(b.Kind, a.Kind))
	})
	return edges[:min(len(edges), reach.Limit)], nil
}

// ByKind is the order of lists merged from several kinds, of which edges may
// have one id: by id, then by kind. A gap is an id and a kind.
func ByKind() store.Order[Edge] {
	below := func(e Edge) string { return e.ID.String() + e.Kind }
	return store.Order[Edge]{
		Below: below,
		Above: func(e Edge) string { return below(e) + "\x00" },
		Valid: func(gap string) bool {
			_, err := ids.Parse(gap[:min(len(gap), idSize)])
			return err == nil
		},
	}
}

// idSize is the length of an id's text.
const idSize = 13

// within is the reach in the list of one kind, whose sort keys are ids alone.
func within(reach store.Reach, kind string) store.Reach {
	if len(reach.Gap) <= idSize {
		return reach
	}
	gap, ofKind := reach.Gap[:idSize], reach.Gap[idSize:]
	if kind < ofKind { // the row of that id lies below the gap
		if id, err := ids.Parse(gap); err == nil {
			gap = (id + 1).String()
		}
	}
	reach.Gap = gap
	return reach
}
