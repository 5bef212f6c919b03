package leaderboard

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// keepBest is one update on condition that the score is better. It needs no
// memory of operations: repeating one can only meet itself or what is better.
func (r *Repository) keepBest(ctx context.Context, m move) (Result, error) {
	score, err := m.board.clamped(m.Score)
	if err != nil {
		return Result{}, err
	}
	update := r.replace(m, score).
		If("attribute_not_exists('key') OR 'key' > ? AND size('key') = ?", m.worse(score), prefixed+len(m.Player)). // or it is damaged
		If("attribute_not_exists(lastOp) OR lastOp <> ?", m.Op).
		If("attribute_not_exists(removed) OR removed < ?", m.Op)
	var landed written
	err = r.table.Run(ctx, store.Returning{Update: update, Out: &landed})
	refused, ok := store.AsRefused(err)
	switch {
	case err == nil:
		return m.landed(landed)
	case !ok:
		return Result{}, err
	}
	e, err := r.refusedEntry(refused)
	switch {
	case err != nil:
		return Result{}, err
	case e.LastOp == m.Op:
		return m.again(*e)
	case e.Removed >= m.Op:
		return Result{}, plaza.ErrRemoved
	case m.renames(m.orderKey(score), *e):
		return r.change(ctx, m, e)
	}
	return m.unmoved(*e)
}
