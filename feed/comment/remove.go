package comment

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// MaxReason is the longest Removal.Reason, in bytes.
const MaxReason = 1024

// Action is what User does to a comment.
type Action struct {
	At
	User string
}

// Delete removes a comment as its author; anybody else is plaza.ErrForbidden.
// Where something answers it, a tombstone stays in its place: address, User and
// Removed. It reports whether this call did: false for one that is unknown or
// removed before. An unknown one stays so: an Add of the user by that ID whose
// answer was lost is plaza.ErrRemoved for 30 days.
//
// Cost: 2 requests, 1 RCU and 6 WCU, 8 WCU of an answer; 2 more where it stands
// in Top. Of a reply 3 RCU and 8 WCU, 10 of a reply to a reply; where it was
// among the first that Threads shows of a longer thread, 3 requests, 2 RCU and
// 1 WCU more. 1 WCU where it is unknown.
func (r *Repository) Delete(ctx context.Context, a Action) (deleted bool, err error) {
	if err := a.check(""); err != nil {
		return false, err
	}
	if err := keys.CheckName("User", a.User); err != nil {
		return false, err
	}
	deleted, err = r.remove(ctx, a.At, removing{author: a.User})
	return deleted, wrap("delete", a.At, err)
}

// Remove is Delete by whom the application lets: the object's owner, a
// moderator. It keeps by whom and why, but where By is the author; At is the
// clock's. The author still finds that in ByUser WithHidden. It does not stop an
// Add that is still on its way.
//
// Cost: as Delete.
func (r *Repository) Remove(ctx context.Context, at At, why Removal) (removed bool, err error) {
	if err := at.check(""); err != nil {
		return false, err
	}
	if err := keys.CheckName("By", why.By); err != nil {
		return false, err
	}
	switch {
	case len(why.Reason) > MaxReason:
		return false, &plaza.InvalidError{Field: "Reason", Reason: fmt.Sprintf("is %d bytes long, at most %d are allowed", len(why.Reason), MaxReason)}
	case !utf8.ValidString(why.Reason):
		return false, &plaza.InvalidError{Field: "Reason", Reason: "is not UTF-8"}
	}
	removed, err = r.remove(ctx, at, removing{by: why.By, reason: why.Reason})
	return removed, wrap("remove", at, err)
}

// removing is how a comment is removed.
type removing struct {
	author     string // who must have written it; empty: whoever
	by, reason string
	erase      bool // leaves nothing of the author
}

func (r *Repository) remove(ctx context.Context, at At, how removing) (removed bool, err error) {
	for range turns {
		var shrinks bool
		err = r.change(ctx, at, func(seen, root row) (store.Write, error) {
			removed, shrinks = false, seen.shortens(root)
			switch {
			case how.author != "" && seen.User != "" && seen.User != how.author:
				return nil, plaza.ErrForbidden
			case seen.Removed != nil:
				return nil, nil //nolint:nilnil // nothing to write
			}
			removed = true
			return r.removal(seen, root, how), nil
		})
		switch {
		case err == nil:
			if removed && shrinks {
				r.refill(ctx, at.root())
			}
			return removed, nil
		case !errors.Is(err, plaza.ErrNotFound):
			return false, err
		case how.author == "" || how.erase:
			return false, nil
		}
		if added, err := r.forbid(ctx, at, how.author); !added {
			return false, err
		}
	}
	return false, plaza.ErrBusy
}

// forbid puts a guard where an unknown comment's own item would be, so that an
// Add which is still on its way comes too late. It reports whether the comment
// was added meanwhile.
func (r *Repository) forbid(ctx context.Context, at At, user string) (added bool, err error) {
	guard := ownItem{
		PK: ownPK(user), ID: at.ID, Object: at.Object, Root: at.Root,
		Removed: &removalItem{At: r.now()}, TTL: r.forgotten(),
	}
	err = r.table.Run(ctx, r.table.Put(guard).If(forgotten, r.opts.Now().Unix()))
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
	var stands row
	err = r.table.Get(ctx, at.key(own.Rest), true, &stands)
	if errors.Is(err, plaza.ErrNotFound) {
		return false, nil // its object was erased
	}
	return err == nil && stands.TTL == 0, err
}

// removal makes of what is answered a tombstone, and of a leaf one that no
// list shows: for a while it guards the id, as the author's own item does.
func (r *Repository) removal(seen, root row, how removing) *dynamo.WriteTx {
	t, tx, leaf := r.table, r.table.Tx(), seen.Rows == 0
	why := &removalItem{By: how.by, Reason: how.reason, At: r.now()}
	if how.by == seen.User {
		why.By = ""
	}
	update := t.Update(seen.key()).
		Remove("text", "quote", "mentions", "data", "edited", "editOp", "editBefore", "score").
		Set("removed", why).
		Add("ver", 1)
	if leaf || how.erase {
		update.Remove("user")
	}
	if leaf {
		update.Set("ttl", r.forgotten()).If(atVersion(seen.Ver), seen.Ver)
	} else { // answers may go on meanwhile
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
			update.Set("ttl", r.forgotten())
		}
		tx.Update(update)
	}
	if seen.Score != nil {
		tx.Delete(t.Delete(scoreKey(seen.at, *seen.Score)))
	}
	after := seen
	after.Removed = why
	r.recount(tx, seen, root, after, leaf)
	return tx
}
