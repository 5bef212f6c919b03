package comment

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Pin puts one visible comment of the object's own list on top of it, in the
// place of any other. Lists keep their order: a first page shows Pinned above
// its items, and leaves it out among them. It reports whether this call did; an
// unknown or hidden comment is plaza.ErrNotFound, a tombstone plaza.ErrRemoved.
//
// One transaction, 4 WCU.
func (r *Repository) Pin(ctx context.Context, at At) (pinned bool, err error) {
	if err := at.checkRoot(); err != nil {
		return false, err
	}
	header := r.table.Update(headerKey(at.Object)).Set("pinned", at.ID).If("attribute_not_exists('pinned') OR 'pinned' <> ?", at.ID)
	err = r.table.Run(ctx, r.table.Tx().Update(header).Check(r.table.Check(at.key(false)).If(open)))
	refused, ok := store.AsRefused(err)
	if !ok {
		return err == nil, wrap("pin", at, err)
	}
	item, closed := refused.At(1)
	if !closed {
		return false, nil
	}
	var there row
	if err := dynamo.UnmarshalItem(item, &there); err != nil {
		return false, wrap("pin", at, err)
	}
	return false, wrap("pin", at, there.errClosed())
}

// Unpin ends the pin of that comment and reports whether it was pinned.
//
// One transaction, 2 WCU.
func (r *Repository) Unpin(ctx context.Context, at At) (unpinned bool, err error) {
	if err := at.checkRoot(); err != nil {
		return false, err
	}
	header := r.table.Update(headerKey(at.Object)).Remove("pinned").If("'pinned' = ?", at.ID)
	err = r.table.Run(ctx, r.table.Tx().Update(header))
	if _, refused := store.AsRefused(err); refused {
		return false, nil
	}
	return err == nil, wrap("unpin", at, err)
}

// Pinned gives the comment that is pinned, with its quote. Where there is
// none, or it was removed or hidden since, it is plaza.ErrNotFound.
//
// Two reads, 0.5 RCU each, eventually consistent.
func (r *Repository) Pinned(ctx context.Context, object string) (Comment, error) {
	if err := keys.CheckName("Object", object); err != nil {
		return Comment{}, err
	}
	header, err := r.header(ctx, object)
	if err == nil && header.Pinned == 0 {
		err = plaza.ErrNotFound
	}
	if err != nil {
		return Comment{}, wrapName("pinned in", object, err)
	}
	c, err := r.Get(ctx, At{Object: object, ID: header.Pinned})
	if err == nil && c.Removed != nil {
		err = wrapName("pinned in", object, plaza.ErrNotFound)
	}
	if err != nil {
		return Comment{}, err
	}
	return c, nil
}
