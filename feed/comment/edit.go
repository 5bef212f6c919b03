package comment

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Edit replaces Text, Mentions and Data of the comment at c.At() as its
// author, and tells when in EditedAt; its other fields are not looked at. Where
// they are so already, nothing changes. An Edit before it that is still on its
// way does nothing any more: what is returned is what stands. Anybody but c.User
// is plaza.ErrForbidden; an unknown comment is plaza.ErrNotFound, a tombstone
// plaza.ErrRemoved. What is returned has the address of its Quote alone, and
// its own Hidden.
//
// Cost: 1 request, 1 WCU per KB; 2 requests where nothing changes, or where the
// clock of the last edit was ahead. Of a reply 1 request more, 2 RCU.
func (r *Repository) Edit(ctx context.Context, c Comment) (Comment, error) {
	at := c.At()
	if err := at.check(""); err != nil {
		return c, err
	}
	if err := r.checkContent(c); err != nil {
		return c, err
	}
	edited, err := r.edit(ctx, c)
	if err != nil {
		return c, wrap("edit", at, err)
	}
	edited.at = at
	return edited.comment(), nil
}

// edit gives each edit an id of its own, later than the one that it follows:
// what arrives late does not undo what came between. The row names the last two,
// so that an edit sent twice by the SDK finds itself there, also behind another.
func (r *Repository) edit(ctx context.Context, c Comment) (row, error) {
	at := c.At()
	key := at.key(false)
	if at.Root != 0 {
		found, err := r.read(ctx, at.keys()[:2], true)
		if err != nil {
			return row{}, err
		}
		there, _ := found.at(at) // where it is nowhere the update tells
		if there.damaged != nil {
			return row{}, there.damaged
		}
		key = at.key(there.rest)
	}
	op, err := r.gen.Next(ctx)
	if err != nil {
		return row{}, err
	}
	for range turns {
		stands, applied, err := r.editOnce(ctx, key, c, op)
		switch {
		case err != nil || applied:
			return stands, err
		case stands.EditOp == op, stands.EditBefore == op:
			return stands, nil
		case op <= stands.EditOp: // of another, or of a clock that is ahead
			op = stands.EditOp + 1
		default:
			if settled, err := r.keepEdit(ctx, key, op); settled || err != nil {
				return stands, err
			}
		}
	}
	return row{}, plaza.ErrBusy
}

// editOnce returns what stands, whether or not it was this edit that changed it.
func (r *Repository) editOnce(ctx context.Context, key store.Key, c Comment, op ids.ID) (stands row, applied bool, err error) {
	// Repeated, it finds everything equal, and EditedAt stays.
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
	setEdit(update, op).
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
	return stands, !ok, stands.errEdit(c.User)
}

// setEdit names the edit, which must be later than the last.
func setEdit(update *dynamo.Update, op ids.ID) *dynamo.Update {
	return update.SetExpr("'editBefore' = if_not_exists('editOp', ?)", ids.ID(0).String()).Set("editOp", op).
		If("attribute_not_exists('editOp') OR 'editOp' < ?", op)
}

// keepEdit notes an edit that found nothing to change, lest one before it still
// arrives. It reports whether none came between.
func (r *Repository) keepEdit(ctx context.Context, key store.Key, op ids.ID) (kept bool, err error) {
	err = r.run(ctx, setEdit(r.table.Update(key), op).If("attribute_exists('user')"), []store.Key{key})
	if _, refused := store.AsRefused(err); refused {
		return false, nil
	}
	return err == nil, err
}

// errEdit is nil where the user may edit.
func (i row) errEdit(user string) error {
	switch {
	case i.Removed != nil:
		return plaza.ErrRemoved
	case i.User != user:
		return plaza.ErrForbidden
	}
	return nil
}
