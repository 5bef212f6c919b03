package comment

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Edit replaces Text, Mentions and Data of the comment at c.At() as its
// author, and tells when in EditedAt; its other fields are not looked at. Where
// they are so already, nothing changes. Anybody but c.User is
// plaza.ErrForbidden; an unknown comment is plaza.ErrNotFound, a tombstone
// plaza.ErrRemoved. What is returned has the address of its Quote alone, and
// its own Hidden.
//
// 1 WCU per KB; of a reply a read before, 2 RCU.
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
	return edited.comment(), nil
}

func (r *Repository) edit(ctx context.Context, c Comment) (row, error) {
	at := c.At()
	key := at.key(false)
	if at.Root != 0 {
		found, err := r.read(ctx, at.keys()[:2], true)
		if err != nil {
			return row{}, err
		}
		there, _ := found.at(at) // where it is nowhere the update tells
		key = at.key(there.rest)
	}
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
	update.If("'user' = ? AND attribute_not_exists('removed')", c.User).If("NOT ("+same+")", values...)
	var edited row
	err := r.table.Run(ctx, store.Returning{Update: update, Out: &edited})
	if refused, ok := store.AsRefused(err); ok {
		item, _ := refused.At(0)
		if item == nil {
			return row{}, plaza.ErrNotFound
		}
		if err = dynamo.UnmarshalItem(item, &edited); err == nil {
			err = edited.errEdit(c.User)
		}
	}
	edited.at = at
	return edited, err
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
