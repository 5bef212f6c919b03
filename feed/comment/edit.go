package comment

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Edit replaces Text, Mentions and Data of the comment at c.Address() for its
// author, and sets EditedAt. It ignores the other fields of c. changed is false
// if the comment already has that content. An earlier Edit that arrives later
// does nothing; in the object's own list, if clocks differ by less than the time
// between the two.
//
// Any user but the author is plaza.ErrForbidden, an unknown comment
// plaza.ErrNotFound, a tombstone plaza.ErrRemoved. The result's Quote has only
// the address, and its Hidden is the comment's own. If an answer is lost and others
// edit or remove the comment, the error may be plaza.ErrUnknownOutcome: read the
// comment, and repeat the edit if it is still wanted.
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
	stored, changed, err := r.edit(ctx, c)
	if err != nil {
		return c, false, wrap("edit", at, err)
	}
	stored.at = at
	return stored.comment(), changed, nil
}

func (r *Repository) edit(ctx context.Context, c Comment) (_ row, changed bool, err error) {
	at, wanted := c.Address(), newRow(c)
	call, err := r.gen.Next(ctx)
	if err != nil {
		return row{}, false, err
	}
	change := store.Change[row]{Key: at.key(false), Call: call, Part: "edit", Last: (*row).lastEdit, Unread: at.Root == 0}
	if at.Root != 0 {
		found, err := r.read(ctx, at.keys()[:2], true)
		there, ok := found.at(at)
		switch {
		case err != nil:
			return row{}, false, err
		case there.damaged != nil:
			return row{}, false, there.damaged
		case !ok:
			return row{}, false, plaza.ErrNotFound
		}
		change.Key, change.Seen = there.key(), &there
	}
	change.Next = func(seen *row, g store.Guard) (store.Write, error) {
		update := g.Update().Set("text", c.Text).Set("data", wanted.Data).Set("edited", r.now()).
			If("'user' = ? AND attribute_not_exists('removed')", c.User)
		if len(c.Mentions) > 0 {
			update.Set("mentions", c.Mentions)
		} else {
			update.Remove("mentions")
		}
		switch {
		case seen == nil:
			condition, args := wanted.otherContent()
			return update.If(condition, args...), nil
		case seen.Removed != nil:
			return nil, plaza.ErrRemoved
		case seen.User != c.User:
			return nil, plaza.ErrForbidden
		case seen.sameContent(&wanted):
			return nil, store.ErrSame
		}
		return update, nil
	}
	return change.Run(ctx, r.table)
}

// otherContent is the condition that a row has another content.
func (i *row) otherContent() (condition string, args []any) {
	condition, args = "'text' <> ?", []any{i.Text}
	if i.Data == "" {
		condition += " OR attribute_exists('data')"
	} else {
		condition, args = condition+" OR attribute_not_exists('data') OR 'data' <> ?", append(args, i.Data)
	}
	if len(i.Mentions) == 0 {
		condition += " OR attribute_exists('mentions')"
	} else {
		condition, args = condition+" OR attribute_not_exists('mentions') OR 'mentions' <> ?", append(args, i.Mentions)
	}
	return condition, args
}
