package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// tombstoneLife is the least time for which a tombstone refuses late repeats of
// the publish.
const tombstoneLife = 30 * 24 * time.Hour

// tombstoneEnd is the expiry of a tombstone written now: not before the last
// entry of the activity expires.
func (r *Repository) tombstoneEnd(id ids.ID) time.Time {
	end, entries := r.opts.Now().Add(tombstoneLife), r.expiry(id).Add(24*time.Hour)
	if entries.After(end) {
		return entries
	}
	return end
}

// Remove takes the activity out of the outbox and, at their next consistent
// read, out of all homes. changed is true only if this call removed
// it. A tombstone refuses late repeats of the publish for 30 days or more, even
// if the publish has not arrived yet.
//
// Cost: 1 request, 1 WCU for each KB, whatever the number of followers.
//
//plaza:cost an activity of 1 KB: 1 request, 1 WCU
func (o Outbox) Remove(ctx context.Context, id ids.ID) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.Remove")
	if err := o.check(); err != nil {
		return false, err
	}
	if err := keys.CheckID("ID", id); err != nil {
		return false, err
	}
	stored, changed, err := o.remove(ctx, id)
	switch {
	case errors.Is(err, plaza.ErrNotFound), errors.Is(err, plaza.ErrRemoved):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("feed: remove %v of %q: %w", id, o.owner, err)
	case !changed, stored.Hash == nil: // nothing was published yet
		return false, nil
	}
	o.r.hydrator.remember(ctx, CacheKey{o.owner, id}, Cached{Gone: true})
	return true, nil
}

func (o Outbox) remove(ctx context.Context, id ids.ID) (stored activityItem, changed bool, err error) {
	call, err := o.r.gen.Next(ctx)
	if err != nil {
		return stored, false, err
	}
	removal := store.Change[activityItem]{
		Key: activityKey(o.owner, id), Call: call, Part: "edit", Last: (*activityItem).lastEdit, Unread: true,
		Next: func(seen *activityItem, g store.Guard) (store.Write, error) {
			if err := seen.replaceable(); err != nil {
				return nil, err
			}
			return g.Update().
				Remove(store.Deleted[activityItem]()...). // To stays: Erase needs it
				Set("removed", call).
				Set("ttl", o.r.tombstoneEnd(id).Unix()).
				If(replaceable), nil
		},
	}
	if keys.CheckNewID("ID", id, o.r.opts.Now()) == nil { // nothing is stored under an id from the future
		removal.Absent = func(*store.Update) {}
	}
	return removal.Run(ctx, o.r.table)
}

// RemoveForeign removes the activity that has the foreign ID, which is then free
// again. changed is true only if this call removed one.
//
// Cost: 2 requests, 1 RCU, 1 WCU for each KB.
//
//plaza:cost an activity of 1 KB: 2 requests, 1 RCU, 1 WCU
func (o Outbox) RemoveForeign(ctx context.Context, foreignID string) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.RemoveForeign")
	if err := o.check(); err != nil {
		return false, err
	}
	if err := keys.CheckName("ForeignID", foreignID); err != nil {
		return false, err
	}
	var guard foreignItem
	err = o.r.table.Get(ctx, foreignKey(o.owner, foreignID), true, &guard)
	if errors.Is(err, plaza.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("feed: remove foreign id of %q: %w", o.owner, err)
	}
	return o.Remove(ctx, guard.ID)
}
