package leaderboard

import (
	"context"
	"fmt"
	"math/big"
	"strconv"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// Top lists the standings, the best first, eventually consistent. Somebody who
// overtakes a cursor may be missed or met twice; a page that reaches the top
// counts its ranks anew, others go on from those of the page before. A cursor
// is of one period: after a reset the current one needs a new cursor.
//
// Cost: 1 read a shard, 0.5 to 1 RCU each for 25 rows; upwards one more a shard
// where the page begins amid a tie, and as Rank where more came in above the
// cursor than a page holds. Where many are damaged up to 6 reads a shard.
func (r *Repository) Top(ctx context.Context, in In, req cursor.PageRequest) (cursor.Page[Row], error) {
	if err := in.checkPage(req); err != nil {
		return cursor.Page[Row]{}, err
	}
	page, err := r.top(ctx, in, 0, req)
	return page, in.wrap("top of", err)
}

// TopPercent lists the best percent of all, rounded up, as Top does. Percent is
// above 0 and at most 100. How many that are is counted for the first page.
//
// Top, and Count for the first page.
func (r *Repository) TopPercent(ctx context.Context, in In, percent float64, req cursor.PageRequest) (cursor.Page[Row], error) {
	if err := in.checkPage(req); err != nil {
		return cursor.Page[Row]{}, err
	}
	if !(percent > 0 && percent <= 100) {
		return cursor.Page[Row]{}, &plaza.InvalidError{Field: "percent", Reason: fmt.Sprintf("is %g, not above 0 and at most 100", percent)}
	}
	page, err := r.top(ctx, in, percent, req)
	return page, in.wrap("top percent of", err)
}

// top lists all where percent is 0.
func (r *Repository) top(ctx context.Context, in In, percent float64, req cursor.PageRequest) (cursor.Page[Row], error) {
	s, err := r.ladder(ctx, in)
	if err != nil {
		return cursor.Page[Row]{}, err
	}
	l := topList{ladder: s}
	filter := ""
	if percent > 0 {
		filter = fmt.Sprint(percent)
		if req.Cursor == "" {
			n, _, err := s.ranker.count(ctx, s, nil, nil)
			if err != nil {
				return cursor.Page[Row]{}, err
			}
			l.last = max(1, share(n, percent))
		}
	}
	list := l.list(filter)
	list.Codec = r.opts.Codec
	return list.Page(ctx, req)
}

// share is a percentage of n, rounded up. The percentage counts as it is
// written in decimal: 1.1% of 3,000 are 33.
func share(n int64, percent float64) int64 {
	exact, _ := new(big.Rat).SetString(strconv.FormatFloat(percent, 'g', -1, 64))
	exact.Mul(exact, big.NewRat(n, 100))
	whole, rest := new(big.Int).QuoRem(exact.Num(), exact.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		return whole.Int64() + 1
	}
	return whole.Int64()
}
