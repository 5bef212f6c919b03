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
// A Pin or Unpin before it that is still on its way does nothing any more.
//
// Cost: 1 request, 4 WCU; where it is pinned already 2 requests, 5 WCU.
func (r *Repository) Pin(ctx context.Context, at At) (pinned bool, err error) {
	if err := at.checkRoot(); err != nil {
		return false, err
	}
	pinned, err = r.setPinned(ctx, at, func(header *dynamo.Update) *dynamo.WriteTx {
		header.Set("pinned", at.ID).If("attribute_not_exists('pinned') OR 'pinned' <> ?", at.ID)
		return r.table.Tx().Update(header).Check(r.table.Check(at.key(false)).If(open))
	})
	return pinned, wrap("pin", at, err)
}

// Unpin ends the pin of that comment and reports whether it was pinned. A Pin
// before it that is still on its way does nothing any more.
//
// Cost: 1 request, 2 WCU; where it is not pinned 2 requests, 3 WCU.
func (r *Repository) Unpin(ctx context.Context, at At) (unpinned bool, err error) {
	if err := at.checkRoot(); err != nil {
		return false, err
	}
	unpinned, err = r.setPinned(ctx, at, func(header *dynamo.Update) *dynamo.WriteTx {
		return r.table.Tx().Update(header.Remove("pinned").If("'pinned' = ?", at.ID))
	})
	return unpinned, wrap("unpin", at, err)
}

// setPinned gives a pin or its end an id of its own, later than the one that it
// follows: what arrives late does not undo what came between.
func (r *Repository) setPinned(ctx context.Context, at At, pin func(header *dynamo.Update) *dynamo.WriteTx) (changed bool, err error) {
	op, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	const later = "attribute_not_exists('pinOp') OR 'pinOp' < ?"
	key := headerKey(at.Object)
	around := []store.Key{key, at.key(false)}
	for range turns {
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
		if op <= seen.PinOp { // of another, or of a clock that is ahead
			op = seen.PinOp + 1
			continue
		}
		// Nothing to do, lest the contrary still arrives.
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
