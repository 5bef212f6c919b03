package comment

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Pin pins one visible comment of the object's own list; it replaces the one that
// was pinned. Lists keep their order: show Pinned above a first page, and leave
// it out of the items. changed is false if it was pinned already. An unknown or
// hidden comment is plaza.ErrNotFound, a tombstone plaza.ErrRemoved. An earlier
// Pin or Unpin that arrives later does nothing.
//
// Cost: 1 transaction, 4 WCU; with nothing to do 1 request, 1 WCU more.
func (r *Repository) Pin(ctx context.Context, at Address) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Pin")
	if err := at.checkRoot(); err != nil {
		return false, err
	}
	changed, err = r.setPinned(ctx, at, func(header *store.Update) *store.Tx {
		header.Set("pinned", at.ID).If("attribute_not_exists('pinned') OR 'pinned' <> ?", at.ID)
		return r.table.Tx().Update(header).Check(at.key(false), open)
	})
	return changed, wrap("pin", at, err)
}

// Unpin undoes Pin. changed is false if that comment is not pinned. An earlier
// Pin that arrives later does nothing.
//
// Cost: 1 transaction, 2 WCU; with nothing to do 1 request, 1 WCU more.
func (r *Repository) Unpin(ctx context.Context, at Address) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Unpin")
	if err := at.checkRoot(); err != nil {
		return false, err
	}
	changed, err = r.setPinned(ctx, at, func(header *store.Update) *store.Tx {
		return r.table.Tx().Update(header.Remove("pinned").If("'pinned' = ?", at.ID))
	})
	return changed, wrap("unpin", at, err)
}

// setPinned gives each Pin and Unpin an id that is greater than that of the one
// before it, so that a late request does not undo a newer one.
func (r *Repository) setPinned(ctx context.Context, at Address, pin func(header *store.Update) *store.Tx) (changed bool, err error) {
	op, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	const later = "attribute_not_exists('pinOp') OR 'pinOp' < ?"
	key := headerKey(at.Object)
	around := []store.Key{key, at.key(false)}
	for range attempts {
		err := r.run(ctx, pin(r.table.Update(key).Set("pinOp", op).If(later, op)), around)
		refused, ok := store.AsRefused(err)
		if !ok {
			return err == nil, err
		}
		if item, closed := refused.At(1); closed {
			var there row
			if item != nil {
				there.damaged = r.table.Decode(item, &there)
			}
			return false, there.errClosed()
		}
		item, _ := refused.At(0)
		if item == nil {
			return false, nil
		}
		var seen headerItem
		if err := r.table.Decode(item, &seen); err != nil {
			return false, err
		}
		if op <= seen.PinOp { // another call's, or that of a clock that is ahead
			if op = seen.PinOp + 1; op > store.MaxID {
				return false, r.table.Corrupt(key, "no id is later than its pinOp")
			}
			continue
		}
		// Nothing changes, but an earlier call that arrives late must fail.
		mark := r.table.Update(key).Set("pinOp", op).If("attribute_exists(pk)").If(later, op).If(asSeen("pinned", seen.Pinned != 0))
		if seen.Pinned != 0 {
			mark.If("'pinned' = ?", seen.Pinned)
		}
		err = r.run(ctx, mark, around)
		if _, refused := store.AsRefused(err); !refused {
			return false, err
		}
	}
	return false, plaza.ErrBusy
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
