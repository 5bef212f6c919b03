package leaderboard

import (
	"cmp"
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Count returns how many players are on the board, without hidden ones,
// eventually consistent. With RankByFold the number is as old as Position.AsOf.
//
// Cost: 1 request a shard, and 1 for each further MB, at least 0.5 RCU each; 1 RCU
// for each 8,192 bytes of the index, which are about 2·player + 2·part + name +
// meta + 40 an entry, part being board, period and shard joined. With RankByFold
// nothing but what In says.
func (r *Repository) Count(ctx context.Context, in In) (int64, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Count")
	if err := in.check(); err != nil {
		return 0, err
	}
	s, err := r.standings(ctx, in)
	if err != nil {
		return 0, in.wrap("count of", err)
	}
	n, err := s.count(ctx, nil, nil)
	return n, in.wrap("count of", err)
}

// CountBetween returns how many players have a score from low to high, both
// included, eventually consistent.
//
// Cost: as Count by counting, for these entries. With RankByFold up to 2 requests a
// shard, for up to 511 entries each.
func (r *Repository) CountBetween(ctx context.Context, in In, low, high Score) (int64, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.CountBetween")
	if err := in.check(); err != nil {
		return 0, err
	}
	if err := cmp.Or(checkNumber("low", low), checkNumber("high", high)); err != nil {
		return 0, err
	}
	if low.kind == high.kind && low.Compare(high) > 0 {
		return 0, &plaza.InvalidError{Field: "low", Reason: "is above high"}
	}
	n, err := r.countBetween(ctx, in, low, high)
	return n, in.wrap("count between scores of", err)
}

func (r *Repository) countBetween(ctx context.Context, in In, low, high Score) (int64, error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return 0, err
	}
	from, err := s.board.scoreBound("low", low)
	if err != nil {
		return 0, err
	}
	to, err := s.board.scoreBound("high", high)
	if err != nil {
		return 0, err
	}
	if s.board.Order == Descending {
		from, to = to, from
	}
	return s.count(ctx, from, store.Past(to))
}
