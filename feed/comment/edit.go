package comment

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Edit replaces Text, Mentions and Data of the comment at c.Address() for its
// author, and sets EditedAt. It ignores the other fields of c. changed is false
// if the comment already has that content. An earlier Edit that arrives later
// does nothing.
//
// Any user but the author is plaza.ErrForbidden, an unknown comment
// plaza.ErrNotFound, a tombstone plaza.ErrRemoved. The result's Quote has only
// the address, and its Hidden is the comment's own. If the answer is lost and the
// comment is edited or removed meanwhile, the error is plaza.ErrUnknownOutcome:
// read the comment, and repeat the edit if it is still wanted.
//
// Cost: 1 request, 1 WCU for each KB; a reply 1 request, 2 RCU more; with nothing
// to change, or after an edit by a clock that is ahead, 1 request, 1 WCU more.
func (r *Repository) Edit(ctx context.Context, c Comment) (_ Comment, changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Edit")
	at := c.Address()
	if err := at.check(""); err != nil {
		return c, false, err
	}
	if err := r.checkContent(c); err != nil {
		return c, false, err
	}
	edited, changed, err := r.edit(ctx, c)
	if err != nil {
		return c, false, wrap("edit", at, err)
	}
	edited.at = at
	return edited.comment(), changed, nil
}

// edit gives each edit an id that is greater than that of the edit before it, so
// that a late request does not undo a newer one. Two calls may choose the same id, so
// the row also stores which calls made the last two edits: a call that the SDK sent
// twice finds itself there, even after another edit. After two others its outcome is
// unknown.
func (r *Repository) edit(ctx context.Context, c Comment) (_ row, changed bool, err error) {
	at := c.Address()
	key := at.key(false)
	if at.Root != 0 {
		found, err := r.read(ctx, at.keys()[:2], true)
		if err != nil {
			return row{}, false, err
		}
		there, _ := found.at(at) // if neither key exists the update fails
		if there.damaged != nil {
			return row{}, false, there.damaged
		}
		key = at.key(there.rest)
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return row{}, false, err
	}
	op := call
	var noted ids.ID // the op under which an edit found nothing to change
	for range attempts {
		stands, applied, err := r.editOnce(ctx, key, c, op, call)
		switch {
		case err != nil || applied:
			return stands, applied, err
		case stands.editedBy(call):
			return stands, op != noted, nil
		case op <= stands.EditOp: // another edit's, or that of a clock that is ahead
			if op = stands.EditOp + 1; op > store.MaxID {
				return row{}, false, r.table.Corrupt(key, "no id is later than its editOp")
			}
		default:
			noted = op
			if settled, err := r.noteEdit(ctx, key, op, call); settled || err != nil {
				return stands, false, err
			}
		}
	}
	return row{}, false, plaza.ErrBusy
}

// editOnce returns the row that stands, and whether this edit was applied to it.
func (r *Repository) editOnce(ctx context.Context, key store.Key, c Comment, op, call ids.ID) (stands row, applied bool, err error) {
	// A repeat finds everything equal and keeps EditedAt.
	same, values := "'text' = ?", []any{c.Text}
	update := r.table.Update(key).Set("text", c.Text).Set("edited", r.now())
	if len(c.Mentions) > 0 {
		update.Set("mentions", c.Mentions)
		same, values = same+" AND 'mentions' = ?", append(values, c.Mentions)
	} else {
		update.Remove("mentions")
		same += " AND attribute_not_exists('mentions')"
	}
	if len(c.Data) > 0 {
		update.Set("data", string(c.Data))
		same, values = same+" AND 'data' = ?", append(values, string(c.Data))
	} else {
		update.Remove("data")
		same += " AND attribute_not_exists('data')"
	}
	setEdit(update, op, call).
		If("'user' = ? AND attribute_not_exists('removed')", c.User).
		If("NOT ("+same+")", values...)
	var item dynamo.Item
	err = r.run(ctx, store.Returning{Update: update, Out: &item}, []store.Key{key})
	refused, ok := store.AsRefused(err)
	if ok {
		item, _ = refused.At(0)
	} else if err != nil {
		return row{}, false, err
	}
	if item == nil {
		return row{}, false, plaza.ErrNotFound
	}
	if err := r.table.Decode(item, &stands); err != nil {
		return row{}, false, err
	}
	err = stands.errEdit(c.User)
	if ok && !errors.Is(err, plaza.ErrForbidden) && stands.unknownOutcome(refused, op, call) {
		err = plaza.ErrUnknownOutcome
	}
	return stands, !ok, err
}

// setEdit stores the edit's id, which must exceed the last one, and its call.
func setEdit(update *store.Update, op, call ids.ID) *store.Update {
	return update.Set("editOp", op).
		SetExpr("'editCallBefore' = if_not_exists('editCall', ?)", ids.ID(0).String()).Set("editCall", call).
		If("attribute_not_exists('editOp') OR 'editOp' < ?", op)
}

// noteEdit stores the id of an edit that found nothing to change, so that an
// earlier one can no longer arrive. It reports false if another edit came first.
func (r *Repository) noteEdit(ctx context.Context, key store.Key, op, call ids.ID) (noted bool, err error) {
	err = r.run(ctx, setEdit(r.table.Update(key), op, call).If("attribute_exists('user')"), []store.Key{key})
	refused, ok := store.AsRefused(err)
	if !ok {
		return err == nil, err
	}
	item, _ := refused.At(0)
	var stands row
	if err := r.table.Decode(item, &stands); err != nil {
		return false, err
	}
	if stands.unknownOutcome(refused, op, call) {
		return false, plaza.ErrUnknownOutcome
	}
	return false, nil
}

// unknownOutcome reports whether a refused edit may have been applied before the edits
// that the row remembers, or before the removal.
func (i row) unknownOutcome(refused *store.Refused, op, call ids.ID) bool {
	return refused.Doubtful() && !i.editedBy(call) && (op <= i.EditOp || i.Removed != nil)
}

// editedBy reports whether the call made one of the last two edits.
func (i row) editedBy(call ids.ID) bool { return i.EditCall == call || i.EditCallBefore == call }

// errEdit is nil if the user may edit.
func (i row) errEdit(user string) error {
	switch {
	case i.Removed != nil:
		return plaza.ErrRemoved
	case i.User != user:
		return plaza.ErrForbidden
	}
	return nil
}
