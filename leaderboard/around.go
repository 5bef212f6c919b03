package leaderboard

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Around returns n rows that include the player, ⌊(n-1)/2⌋ of them above the
// player if there are enough on both sides. n works as cursor.PageRequest.Limit
// does. The player's own row is strongly consistent. A player who is hidden or
// not on the board is plaza.ErrNotFound.
//
// Cost: 1 request, 1 RCU, and 2 requests a shard, 0.5 RCU each for 25 rows; as Rank
// more unless the top is within n.
func (r *Repository) Around(ctx context.Context, in In, player string, n int) ([]Standing, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Around")
	if err := checkPlayer(in, player); err != nil {
		return nil, err
	}
	n, err := rowLimit(n)
	if err != nil {
		return nil, err
	}
	rows, err := r.around(ctx, in, player, n)
	return rows, in.wrap("around on", err)
}

func (r *Repository) around(ctx context.Context, in In, player string, n int) ([]Standing, error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return nil, err
	}
	e, err := s.entry(ctx, player)
	if err != nil {
		return nil, err
	}
	own := s.item(player, e)
	return s.neighbours(ctx, e.Key, &own, n)
}

// AroundScore returns n rows around the place of a score, ⌊(n-1)/2⌋ of them better
// if there are enough. The score is of the board's kind. n works as
// cursor.PageRequest.Limit does.
//
// Cost: 2 requests a shard, 0.5 RCU each for 25 rows; as Rank more unless the top is
// within n.
func (r *Repository) AroundScore(ctx context.Context, in In, score Score, n int) ([]Standing, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.AroundScore")
	if err := in.check(); err != nil {
		return nil, err
	}
	if err := checkNumber("score", score); err != nil {
		return nil, err
	}
	n, err := rowLimit(n)
	if err != nil {
		return nil, err
	}
	rows, err := r.aroundScore(ctx, in, score, n)
	return rows, in.wrap("around a score on", err)
}

func (r *Repository) aroundScore(ctx context.Context, in In, score Score, n int) ([]Standing, error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return nil, err
	}
	from, err := s.board.scoreBound("score", score)
	if err != nil {
		return nil, err
	}
	return s.neighbours(ctx, from, nil, n)
}

// neighbours returns n rows around a bound. The index's row of the player in own is
// ignored, because it may be outdated.
func (s standings) neighbours(ctx context.Context, at []byte, own *rowItem, n int) ([]Standing, error) {
	var above, below []rowItem
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		above, err = s.rows(groupCtx, store.IndexSpan{To: at, Limit: n})
		return err
	})
	group.Go(func() (err error) {
		below, err = s.rows(groupCtx, store.IndexSpan{From: at, Ascending: true, Limit: n})
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	toTop := len(above) < n
	if own != nil {
		same := func(i rowItem) bool { return i.item() == own.item() }
		above = slices.DeleteFunc(above, same)
		below = append([]rowItem{*own}, slices.DeleteFunc(below, same)...)
	}
	slices.Reverse(above)
	items := slices.Concat(above, below)
	if len(items) == 0 {
		return []Standing{}, nil
	}

	first := Position{Ordinal: 1, Rank: 1, AsOf: s.now}
	if !toTop {
		var err error
		if first, err = s.rank(ctx, items[0].Key); err != nil {
			return nil, err
		}
	}
	better := len(above)
	for _, item := range above {
		if item.damage != nil {
			better--
		}
	}
	rows := s.shown(number(items, first))
	start := better - min(better, (n-1)/2)
	start = max(0, min(start, len(rows)-n))
	return rows[start:min(len(rows), start+n)], nil
}
