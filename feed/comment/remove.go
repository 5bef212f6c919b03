package comment

import (
	"cmp"
	"context"
	"errors"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Action is an address and the user who acts there.
type Action struct {
	Address
	User string
}

// Delete removes a comment for its author; any other user is plaza.ErrForbidden.
// A comment that has answers leaves a tombstone: address, User and Removed.
// changed is false if the comment is unknown or already removed.
//
// After Delete of an unknown comment, an Add by the user with that ID is
// plaza.ErrRemoved for 30 days.
//
// Cost: 1 request, 1 transaction, 1 RCU, 6 WCU; a reply 3 RCU, 8 WCU; a reply to a
// reply 10 WCU.
//
//plaza:cost delete: 1 request, 1 transaction, 1 RCU, 6 WCU
//plaza:cost an answer: 1 request, 1 transaction, 1 RCU, 8 WCU
//plaza:cost a reply: 1 request, 1 transaction, 3 RCU, 8 WCU
//plaza:cost a reply to a reply: 1 request, 1 transaction, 3 RCU, 10 WCU
//plaza:cost in Top more: 2 WCU
//plaza:cost one of the first replies of a longer thread more: 3 requests, 2 RCU, 1 WCU
//plaza:cost an unknown comment: 2 requests, 1 RCU, 1 WCU
func (r *Repository) Delete(ctx context.Context, a Action) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Delete")
	if err := a.check(""); err != nil {
		return false, err
	}
	if err := keys.CheckName("User", a.User); err != nil {
		return false, err
	}
	changed, err = r.remove(ctx, a.Address, removing{author: a.User})
	return changed, wrap("delete", a.Address, err)
}

// Remove is Delete for the object's owner or a moderator. why.By names that user, whom
// the application authorizes. Remove stores Reason, and By unless that is the author;
// At comes from the clock. The author finds them in ByUser WithHidden. Unlike Delete,
// it does not stop a later Add of an unknown comment.
//
// Cost: as Delete; an unknown comment 1 request, 1 RCU.
func (r *Repository) Remove(ctx context.Context, at Address, why Removal) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Remove")
	err = cmp.Or(
		at.check(""),
		keys.CheckName("By", why.By),
		args.Count("Reason", len(why.Reason), "bytes", MaxReason),
	)
	if err != nil {
		return false, err
	}
	if !utf8.ValidString(why.Reason) {
		return false, &plaza.InvalidError{Field: "Reason", Reason: "is not UTF-8"}
	}
	changed, err = r.remove(ctx, at, removing{by: why.By, reason: why.Reason})
	return changed, wrap("remove", at, err)
}

// removing says by whom and how a comment is removed.
type removing struct {
	author     string // required author; empty for any
	by, reason string
	erase      bool // removes the author's name too
}

func (r *Repository) remove(ctx context.Context, at Address, how removing) (changed bool, err error) {
	for range attempts {
		seen, err := r.inThread(ctx, at, at.keys())
		switch {
		case errors.Is(err, plaza.ErrNotFound):
			if how.author == "" || how.erase {
				return false, nil
			}
			if added, err := r.forbid(ctx, at, how.author); !added {
				return false, err
			}
			continue
		case err != nil:
			return false, err
		case how.author != "" && seen.User != "" && seen.User != how.author:
			return false, plaza.ErrForbidden
		case seen.Removed != nil:
			return false, nil
		}
		err = r.table.Run(ctx, r.removal(seen, how))
		if _, refused := store.AsRefused(err); refused {
			continue
		}
		if err == nil && seen.shortens() {
			r.refill(ctx, at.root())
		}
		return err == nil, err
	}
	return false, plaza.ErrBusy
}

// forbid writes a guard instead of the own item of an unknown comment, so that
// an Add that arrives later fails. It reports whether the comment was added
// meanwhile.
func (r *Repository) forbid(ctx context.Context, at Address, user string) (added bool, err error) {
	guard := ownItem{
		PK: ownPK(user), ID: at.ID, Object: at.Object, Root: at.Root,
		Removed: &removalItem{At: r.now()}, TTL: r.expiry(),
	}
	err = r.table.Run(ctx, r.table.Put(guard).If(free, r.opts.Now().Unix()))
	refused, ok := store.AsRefused(err)
	if !ok {
		return false, err
	}
	item, _ := refused.At(0)
	var own ownItem
	if err := r.table.Decode(item, &own); err != nil {
		return false, err
	}
	if own.Removed != nil || own.at() != at {
		return false, nil
	}
	var stored row
	err = r.table.Get(ctx, at.key(own.Rest), true, &stored)
	if errors.Is(err, plaza.ErrNotFound) {
		return false, nil // its object was erased
	}
	return err == nil && stored.TTL == 0, err
}

// removal makes a comment a tombstone. No list shows the tombstone of a leaf; it only
// guards the id until it expires, as the author's own item does.
func (r *Repository) removal(seen inThread, how removing) *store.Tx {
	t, tx, leaf := r.table, r.table.Tx(), seen.Rows == 0
	why := &removalItem{By: how.by, Reason: how.reason, At: r.now()}
	if how.by == seen.User {
		why.By = ""
	}
	update := t.Update(seen.key()).
		Remove(store.Deleted[row]()...).
		Set("removed", why).
		Add("ver", 1)
	if leaf || how.erase {
		update.Remove("user")
	}
	if leaf {
		update.Set("ttl", r.expiry()).If(atVersion(seen.Ver), seen.Ver)
	} else { // replies may arrive meanwhile
		update.If("'rows' > ? AND attribute_not_exists('removed')", 0).If(asSeen("hidden", seen.Hidden))
		if seen.Score != nil {
			update.If("'score' = ?", *seen.Score)
		} else {
			update.If(asSeen("score", false))
		}
	}
	tx.Update(update)
	own := ownKey(seen.User, seen.at.ID)
	if how.erase {
		tx.Delete(t.Delete(own))
	} else {
		update := t.Update(own).Set("removed", why).If("attribute_exists(pk)")
		if leaf {
			update.Set("ttl", r.expiry())
		}
		tx.Update(update)
	}
	if seen.Score != nil {
		tx.Delete(t.Delete(scoreKey(seen.at, *seen.Score)))
	}
	after := seen.row
	after.Removed = why
	r.recount(tx, seen, after, leaf)
	return tx
}
