package leaderboard

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ranker knows how many entries lie in a part of the standings.
type ranker interface {
	// count is how many keys lie between two bounds, as of a time. A bound is
	// nobody's key where both are given; nil leaves that end open.
	count(ctx context.Context, s ladder, from, to []byte) (n int64, asOf time.Time, err error)
}

// counting is Count: it reads what it counts.
type counting struct{}

func (counting) count(ctx context.Context, s ladder, from, to []byte) (int64, time.Time, error) {
	var sum atomic.Int64
	group, ctx := parallel.WithContext(ctx)
	for shard := range s.period.shards {
		group.Go(func() error {
			part := shardPart(s.board.Name, s.period, shard)
			n, err := s.table.CountIndex(ctx, ranking, store.IndexSpan{Partition: part, From: from, To: to})
			sum.Add(n)
			return err
		})
	}
	err := group.Wait()
	return sum.Load(), s.now, err
}

// rank is that of whoever has or had the key.
func (s ladder) rank(ctx context.Context, key []byte) (Rank, error) {
	var better, tied int64
	var rank Rank
	group, ctx := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		better, rank.AsOf, err = s.ranker.count(ctx, s, nil, key[:min(len(key), decided)])
		return err
	})
	group.Go(func() (err error) {
		tied, err = s.tiedAbove(ctx, key)
		return err
	})
	err := group.Wait()
	rank.Competition = better + 1
	rank.Ordinal = rank.Competition + tied
	return rank, err
}

// tiedAbove is how many of the same score and sub score stand above.
func (s ladder) tiedAbove(ctx context.Context, key []byte) (int64, error) {
	if len(key) <= decided { // damaged: nobody shares it
		return 0, nil
	}
	n, _, err := s.ranker.count(ctx, s, key[:decided], before(key))
	return n, err
}
