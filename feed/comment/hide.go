package comment

import (
	"context"

	"github.com/plaza-sdk/plaza/internal/store"
)

// Hide takes a comment out of lists, gets and counts, with its thread where it
// is a root, until Unhide. Lists WithHidden still show it. It reports whether
// this call did; an unknown comment is plaza.ErrNotFound. A Hide or Unhide before
// it that is still on its way does nothing any more.
//
// Cost: 2 requests, 1 RCU and 4 WCU, 6 WCU of an answer. Of a reply 3 RCU and 6
// WCU, 8 of a reply to a reply; where it was among the first that Threads shows
// of a longer thread, 3 requests, 2 RCU and 1 WCU more. 1 WCU where it was
// hidden already.
func (r *Repository) Hide(ctx context.Context, at At) (hidden bool, err error) {
	return r.setHidden(ctx, "hide", at, true)
}

// Unhide undoes Hide, at the same cost.
func (r *Repository) Unhide(ctx context.Context, at At) (unhidden bool, err error) {
	return r.setHidden(ctx, "unhide", at, false)
}

func (r *Repository) setHidden(ctx context.Context, what string, at At, hidden bool) (bool, error) {
	if err := at.check(""); err != nil {
		return false, err
	}
	var changes, shrinks bool
	err := r.change(ctx, at, func(seen, root row) (store.Write, error) {
		turn, as := seen.atTurn()
		update := r.table.Update(seen.key()).Add("turn", 1).If(turn, as).
			If("attribute_exists(pk)").
			If(asSeen("hidden", seen.Hidden))
		changes = seen.Hidden != hidden
		if !changes {
			return update, nil // lest the contrary still arrives
		}
		update.Add("ver", 1).If(asSeen("removed", seen.Removed != nil))
		switch { // replies go and come with their root
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
	if changes && shrinks {
		r.refill(ctx, at.root())
	}
	return changes, nil
}
