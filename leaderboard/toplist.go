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

func (l *topList) list(filter string) store.List[placed, Row] {
	return store.List[placed, Row]{
		Scope: l.scope("top", filter),
		Read:  l.read,
		Order: store.Order[placed]{
			Below: l.below,
			Above: l.above,
			Valid: func(text string) bool { _, ok := parseGap(text); return ok },
		},
		Show: func(_ context.Context, rows []placed) ([]placed, error) {
			return slices.DeleteFunc(rows, func(p placed) bool { return l.skips(p.rowItem) }), nil
		},
		Item: placed.row,
	}
}

func (l *topList) below(p placed) string {
	return gap{p.rank.Ordinal, p.rank.Competition, l.last, after(p.key)}.String()
}

func (l *topList) above(p placed) string {
	return gap{p.rank.Ordinal - 1, p.rank.Competition, l.last, p.key}.String()
}

func (l *topList) read(ctx context.Context, reach store.Reach) ([]placed, string, error) {
	var at gap
	if reach.Gap != "" {
		at, _ = parseGap(reach.Gap)
		l.last = at.last
	}
	if reach.Up {
		return l.readUp(ctx, at, reach.Limit)
	}
	items, more, err := l.round(ctx, store.IndexSpan{From: at.key, Ascending: true, Limit: reach.Limit}, 1)
	if err != nil || len(items) == 0 {
		return nil, "", err
	}
	first := Rank{Ordinal: at.above + 1, Competition: at.above + 1, AsOf: l.now}
	if tied(items[0].key, at.key) {
		first.Competition = at.tie
	}
	rows := number(items, first)
	if left := max(0, l.last-at.above); l.last > 0 && int64(len(rows)) > left {
		rows, more = rows[:left], false
	}
	if !more {
		return rows, "", nil
	}
	return rows, l.below(rows[len(rows)-1]), nil
}

// readUp gives the nearest first. Where there are more, the farthest of them
// may not be shown.
func (l *topList) readUp(ctx context.Context, at gap, limit int) ([]placed, string, error) {
	items, more, err := l.round(ctx, store.IndexSpan{To: at.key, Limit: limit}, 1)
	if err != nil || len(items) == 0 {
		return nil, "", err
	}
	slices.Reverse(items)
	first := Rank{Ordinal: 1, Competition: 1, AsOf: l.now}
	if more {
		if first, err = l.rankAbove(ctx, at, items); err != nil {
			return nil, "", err
		}
	}
	rows := number(items, first)
	slices.Reverse(rows)
	if !more {
		return rows, "", nil
	}
	return rows, l.above(rows[len(rows)-1]), nil
}

// rankAbove is the rank of the first of the items that lie just above a gap:
// as the gap has it while that can be.
func (l *topList) rankAbove(ctx context.Context, at gap, items []rowItem) (Rank, error) {
	top := items[0].key
	ordinal := at.above - int64(len(items)) + 1
	if ordinal < 1 || len(items) < 2 {
		return l.rank(ctx, top)
	}
	rank := Rank{Ordinal: ordinal, Competition: ordinal, AsOf: l.now}
	switch {
	case !tied(top, items[1].key): // nobody shown shares it
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
