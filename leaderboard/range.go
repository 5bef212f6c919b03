package leaderboard

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Range gives n rows from the ordinal from on, which is 1 or more. n is as
// cursor.PageRequest.Limit has it.
//
// One read a shard where from+n is up to 129; the units are those of Count for
// so many entries, and for up to 128 more a shard.
func (r *Repository) Range(ctx context.Context, in In, from int64, n int) ([]Row, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	if from < 1 {
		return nil, &plaza.InvalidError{Field: "from", Reason: fmt.Sprintf("is %d, the first is 1", from)}
	}
	n, err := few(n)
	if err != nil {
		return nil, err
	}
	rows, err := r.rangeOf(ctx, in, from, n)
	return rows, in.wrap("range of", err)
}

func (r *Repository) rangeOf(ctx context.Context, in In, from int64, n int) ([]Row, error) {
	s, err := r.ladder(ctx, in)
	if err != nil {
		return nil, err
	}
	above := int(min(from-1, math.MaxInt32-cursor.MaxLimit))
	items, err := s.rows(ctx, store.IndexSpan{Ascending: true, Limit: above + n})
	if err != nil {
		return nil, err
	}
	rows := number(items, Rank{Ordinal: 1, Competition: 1, AsOf: s.now})
	return s.shown(rows[min(above, len(rows)):]), nil
}

// few is how many rows are meant by n.
func few(n int) (int, error) {
	if n < 0 {
		return 0, &plaza.InvalidError{Field: "n", Reason: fmt.Sprintf("is %d", n)}
	}
	return min(cmp.Or(n, cursor.DefaultLimit), cursor.MaxLimit), nil
}
