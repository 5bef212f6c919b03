package feed

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Update replaces what the activity a.ID says: its actor, verb, object,
// target, time and data. Its ForeignID and To stay; another ForeignID given is
// plaza.ErrConflict. Every home shows the new text at its next consistent
// read. An unknown activity is plaza.ErrNotFound, a removed one
// plaza.ErrRemoved.
//
// Cost: 1 request, 1 WCU for each KB, whatever the number of followers.
func (o Outbox) Update(ctx context.Context, a Activity) (Activity, error) {
	if err := o.check(); err != nil {
		return a, err
	}
	if err := keys.CheckID("ID", a.ID); err != nil {
		return a, err
	}
	if err := o.checkOwner(a); err != nil {
		return a, err
	}
	if err := a.check(); err != nil {
		return a, err
	}
	a = a.timed()
	update := o.r.table.Update(activityKey(o.owner, a.ID)).
		Set("actor", a.Actor).
		Set("verb", a.Verb).
		Set("object", a.Object).
		Set("target", a.Target).
		Set("data", string(a.Data)).
		If("attribute_exists(pk) AND attribute_not_exists(removed) AND attribute_not_exists('owner')")
	if a.Time.Equal(a.ID.Time()) {
		update.Remove("time")
	} else {
		update.Set("time", a.Time)
	}
	if a.ForeignID != "" {
		update.If("foreignId = ?", a.ForeignID)
	}
	var item dynamo.Item
	var stored activityItem
	err := o.r.table.Run(ctx, store.Returning{Update: update, Out: &item})
	if refused, ok := store.AsRefused(err); ok {
		item, _ := refused.At(0)
		switch {
		case item == nil, item["owner"] != nil:
			err = plaza.ErrNotFound
		case item["removed"] != nil:
			err = plaza.ErrRemoved
		default:
			err = plaza.ErrConflict
		}
	} else if err == nil {
		err = o.r.table.Decode(item, &stored)
	}
	if err != nil {
		return a, fmt.Errorf("feed: update %v of %q: %w", a.ID, o.owner, err)
	}
	o.r.hydrator.remember(ctx, CacheKey{o.owner, a.ID}, Cached{Activity: stored.activity()})
	return stored.activity(), nil
}
