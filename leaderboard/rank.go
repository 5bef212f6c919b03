package leaderboard

import (
	"context"

	"github.com/plaza-sdk/plaza/internal/parallel"
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
	s, e, err := r.ladderOf(ctx, in, player)
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
	s, e, err := r.ladderOf(ctx, in, player)
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

func (r *Repository) ladderOf(ctx context.Context, in In, player string) (ladder, entryItem, error) {
	s, err := r.ladder(ctx, in)
	if err != nil {
		return s, entryItem{}, err
	}
	e, err := s.entry(ctx, player)
	return s, e, err
}
