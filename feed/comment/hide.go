package comment

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Hide hides a comment, and a root's whole thread, from lists, gets and counts until
// Unhide. Lists WithHidden still show it. changed is false if it was hidden already; an
// unknown comment is plaza.ErrNotFound. An earlier Hide or Unhide that arrives after a
// later one does nothing.
//
// Cost: 1 request, 1 transaction, 1 RCU, 4 WCU; a reply 3 RCU, 6 WCU; if nothing
// changes 2 requests, 1 WCU.
//
//plaza:cost hide: 1 request, 1 transaction, 1 RCU, 4 WCU
//plaza:cost an answer: 1 request, 1 transaction, 1 RCU, 6 WCU
//plaza:cost a reply: 1 request, 1 transaction, 3 RCU, 6 WCU
//plaza:cost a reply to a reply: 1 request, 1 transaction, 3 RCU, 8 WCU
//plaza:cost one of the first replies of a longer thread more: 3 requests, 2 RCU, 1 WCU
//plaza:cost what is hidden: 2 requests, 1 RCU, 1 WCU
//plaza:cost a reply that is hidden: 2 requests, 3 RCU, 1 WCU
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
	was, changed, err := r.change(ctx, at, store.Change[inThread]{
		Part: "hide", Last: (*inThread).lastHide,
		Next: func(seen *inThread, g store.Guard) (store.Write, error) {
			if seen.Hidden == hidden {
				return nil, store.ErrSame
			}
			update := g.Update().Add("ver", 1).If(asSeen("removed", seen.Removed != nil))
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
			tx, after := r.table.Tx().Update(update), seen.row
			after.Hidden = hidden
			r.recount(tx, *seen, after, false)
			return tx, nil
		},
	})
	if err != nil {
		return false, wrap(what, at, err)
	}
	if changed && hidden && was.shortens() {
		r.refill(ctx, at.root())
	}
	return changed, nil
}
