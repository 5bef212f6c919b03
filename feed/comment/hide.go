package comment

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Hide hides a comment, and a root's whole thread, from lists, gets and counts
// until Unhide. Lists WithHidden still show it. changed is false if it was
// hidden already; an unknown comment is plaza.ErrNotFound. An earlier Hide or
// Unhide that arrives later does nothing.
//
// Cost: 1 request, 1 transaction, 1 RCU, 4 WCU; an answer 6 WCU; a reply 3 RCU, 6
// WCU; a reply to a reply 3 RCU, 8 WCU; one of the first replies of a longer
// thread 3 requests, 2 RCU, 1 WCU more; with nothing to do 2 requests, 1 WCU.
func (r *Repository) Hide(ctx context.Context, at Address) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Hide")
	return r.setHidden(ctx, "hide", at, true)
}

// Unhide undoes Hide.
//
// Cost: as Hide.
func (r *Repository) Unhide(ctx context.Context, at Address) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Unhide")
	return r.setHidden(ctx, "unhide", at, false)
}

func (r *Repository) setHidden(ctx context.Context, what string, at Address, hidden bool) (changed bool, err error) {
	if err := at.check(""); err != nil {
		return false, err
	}
	var shrinks bool
	err = r.change(ctx, at, func(seen, root row) (store.Write, error) {
		turn, as := seen.atTurn()
		update := r.table.Update(seen.key()).Add("turn", 1).If(turn, as).
			If("attribute_exists(pk)").
			If(asSeen("hidden", seen.Hidden))
		changed = seen.Hidden != hidden
		if !changed {
			return update, nil // so that an earlier call that arrives late fails
		}
		update.Add("ver", 1).If(asSeen("removed", seen.Removed != nil))
		switch { // counts include the replies of a root
		case at.Root == 0 && seen.Replies == 0:
			update.If("attribute_not_exists('replies') OR 'replies' = ?", 0)
		case at.Root == 0:
			update.If("'replies' = ?", seen.Replies)
		}
		if hidden {
			update.Set("hidden", true)
		} else {
			update.Remove("hidden")
		}
		tx := r.table.Tx().Update(update)
		after := seen
		after.Hidden = hidden
		r.recount(tx, seen, root, after, false)
		shrinks = hidden && seen.shortens(root)
		return tx, nil
	})
	if err != nil {
		return false, wrap(what, at, err)
	}
	if changed && shrinks {
		r.refill(ctx, at.root())
	}
	return changed, nil
}
