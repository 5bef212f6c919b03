package comment

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Edit replaces Text, Mentions and Data of the comment at c.Address() for its author,
// and sets EditedAt. It ignores the other fields of c. changed is false if the comment
// already has that content. An earlier Edit that arrives after a later one does
// nothing. For a comment of the object's own list this holds only if clocks differ by
// less than the time between the two.
//
// Any user but the author is plaza.ErrForbidden, an unknown comment
// plaza.ErrNotFound, a tombstone plaza.ErrRemoved. The result's Quote has only
// the address, and its Hidden is the comment's own. If an answer is lost and others
// edit or remove the comment, the error may be plaza.ErrUnknownOutcome: read the
// comment, and repeat the edit if it is still wanted.
//
// Cost: 1 request, 1 WCU for each KB; a reply 1 request, 2 RCU more; with the same
// text 1 request, 1 WCU more.
//
//plaza:cost edit: 1 request, 1 WCU
//plaza:cost each further KB: 1 WCU
//plaza:cost a reply more: 1 request, 2 RCU
//plaza:cost with the same text, or after an edit by a clock that is ahead, more: 1 request, 1 WCU
func (r *Repository) Edit(ctx context.Context, c Comment) (_ Comment, changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Edit")
	at := c.Address()
	if err := at.check(""); err != nil {
		return c, false, err
	}
	if err := c.checkContent(&r.opts); err != nil {
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
	at := c.Address()
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
		update := g.Update().Set("text", c.Text).Set("data", string(c.Data)).Set("edited", r.now()).
			If("'user' = ? AND attribute_not_exists('removed')", c.User)
		if len(c.Mentions) > 0 {
			update.Set("mentions", c.Mentions)
		} else {
			update.Remove("mentions")
		}
		if seen == nil { // most edits change the text
			return update.If("'text' <> ?", c.Text), nil
		}
		edited := *seen
		edited.Text, edited.Mentions, edited.Data = c.Text, append([]string(nil), c.Mentions...), string(c.Data)
		switch {
		case seen.Removed != nil:
			return nil, plaza.ErrRemoved
		case seen.User != c.User:
			return nil, plaza.ErrForbidden
		case store.Same(seen, &edited):
			return nil, store.ErrSame
		}
		return update, nil
	}
	stored, changed, err := change.Run(ctx, r.table)
	if err == nil && !changed && stored.Removed != nil { // before the note
		err = plaza.ErrRemoved
	}
	return stored, changed, err
}
