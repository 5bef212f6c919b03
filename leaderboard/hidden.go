package leaderboard

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Hidden lists who is hidden, the best first and without ranks, eventually
// consistent.
//
// Cost: 1 request, 0.5 to 1 RCU for 25; up to 6 where many are damaged.
func (r *Repository) Hidden(ctx context.Context, in In, req cursor.PageRequest) (cursor.Page[Row], error) {
	if err := in.checkPage(req); err != nil {
		return cursor.Page[Row]{}, err
	}
	s, err := r.ladder(ctx, in)
	if err != nil {
		return cursor.Page[Row]{}, in.wrap("hidden of", err)
	}
	list := store.List[rowItem, Row]{
		Codec: r.opts.Codec,
		Scope: s.scope("hidden", ""),
		Read:  s.readHidden,
		Order: store.Order[rowItem]{
			Below: func(i rowItem) string { return string(after(i.key)) },
			Above: func(i rowItem) string { return string(i.key) },
			Valid: func(gap string) bool { return len(gap) > 0 && len(gap) <= longest },
		},
		Show: func(_ context.Context, rows []rowItem) ([]rowItem, error) {
			return slices.DeleteFunc(rows, s.skips), nil
		},
		Item: func(i rowItem) Row { return placed{rowItem: i}.row() },
	}
	page, err := list.Page(ctx, req)
	return page, in.wrap("hidden of", err)
}

func (s ladder) readHidden(ctx context.Context, reach store.Reach) ([]rowItem, string, error) {
	span := store.IndexSpan{Partition: hiddenPart(s.board.Name, s.period), Ascending: !reach.Up, Limit: reach.Limit}
	if reach.Up {
		span.To = []byte(reach.Gap)
	} else {
		span.From = []byte(reach.Gap)
	}
	items, rest, err := store.ReadIndex[rowItem](ctx, s.table, ranking, span)
	for i := range items {
		items[i].read(s.board, s.period)
	}
	if rest != "" && span.Ascending {
		rest = string(after(items[len(items)-1].key))
	}
	return items, rest, err
}
