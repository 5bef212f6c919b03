package edge

import (
	"cmp"
	"context"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ByHead reads head's edges of these kinds within a reach, merged from all
// shards, strongly consistent. It takes one read of the counters, and one for
// each kind and shard.
func (g *Graph) ByHead(ctx context.Context, head string, kinds []string, reach store.Reach) (edges []Edge, rest string, err error) {
	shards, err := g.Shards(ctx, head)
	if err != nil {
		return nil, "", err
	}
	return merge(ctx, len(kinds)*len(shards), reach, func(ctx context.Context, i int) ([]Edge, string, error) {
		return g.ByShard(ctx, head, kinds[i/len(shards)], shards[i%len(shards)], reach)
	})
}

// ByTail is ByHead for the edges that lead from tail: one read for each kind.
func (g *Graph) ByTail(ctx context.Context, tail string, kinds []string, reach store.Reach) (edges []Edge, rest string, err error) {
	return merge(ctx, len(kinds), reach, func(ctx context.Context, i int) ([]Edge, string, error) {
		return g.read(ctx, g.tailPK(tail, kinds[i]), Edge{Tail: tail, Kind: kinds[i]}, reach)
	})
}

// ByShard reads one shard's edges of one kind within a reach.
func (g *Graph) ByShard(ctx context.Context, head, kind string, shard int, reach store.Reach) (edges []Edge, rest string, err error) {
	return g.read(ctx, g.headPK(head, kind, shard), Edge{Head: head, Kind: kind, Place: shard + 1}, reach)
}

func (g *Graph) read(ctx context.Context, pk string, like Edge, reach store.Reach) (edges []Edge, rest string, err error) {
	span := within(reach, like.Kind).Span(pk)
	span.Consistent = true
	rows, rest, err := store.Read[dynamo.Item](ctx, g.table, span)
	if err != nil {
		return nil, "", err
	}
	edges = make([]Edge, 0, len(rows))
	for _, row := range rows {
		e, err := g.listed(like, row)
		if g.table.Skips(err) {
			continue
		}
		edges = append(edges, e)
	}
	return edges, restOf(rest, like.Kind, reach.Ascending()), nil
}

// restOf converts the gap at which the read of one kind ended to a gap of the
// merged list of several kinds. If there is a damaged key it returns the
// nearest valid gap beyond, so that no number of such keys stops a reader.
func restOf(rest, kind string, ascending bool) string {
	if rest == "" {
		return ""
	}
	at, next := strings.CutSuffix(rest, after)
	if _, err := ids.Parse(at); err == nil {
		if rest = at + kind; next {
			rest += after
		}
		return rest
	}
	from := store.FirstID(rest)
	switch {
	case ascending && from > store.MaxID, !ascending && from == 0:
		return "" // no id is there
	case ascending:
		return from.String()
	}
	return (from - 1).String() + kind + after
}

// merge reads n lists of a reach as one.
func merge(ctx context.Context, n int, reach store.Reach, read func(ctx context.Context, list int) ([]Edge, string, error)) (edges []Edge, rest string, err error) {
	return store.Union[Edge]{
		Sources:   n,
		Ascending: reach.Ascending(),
		Read: func(ctx context.Context, list int, _ string) ([]Edge, string, error) {
			return read(ctx, list)
		},
		Place: func(e *Edge) string { return below(*e) },
		Compare: func(a, b *Edge) int {
			return cmp.Or(cmp.Compare(a.ID, b.ID), strings.Compare(a.Kind, b.Kind))
		},
	}.Rows(ctx, reach.Limit, 1)
}

// below is the gap below an edge. after, appended to a gap, makes the next one.
func below(e Edge) string { return e.ID.String() + e.Kind }

const after = "\x00"

// ByKind is the order of lists merged from several kinds: by id, then by kind,
// since edges of different kinds may have equal ids. A gap is an id and a kind.
func ByKind() store.Order[Edge] {
	return store.Order[Edge]{
		Below: below,
		Above: func(e Edge) string { return below(e) + after },
		Valid: func(gap string) bool {
			_, err := ids.Parse(gap[:min(len(gap), idSize)])
			return err == nil
		},
	}
}

// idSize is the length of an id's text.
const idSize = 13

// within converts a reach to the list of one kind, whose sort keys are just
// ids.
func within(reach store.Reach, kind string) store.Reach {
	if len(reach.Gap) <= idSize {
		return reach
	}
	gap, ofKind := reach.Gap[:idSize], reach.Gap[idSize:]
	if kind < ofKind { // the row of that id is below the gap
		gap += after
	}
	reach.Gap = gap
	return reach
}
