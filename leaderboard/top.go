package leaderboard

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Top lists the standings, the best first, eventually consistent. A player who
// overtakes a cursor may be missed or listed twice. A page that reaches the top
// counts its ranks again; other pages continue the ranks of the page before. A
// cursor belongs to one period: after a reset start without one.
//
// Cost: 1 request, 1 RCU a shard for 25 rows; up to six times that where many are
// damaged.
//
//plaza:cost 25 rows, each shard: 1 request, 1 RCU
//plaza:cost going up from within a tie, more: as Count for the tie
//plaza:cost where more players came in above the cursor than a page holds, more: as Rank
func (r *Repository) Top(ctx context.Context, in In, req cursor.PageRequest) (cursor.Page[Standing], error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Top")
	if err := in.checkPage(req); err != nil {
		return cursor.Page[Standing]{}, err
	}
	page, err := r.top(ctx, in, 0, req)
	return page, in.wrap("top of", err)
}

// TopPercent lists the best percent of all players, rounded up, as Top does.
// percent is above 0 and at most 100. The first page counts the players.
//
// Cost: as Top; as Count more for the first page.
func (r *Repository) TopPercent(ctx context.Context, in In, percent float64, req cursor.PageRequest) (cursor.Page[Standing], error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.TopPercent")
	if err := in.checkPage(req); err != nil {
		return cursor.Page[Standing]{}, err
	}
	if !(percent > 0 && percent <= 100) {
		return cursor.Page[Standing]{}, &plaza.InvalidError{Field: "percent", Reason: fmt.Sprintf("is %g, not above 0 and at most 100", percent)}
	}
	page, err := r.top(ctx, in, percent, req)
	return page, in.wrap("top percent of", err)
}

// top lists all players if percent is 0.
func (r *Repository) top(ctx context.Context, in In, percent float64, req cursor.PageRequest) (cursor.Page[Standing], error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return cursor.Page[Standing]{}, err
	}
	l := topList{standings: s}
	filter := ""
	if percent > 0 {
		filter = fmt.Sprint(percent)
		if req.Cursor == "" {
			n, err := s.count(ctx, nil, nil)
			if err != nil {
				return cursor.Page[Standing]{}, err
			}
			l.last = max(1, portion(n, percent))
		}
	}
	list := l.list(filter)
	list.Codec = r.opts.Codec
	return list.Page(ctx, req)
}

// portion returns a percentage of n, rounded up. It computes in decimal, so that 1.1% of
// 3,000 is 33.
func portion(n int64, percent float64) int64 {
	exact, _ := new(big.Rat).SetString(strconv.FormatFloat(percent, 'g', -1, 64))
	exact.Mul(exact, big.NewRat(n, 100))
	whole, rest := new(big.Int).QuoRem(exact.Num(), exact.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		return whole.Int64() + 1
	}
	return whole.Int64()
}

// topList pages through standings. Its gaps carry ranks, so that a page need not
// count the entries above it.
type topList struct {
	standings
	last int64 // the last ordinal; 0 means no limit
}

func (l *topList) list(filter string) store.List[rankedRow, Standing] {
	return store.List[rankedRow, Standing]{
		Scope: l.scope("top", filter),
		Read:  l.read,
		Order: store.Order[rankedRow]{
			Below: l.below,
			Above: l.above,
			Valid: func(text string) bool { _, ok := parseGap(text); return ok },
		},
		Show: func(_ context.Context, rows []rankedRow) ([]rankedRow, error) {
			return slices.DeleteFunc(rows, func(p rankedRow) bool { return l.skips(p.rowItem) }), nil
		},
		Item: rankedRow.row,
	}
}

func (l *topList) below(p rankedRow) string {
	return gap{p.position.Ordinal, p.position.Rank, l.last, store.After(p.Key)}.String()
}

func (l *topList) above(p rankedRow) string {
	return gap{p.position.Ordinal - 1, p.position.Rank, l.last, p.Key}.String()
}

func (l *topList) read(ctx context.Context, reach store.Reach) ([]rankedRow, string, error) {
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
	first := Position{Ordinal: at.above + 1, Rank: at.above + 1, AsOf: l.now}
	if tied(items[0].Key, at.key) {
		first.Rank = at.tie
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

// readUp returns the nearest rows first. If there are more than limit, it may leave
// out the farthest.
func (l *topList) readUp(ctx context.Context, at gap, limit int) ([]rankedRow, string, error) {
	items, more, err := l.round(ctx, store.IndexSpan{To: at.key, Limit: limit}, 1)
	if err != nil || len(items) == 0 {
		return nil, "", err
	}
	slices.Reverse(items)
	first := Position{Ordinal: 1, Rank: 1, AsOf: l.now}
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

// rankAbove returns the rank of the first of the items just above a gap. If possible,
// it is derived from the gap's rank, without counting.
func (l *topList) rankAbove(ctx context.Context, at gap, items []rowItem) (Position, error) {
	top := items[0].Key
	ordinal := at.above - int64(len(items)) + 1
	if ordinal < 1 || len(items) < 2 {
		return l.rank(ctx, top)
	}
	position := Position{Ordinal: ordinal, Rank: ordinal, AsOf: l.now}
	switch {
	case !tied(top, items[1].Key): // no other item shares it
	case tied(top, at.key) && at.tie <= ordinal:
		position.Rank = at.tie
	default:
		n, err := l.tiedAbove(ctx, top)
		if err != nil {
			return Position{}, err
		}
		position.Rank = max(1, ordinal-n)
	}
	return position, nil
}

// gap is a place between two rows.
type gap struct {
	above int64  // how many rows are above
	tie   int64  // the competition rank of entries tied with key
	last  int64  // topList.last
	key   []byte // keys above are smaller
}

// String is the form in a cursor: three varints and the key.
func (g gap) String() string {
	var b []byte
	for _, n := range []int64{g.above, g.tie, g.last} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return string(append(b, g.key...))
}

// parseGap reads the text of String. A forged gap that it accepts only harms the
// caller who forged it.
func parseGap(text string) (gap, bool) {
	b := []byte(text)
	var g gap
	for _, n := range []*int64{&g.above, &g.tie, &g.last} {
		v, size := binary.Uvarint(b)
		if size <= 0 || v > math.MaxInt64/2 {
			return gap{}, false
		}
		*n, b = int64(v), b[size:]
	}
	g.key = b
	ok := g.tie >= 1 && g.tie <= g.above+1 && len(b) > 0 && len(b) <= store.MaxIndexKey
	return g, ok
}

// Range returns n rows, of which the first has the ordinal from, 1 or more. n works
// as cursor.PageRequest.Limit does.
//
// Cost: 1 request, 1 RCU a shard for 25 rows; as Count for from+n entries and 128 more
// a shard; with RankByFold for 511+n.
//
//plaza:cost 25 of the first 129 rows, each shard: 1 request, 1 RCU
//plaza:cost by the fold, where many players are tied, more: as Rank
func (r *Repository) Range(ctx context.Context, in In, from int64, n int) ([]Standing, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Range")
	if err := cmp.Or(in.check(), args.AtLeast("from", from, 1)); err != nil {
		return nil, err
	}
	n, err := rowLimit(n)
	if err != nil {
		return nil, err
	}
	rows, err := r.rangeOf(ctx, in, from, n)
	return rows, in.wrap("range of", err)
}

func (r *Repository) rangeOf(ctx context.Context, in In, from int64, n int) ([]Standing, error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return nil, err
	}
	at, err := s.ranker.seek(ctx, s, from-1)
	if err != nil {
		return nil, err
	}
	skip := int(min(from-1-at.before, math.MaxInt32-cursor.MaxLimit))
	items, err := s.rows(ctx, store.IndexSpan{From: at.from, Ascending: true, Limit: skip + n})
	if err != nil {
		return nil, err
	}
	if len(items) <= skip {
		return []Standing{}, nil
	}
	first := at.asOf
	first.Ordinal = at.before + 1
	first.Rank = first.Ordinal
	if at.before > 0 && tied(items[0].Key, items[skip].Key) { // with entries before it too, perhaps
		better, err := s.count(ctx, nil, items[0].Key[:decided])
		if err != nil {
			return nil, err
		}
		first.Rank = min(better+1, first.Ordinal)
	}
	return s.shown(number(items, first)[skip:]), nil
}

// rowLimit applies the default and the maximum of cursor.PageRequest.Limit.
func rowLimit(n int) (int, error) {
	err := args.DefaultAtLeast("n", &n, cursor.DefaultLimit, 0)
	return min(n, cursor.MaxLimit), err
}
