package leaderboard

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Rank is the player's place by the score that stands now. It is exact once
// writers are quiet: the index it counts may lag. Who is hidden or not on the
// board is plaza.ErrNotFound.
//
// A get of 1 RCU and two reads a shard, 0.5 RCU each at least: as Count for
// the entries above.
func (r *Repository) Rank(ctx context.Context, in In, player string) (Rank, error) {
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

// Percentile is how many in a hundred the player is better than, rounded up:
// ⌈100·below/n⌉, ties not being below. It is as exact as Rank.
//
// A get of 1 RCU and two reads a shard: as Count.
func (r *Repository) Percentile(ctx context.Context, in In, player string) (float64, error) {
	if err := checkPlayer(in, player); err != nil {
		return 0, err
	}
	percentile, err := r.percentile(ctx, in, player)
	return percentile, in.wrap("percentile on", err)
}

func (r *Repository) percentile(ctx context.Context, in In, player string) (float64, error) {
	s, e, err := r.shownEntry(ctx, in, player)
	if err != nil {
		return 0, err
	}
	worse := past(e.Key[:decided])
	var others, below int64
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		others, _, err = s.ranker.count(groupCtx, s, nil, worse)
		return err
	})
	if worse != nil {
		group.Go(func() (err error) {
			below, _, err = s.ranker.count(groupCtx, s, worse, nil)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	n := below + max(1, others) // the index may lag behind the entry
	return float64((100*below + n - 1) / n), nil
}

func (r *Repository) shownEntry(ctx context.Context, in In, player string) (standings, entryItem, error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return s, entryItem{}, err
	}
	e, err := s.entry(ctx, player)
	return s, e, err
}

// ranker knows how many entries lie in a part of the standings.
type ranker interface {
	// count is how many keys lie between two bounds, as of a time. A bound is
	// nobody's key where both are given; nil leaves that end open.
	count(ctx context.Context, s standings, from, to []byte) (n int64, asOf time.Time, err error)
}

// counting is Count: it reads what it counts.
type counting struct{}

func (counting) count(ctx context.Context, s standings, from, to []byte) (int64, time.Time, error) {
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
func (s standings) rank(ctx context.Context, key []byte) (Rank, error) {
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
func (s standings) tiedAbove(ctx context.Context, key []byte) (int64, error) {
	if len(key) <= decided { // damaged: nobody shares it
		return 0, nil
	}
	n, _, err := s.ranker.count(ctx, s, key[:decided], before(key))
	return n, err
}
