package comment

import (
	"context"
	"errors"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Pin pins one visible comment of the object's own list; it replaces the one that was
// pinned. Lists keep their order: show Pinned above a first page, and leave it out of
// the items. changed is false if it was pinned already. An unknown or hidden comment is
// plaza.ErrNotFound, a tombstone plaza.ErrRemoved. An earlier Pin or Unpin that arrives
// after a later one does nothing, if clocks differ by less than the time between the
// two.
//
// Cost: 1 transaction, 4 WCU; with nothing to do 1 request, 1 WCU more.
func (r *Repository) Pin(ctx context.Context, at Address) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Pin")
	if err := at.checkRoot(); err != nil {
		return false, err
	}
	changed, err = r.setPinned(ctx, at, func(seen *headerItem, g store.Guard) (store.Write, error) {
		if seen != nil && seen.Pinned == at.ID {
			return nil, store.ErrSame
		}
		header := g.Update().Set("pinned", at.ID).If("attribute_not_exists('pinned') OR 'pinned' <> ?", at.ID)
		return r.table.Tx().Update(header).Check(at.key(false), open), nil
	})
	return changed, wrap("pin", at, err)
}

// Unpin undoes Pin. changed is false if that comment is not pinned.
//
// Cost: 1 request, 1 WCU; with nothing to do 1 request, 1 WCU more.
func (r *Repository) Unpin(ctx context.Context, at Address) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Unpin")
	if err := at.checkRoot(); err != nil {
		return false, err
	}
	changed, err = r.setPinned(ctx, at, func(seen *headerItem, g store.Guard) (store.Write, error) {
		if seen != nil && seen.Pinned != at.ID {
			return nil, store.ErrSame
		}
		return g.Update().Remove("pinned").If("'pinned' = ?", at.ID), nil
	})
	if errors.Is(err, plaza.ErrNotFound) {
		return false, nil
	}
	return changed, wrap("unpin", at, err)
}

func (r *Repository) setPinned(ctx context.Context, at Address, next func(*headerItem, store.Guard) (store.Write, error)) (changed bool, err error) {
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	_, changed, err = store.Change[headerItem]{
		Key: headerKey(at.Object), Call: call, Part: "pin", Last: (*headerItem).lastPin, Unread: true, Next: next,
		Others: func(refused *store.Refused) error {
			item, closed := refused.At(1)
			if !closed {
				return nil
			}
			var there row
			if item != nil {
				there.damaged = r.table.Decode(item, &there)
			}
			return there.errClosed()
		},
	}.Run(ctx, r.table)
	return changed, err
}

// Pinned returns the pinned comment. If there is none, or if it was removed or
// hidden since, the error is plaza.ErrNotFound.
//
// Cost: 2 requests, 1 RCU; a Quote 1 request, 0.5 RCU more.
func (r *Repository) Pinned(ctx context.Context, object string) (Comment, error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Pinned")
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
	c, err := r.Get(ctx, Address{Object: object, ID: header.Pinned})
	if err == nil && c.Removed != nil {
		err = wrapName("pinned in", object, plaza.ErrNotFound)
	}
	if err != nil {
		return Comment{}, err
	}
	return c, nil
}
