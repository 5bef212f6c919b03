package leaderboard

import (
	"cmp"
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// scoreBound returns the bound before all keys of a score.
func (b *board) scoreBound(field string, score Score) ([]byte, error) {
	if score.kind != b.Kind {
		return nil, &plaza.InvalidError{Field: field, Reason: "is not of the board's kind"}
	}
	return b.appendDecided(nil, score, 0)[:scored], nil
}

// scored is how many bytes of a key hold the score.
const scored = 8

// Rank returns the player's position by the current score. It is exact once nobody
// writes: the index lags, and a Folder's numbers may be older. A player who is hidden or
// not on the board is plaza.ErrNotFound.
//
// Cost: 1 request, 1 RCU, and 2 requests, 1 RCU a shard, as Count for the entries
// above; with RankByFold for up to 511.
//
//plaza:cost the entry: 1 request, 1 RCU
//plaza:cost each shard: 2 requests, 1 RCU
//plaza:cost by the fold, each shard, for 511 entries of 140 bytes: 1 request, 9 RCU
//plaza:cost by the fold, each shard, in a tie: 2 requests, 18 RCU
func (r *Repository) Rank(ctx context.Context, in In, player string) (Position, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Rank")
	if err := checkPlayer(in, player); err != nil {
		return Position{}, err
	}
	var position Position
	s, e, err := r.shownEntry(ctx, in, player)
	if err == nil {
		position, err = s.rank(ctx, e.Key)
	}
	if err != nil {
		return Position{}, in.wrap("rank on", err)
	}
	return position, nil
}

func (r *Repository) shownEntry(ctx context.Context, in In, player string) (standings, entryItem, error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return s, entryItem{}, err
	}
	e, err := s.entry(ctx, player)
	return s, e, err
}

// Count returns how many players are on the board, without hidden ones,
// eventually consistent. With RankByFold the number is as old as Position.AsOf.
//
// An entry takes some 2·player + 2·part + name + meta + 40 bytes of the index. Here
// part is board, period and shard, joined.
//
// Cost: 1 request a shard and 1 for each further MB, 1 RCU for each 8 KB of the index;
// with RankByFold none.
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
// Cost: as Count, for these entries; with RankByFold up to 2 requests a shard, for up
// to 511 entries each.
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
