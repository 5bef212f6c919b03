package leaderboard

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Rank is the player's rank by the current score. It is exact once writers are
// quiet: the index that it counts may lag. A player who is hidden or not on the
// board is plaza.ErrNotFound.
//
// Cost: 1 request, 1 RCU for the entry; 2 requests a shard, 0.5 RCU each at least,
// as Count for the entries above.
func (r *Repository) Rank(ctx context.Context, in In, player string) (Rank, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Rank")
	if err := checkPlayer(in, player); err != nil {
		return Rank{}, err
	}
	var rank Rank
	s, e, err := r.shownEntry(ctx, in, player)
	if err == nil {
		rank, err = s.rank(ctx, e.Key)
	}
	if err != nil {
		return Rank{}, in.wrap("rank on", err)
	}
	return rank, nil
}

func (r *Repository) shownEntry(ctx context.Context, in In, player string) (standings, entryItem, error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return s, entryItem{}, err
	}
	e, err := s.entry(ctx, player)
	return s, e, err
}

// ranker counts the entries in a part of the standings.
type ranker interface {
	// count returns how many keys lie between two bounds, and as of when. A nil
	// bound leaves that end open. If both are given, neither is an entry's key.
	count(ctx context.Context, s standings, from, to []byte) (n int64, asOf time.Time, err error)
}

// counting is the ranker for Count. It reads the entries that it counts.
type counting struct{}

func (counting) count(ctx context.Context, s standings, from, to []byte) (int64, time.Time, error) {
	var sum atomic.Int64
	err := parallel.ForEach(ctx, s.period.shards, s.period.shards, func(ctx context.Context, shard int) error {
		part := shardPart(s.board.Name, s.period, shard)
		n, err := s.table.CountIndex(ctx, ranking, store.IndexSpan{Partition: part, From: from, To: to})
		sum.Add(n)
		return err
	})
	return sum.Load(), s.now, err
}

// rank returns the rank of an entry with the key.
func (s standings) rank(ctx context.Context, key []byte) (Rank, error) {
	var better, tied int64
	var rank Rank
	err := parallel.ForEach(ctx, 2, 2, func(ctx context.Context, part int) (err error) {
		if part == 0 {
			better, rank.AsOf, err = s.ranker.count(ctx, s, nil, key[:min(len(key), decided)])
		} else {
			tied, err = s.tiedAbove(ctx, key)
		}
		return err
	})
	rank.Competition = better + 1
	rank.Ordinal = rank.Competition + tied
	return rank, err
}

// tiedAbove returns how many entries above have an equal score and sub score.
func (s standings) tiedAbove(ctx context.Context, key []byte) (int64, error) {
	if len(key) <= decided { // damaged, so nobody shares it
		return 0, nil
	}
	n, _, err := s.ranker.count(ctx, s, key[:decided], before(key))
	return n, err
}
