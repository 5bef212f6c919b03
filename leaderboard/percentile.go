package leaderboard

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Percentile returns the share of players that this one is better than, in
// percent, rounded up: ⌈100·below/n⌉. Equal scores are not below. It is as exact
// as Rank.
//
// Cost: 1 request, 1 RCU; 2 requests a shard, as Count for all entries; with
// RankByFold 1 request a shard, for up to 511.
func (r *Repository) Percentile(ctx context.Context, in In, player string) (float64, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Percentile")
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
	bounds := [][]byte{nil, nil}
	if worse := store.Past(e.Key[:decided]); worse != nil {
		bounds = [][]byte{nil, worse, nil}
	}
	counts, _, err := s.ranker.count(ctx, s, bounds...)
	if err != nil {
		return 0, err
	}
	others, below := counts[0], int64(0)
	if len(counts) > 1 {
		below = counts[1]
	}
	n := below + max(1, others) // the index may lag behind the entry
	return float64((100*below + n - 1) / n), nil
}

// ScoreAt returns the score at a percentile, from 0 for the worst to 100 for the
// best, interpolated between two scores: the 87.5th of 1 to 5 is 4.5.
// Between infinities of both signs it is NaN. An empty board is
// plaza.ErrNotFound.
//
// Cost: as Count, and as Range from the place of that score to the nearer end. With
// RankByFold as Range for that place.
func (r *Repository) ScoreAt(ctx context.Context, in In, percentile float64) (float64, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.ScoreAt")
	if err := in.check(); err != nil {
		return 0, err
	}
	if !(percentile >= 0 && percentile <= 100) {
		return 0, &plaza.InvalidError{Field: "percentile", Reason: fmt.Sprintf("is %g, none of 0 to 100", percentile)}
	}
	score, err := r.scoreAt(ctx, in, percentile)
	return score, in.wrap("score at a percentile of", err)
}

// readTo reads rows down to a place that has better entries above it and worse below,
// from a bound near it or from the nearer end. It returns the indexes of that place
// and of the one above. At least one of the rows is undamaged, unless all are damaged.
func (s standings) readTo(ctx context.Context, better, worse int) (items []rowItem, places [2]int, err error) {
	isWhole := func(i rowItem) bool { return i.damage == nil }
	at, err := s.ranker.seek(ctx, s, max(0, int64(better-1)))
	if err != nil {
		return nil, places, err
	}
	if at.from != nil {
		places[0] = better - int(at.before)
		places[1] = places[0] - 1
		items, err = s.rows(ctx, store.IndexSpan{From: at.from, Ascending: true, Limit: places[0] + 1})
		if err != nil || slices.ContainsFunc(items, isWhole) {
			return items, places, err
		}
	}
	places = [2]int{better, better - 1}
	if better > worse {
		places = [2]int{worse, worse + 1}
	}
	for n := slices.Max(places[:]) + 1; ; n *= 2 {
		items, err = s.rows(ctx, store.IndexSpan{Ascending: better <= worse, Limit: n})
		if err != nil || len(items) < n || slices.ContainsFunc(items, isWhole) {
			return items, places, err
		}
	}
}

// nearest returns the item at a place, or the undamaged one nearest to it.
func (s standings) nearest(items []rowItem, place int) (rowItem, error) {
	for distance := range items {
		for _, i := range []int{place - distance, place + distance} {
			if i >= 0 && i < len(items) && !s.skips(items[i]) {
				return items[i], nil
			}
		}
	}
	return rowItem{}, plaza.ErrNotFound
}

func (r *Repository) scoreAt(ctx context.Context, in In, percentile float64) (float64, error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return 0, err
	}
	n, err := s.count(ctx, nil, nil)
	if err == nil && n == 0 {
		err = plaza.ErrNotFound
	}
	if err != nil {
		return 0, err
	}
	worse, fraction := math.Modf(float64(n-1) * percentile / 100)
	items, places, err := s.readTo(ctx, int(n)-1-int(worse), int(worse))
	if err != nil {
		return 0, err
	}
	var scores [2]float64
	for i, place := range places {
		item, err := s.nearest(items, max(0, min(place, len(items)-1)))
		if err != nil {
			return 0, err
		}
		scores[i] = item.at.score.Float64()
	}
	if fraction == 0 || scores[0] == scores[1] {
		return scores[0], nil
	}
	return scores[0]*(1-fraction) + scores[1]*fraction, nil
}
