package comment

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// MaxReason is the longest Removal.Reason, in bytes.
const MaxReason = 1024

// Action is what User does to a comment.
type Action struct {
	At
	User string
}

// Delete removes a comment as its author; anybody else is plaza.ErrForbidden.
// Where something answers it, a tombstone stays in its place, for good: address,
// User and Removed. It reports whether this call did: false for one that is unknown or
// removed before.
//
// One consistent read, 1 RCU, of a reply up to 3, and one transaction: 6 WCU, 8
// of an answer or reply, 10 of a reply to a reply; 2 more where it stands in Top.
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
// moderator. It keeps by whom and why, but where By is the author; At is the clock's. The author still
// finds that in ByUser WithHidden.
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
	removed, err = r.change(ctx, at, func(tx *dynamo.WriteTx, seen row) (bool, error) {
		switch {
		case how.author != "" && seen.User != "" && seen.User != how.author:
			return false, plaza.ErrForbidden
		case seen.Removed != nil:
			return false, nil
		}
		r.addRemoval(tx, seen, how)
		return true, nil
	})
	if errors.Is(err, plaza.ErrNotFound) {
		return false, nil
	}
	return removed, err
}

// addRemoval makes of what is answered a tombstone, and of a leaf one that no
// list shows: for a while it guards the id, as the author's own item does.
func (r *Repository) addRemoval(tx *dynamo.WriteTx, seen row, how removing) {
	t, leaf := r.table, seen.Rows == 0
	why := &removalItem{By: how.by, Reason: how.reason, At: r.now()}
	if how.by == seen.User {
		why.By = ""
	}
	update := t.Update(seen.key()).
		Remove("text", "quote", "mentions", "data", "edited", "score").
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
	r.recount(tx, seen, after, leaf)
}
