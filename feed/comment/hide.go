package comment

import (
	"context"

	"github.com/guregu/dynamo/v2"
)

// Hide takes a comment out of lists, gets and counts, with its thread where it
// is a root, until Unhide. Lists WithHidden still show it. It reports whether
// this call did; an unknown comment is plaza.ErrNotFound.
//
// One consistent read, 1 RCU, of a reply up to 3, and one transaction: 4 WCU, 6
// of an answer or reply, 8 of a reply to a reply.
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
	changed, err := r.change(ctx, at, func(tx *dynamo.WriteTx, seen row) (bool, error) {
		if seen.Hidden == hidden {
			return false, nil
		}
		update := r.table.Update(seen.key()).Add("ver", 1).
			If("attribute_exists(pk)").
			If(asSeen("hidden", seen.Hidden)).
			If(asSeen("removed", seen.Removed != nil))
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
		tx.Update(update)
		after := seen
		after.Hidden = hidden
		r.recount(tx, seen, after, false)
		return true, nil
	})
	return changed, wrap(what, at, err)
}
