package leaderboard

import (
	"context"

	"github.com/plaza-sdk/plaza/internal/store"
)

// setVersion is one update on condition that the version is newer and the
// score another. What else there is to do needs the entry, which comes with
// the refusal.
func (r *Repository) setVersion(ctx context.Context, m move) (Result, error) {
	score, err := m.board.clamped(m.Score)
	if err != nil {
		return Result{}, err
	}
	update := r.replace(m, score).
		Set("version", m.Version).
		If("attribute_not_exists('version') OR 'version' < ?", m.Version).
		If("attribute_not_exists(lastOp) OR lastOp <> ?", m.Op).
		If("attribute_not_exists(removed) OR removed < ?", m.Op).
		If("attribute_not_exists('key') OR NOT begins_with('key', ?)", m.board.appendDecided(nil, score, m.Sub))
	var landed written
	err = r.table.Run(ctx, store.Returning{Update: update, Out: &landed})
	if refused, ok := store.AsRefused(err); ok {
		e, err := r.refusedEntry(refused)
		if err != nil {
			return Result{}, err
		}
		return r.change(ctx, m, e)
	}
	if err != nil {
		return Result{}, err
	}
	return m.landed(landed)
}
