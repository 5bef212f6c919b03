package leaderboard

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza/internal/store"
)

// topList pages through standings. Its gaps carry ranks, so that a page need
// not count what is above it.
type topList struct {
	ladder
	last int64 // the ordinal it ends with; 0: none
}

func (l *topList) list(filter string) store.List[Row, Row] {
	below := func(row Row) string {
		return gap{row.Rank.Ordinal, row.Rank.Competition, l.last, after(l.board.key(row))}.String()
	}
	above := func(row Row) string {
		return gap{row.Rank.Ordinal - 1, row.Rank.Competition, l.last, l.board.key(row)}.String()
	}
	return store.List[Row, Row]{
		Scope: l.scope("top", filter),
		Read: func(ctx context.Context, reach store.Reach) ([]Row, string, error) {
			rows, err := l.read(ctx, reach)
			switch {
			case err != nil || len(rows) < reach.Limit:
				return rows, "", err
			case reach.Up:
				return rows, above(rows[len(rows)-1]), nil
			}
			return rows, below(rows[len(rows)-1]), nil
		},
		Order: store.Order[Row]{
			Below: below,
			Above: above,
			Valid: func(text string) bool { _, ok := parseGap(text); return ok },
		},
		Item: func(row Row) Row { return row },
	}
}

func (l *topList) read(ctx context.Context, reach store.Reach) ([]Row, error) {
	var at gap
	if reach.Gap != "" {
		at, _ = parseGap(reach.Gap)
		l.last = at.last
	}
	if reach.Up {
		return l.readUp(ctx, at, reach.Limit)
	}
	items, err := l.rows(ctx, store.IndexSpan{From: at.key, Ascending: true, Limit: reach.Limit})
	if err != nil || len(items) == 0 {
		return nil, err
	}
	first := Rank{Ordinal: at.above + 1, Competition: at.above + 1, AsOf: l.now}
	if tied(items[0].Key, at.key) {
		first.Competition = at.tie
	}
	rows, err := l.board.number(items, first)
	if l.last > 0 {
		rows = rows[:min(int64(len(rows)), max(0, l.last-at.above))]
	}
	return rows, err
}

// readUp gives the nearest first. As many as the limit say that there are
// more, and the farthest of them is not shown.
func (l *topList) readUp(ctx context.Context, at gap, limit int) ([]Row, error) {
	items, err := l.rows(ctx, store.IndexSpan{To: at.key, Limit: limit})
	if err != nil {
		return nil, err
	}
	slices.Reverse(items)
	first := Rank{Ordinal: 1, Competition: 1, AsOf: l.now}
	if len(items) == limit {
		if first, err = l.rankAbove(ctx, at, items); err != nil {
			return nil, err
		}
	}
	rows, err := l.board.number(items, first)
	slices.Reverse(rows)
	return rows, err
}

// rankAbove is the rank of the first of the items that lie just above a gap,
// at least two: as the gap has it while that can be.
func (l *topList) rankAbove(ctx context.Context, at gap, items []rowItem) (Rank, error) {
	top := items[0].Key
	ordinal := at.above - int64(len(items)) + 1
	if ordinal < 1 {
		return l.rank(ctx, top)
	}
	rank := Rank{Ordinal: ordinal, Competition: ordinal, AsOf: l.now}
	switch {
	case !tied(top, items[1].Key): // nobody shown shares it
	case tied(top, at.key) && at.tie <= ordinal:
		rank.Competition = at.tie
	default:
		n, err := l.tiedAbove(ctx, top)
		if err != nil {
			return Rank{}, err
		}
		rank.Competition = max(1, ordinal-n)
	}
	return rank, nil
}
