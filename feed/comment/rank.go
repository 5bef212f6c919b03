package comment

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Rank asks Options.Score of a comment of the object's own list and gives it
// its place in Top, also where it had none. It reports whether it moved. Called
// after every change of a score, or later for those that changed, it leaves Top exact
// once scores are quiet, however many call at once. One whose score goes on
// changing is plaza.ErrBusy: it moved, and wants to be ranked again. After any
// other error repeat it too: what was sent may still arrive, and the place is
// then that of an older score until the next Rank.
//
// Cost: 1 request, 1 RCU; where the score changed 3 requests, 2 RCU and 6 WCU:
// it is read again, to see that it did not change meanwhile.
func (r *Repository) Rank(ctx context.Context, at At) (moved bool, err error) {
	if err := r.checkScored(); err != nil {
		return false, err
	}
	if err := at.checkRoot(); err != nil {
		return false, err
	}
	for range rankTurns {
		changed, err := r.rank(ctx, at)
		if err != nil {
			return moved, wrap("rank", at, err)
		}
		if !changed {
			return moved, nil
		}
		moved = true
	}
	return moved, wrap("rank", at, plaza.ErrBusy)
}

// rankTurns bounds how often a score may change under Rank.
const rankTurns = 3

// rank is done once what it asks is what is stored. What it wrote it asks
// again: a score read before somebody else's may be written after it.
func (r *Repository) rank(ctx context.Context, at At) (changed bool, err error) {
	err = r.change(ctx, at, func(seen, _ row) (store.Write, error) {
		changed = false
		if seen.Removed != nil {
			return nil, plaza.ErrRemoved
		}
		score, err := r.opts.Score(ctx, at)
		if err != nil || seen.Score != nil && *seen.Score == score {
			return nil, err
		}
		changed = true
		place, tx := scoreKey(at, score), r.table.Tx()
		turn, as := seen.atTurn()
		update := r.table.Update(seen.key()).Set("score", score).Add("ver", 1).Add("turn", 1).
			If("attribute_exists(pk) AND attribute_not_exists('removed')").If(turn, as)
		if seen.Score != nil {
			update.If("'score' = ?", *seen.Score)
			tx.Delete(r.table.Delete(scoreKey(at, *seen.Score)))
		} else {
			update.If("attribute_not_exists('score')")
		}
		return tx.Update(update).Put(r.table.Put(scoreItem{PK: place.PK, SK: place.SK})), nil
	})
	return changed && err == nil, err
}
