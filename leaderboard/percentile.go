package leaderboard

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ScoreAt is the score at a percentile, 0 for the worst to 100 for the best,
// between two scores in proportion: the 87.5th of 1 to 5 is 4.5. Between
// infinities of both signs it is NaN. Where nobody stands it is
// plaza.ErrNotFound.
//
// As Count, and then for the entries from there to the nearer end.
func (r *Repository) ScoreAt(ctx context.Context, in In, percentile float64) (float64, error) {
	if err := in.check(); err != nil {
		return 0, err
	}
	if !(percentile >= 0 && percentile <= 100) {
		return 0, &plaza.InvalidError{Field: "percentile", Reason: fmt.Sprintf("is %g, none of 0 to 100", percentile)}
	}
	score, err := r.scoreAt(ctx, in, percentile)
	return score, in.wrap("score at a percentile of", err)
}

// some reads n rows from the best or the worst, and more while all are damaged.
func (s standings) some(ctx context.Context, fromBest bool, n int) ([]rowItem, error) {
	for ; ; n *= 2 {
		items, err := s.rows(ctx, store.IndexSpan{Ascending: fromBest, Limit: n})
		whole := slices.ContainsFunc(items, func(i rowItem) bool { return i.damage == nil })
		if err != nil || whole || len(items) < n {
			return items, err
		}
	}
}

// nearest is the item at a place, or the next one to it that is not damaged.
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
	n, _, err := s.ranker.count(ctx, s, nil, nil)
	if err == nil && n == 0 {
		err = plaza.ErrNotFound
	}
	if err != nil {
		return 0, err
	}
	whole, fraction := math.Modf(float64(n-1) * percentile / 100)
	places := [2]int{int(whole), int(whole) + 1} // from the worst
	fromBest := percentile > 50
	if fromBest {
		places = [2]int{int(n) - 1 - places[0], int(n) - 1 - places[1]}
	}
	items, err := s.some(ctx, fromBest, max(places[0], places[1])+1)
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
