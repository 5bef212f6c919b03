package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

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
func (o Outbox) Remove(ctx context.Context, id ids.ID) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.Remove")
	if err := o.check(); err != nil {
		return false, err
	}
	if err := keys.CheckID("ID", id); err != nil {
		return false, err
	}
	removal, err := o.r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	update := o.r.table.Update(activityKey(o.owner, id)).
		Remove("actor", "verb", "object", "target", "time", "data"). // To stays: Erase needs it
		Set("removed", removal).
		Set("ttl", o.r.tombstoneEnd(id).Unix()).
		If("attribute_not_exists(removed) AND attribute_not_exists('owner')")
	if keys.CheckNewID("ID", id, o.r.opts.Now()) != nil {
		update.If("attribute_exists(pk)") // nothing is stored under an id from the future
	}
	var item dynamo.Item
	err = o.r.table.Run(ctx, store.Returning{Update: update, Out: &item})
	if refused, ok := store.AsRefused(err); ok {
		if item, _ = refused.At(0); item == nil {
			return false, nil
		}
		err = nil
	}
	var stands activityItem
	if err == nil {
		err = o.r.table.Decode(item, &stands)
	}
	if err != nil {
		return false, fmt.Errorf("feed: remove %v of %q: %w", id, o.owner, err)
	}
	// The SDK may have sent it twice: then the tombstone is this call's own.
	if stands.Removed != removal || stands.Hash == nil {
		return false, nil
	}
	o.r.hydrator.remember(ctx, CacheKey{o.owner, id}, Cached{Gone: true})
	return true, nil
}

// RemoveForeign removes the activity that has the foreign ID, which is then free
// again. changed is true only if this call removed one.
//
// Cost: 2 requests, 1 RCU, 1 WCU for each KB.
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
