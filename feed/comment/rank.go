package comment

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
)

// Rank asks Options.Score of a comment of the object's own list and gives it
// its place in Top, also where it had none. It reports whether it moved. Called
// after every change of a score, or later for those that changed, it leaves Top exact
// once scores are quiet, however many call at once. One whose score goes on
// changing is plaza.ErrBusy: it moved, and wants to be ranked again.
//
// One consistent read, 1 RCU; where the score changed, one transaction of 6 WCU
// and another read, to see that it did not change again.
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
	return r.change(ctx, at, func(tx *dynamo.WriteTx, seen row) (bool, error) {
		if seen.Removed != nil {
			return false, plaza.ErrRemoved
		}
		score, err := r.opts.Score(ctx, at)
		if err != nil || seen.Score != nil && *seen.Score == score {
			return false, err
		}
		place := scoreKey(at, score)
		update := r.table.Update(seen.key()).Set("score", score).Add("ver", 1).If("attribute_exists(pk) AND attribute_not_exists('removed')")
		if seen.Score != nil {
			update.If("'score' = ?", *seen.Score)
			tx.Delete(r.table.Delete(scoreKey(at, *seen.Score)))
		} else {
			update.If("attribute_not_exists('score')")
		}
		tx.Update(update).Put(r.table.Put(scoreItem{PK: place.PK, SK: place.SK}))
		return true, nil
	})
}
