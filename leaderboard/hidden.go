package leaderboard

import (
	"context"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Hidden lists who is hidden, the best first and without ranks, eventually
// consistent.
//
// One read, 0.5 to 1 RCU for 25.
func (r *Repository) Hidden(ctx context.Context, in In, req cursor.PageRequest) (cursor.Page[Row], error) {
	if err := in.checkPage(req); err != nil {
		return cursor.Page[Row]{}, err
	}
	s, err := r.ladder(ctx, in)
	if err != nil {
		return cursor.Page[Row]{}, in.wrap("hidden of", err)
	}
	list := store.List[Row, Row]{
		Codec: r.opts.Codec,
		Scope: s.scope("hidden", ""),
		Read:  s.readHidden,
		Order: store.Order[Row]{
			Below: func(row Row) string { return string(after(s.board.key(row))) },
			Above: func(row Row) string { return string(s.board.key(row)) },
			Valid: func(gap string) bool { return len(gap) > prefixed && len(gap) <= prefixed+keys.MaxName+1 },
		},
		Item: func(row Row) Row { return row },
	}
	page, err := list.Page(ctx, req)
	return page, in.wrap("hidden of", err)
}

func (s ladder) readHidden(ctx context.Context, reach store.Reach) ([]Row, string, error) {
	span := store.IndexSpan{Partition: hiddenPart(s.board.Name, s.period), Ascending: !reach.Up, Limit: reach.Limit}
	if reach.Up {
		span.To = []byte(reach.Gap)
	} else {
		span.From = []byte(reach.Gap)
	}
	items, rest, err := store.ReadIndex[rowItem](ctx, s.table, ranking, span)
	if err != nil {
		return nil, "", err
	}
	rows := make([]Row, len(items))
	for i, item := range items {
		if rows[i], err = s.board.row(item); err != nil {
			return nil, "", err
		}
	}
	return rows, rest, nil
}
