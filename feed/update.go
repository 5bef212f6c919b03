package feed

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Update replaces the actor, verb, object, target, time and data of the
// activity a.ID. Every home shows them at its next consistent read. ForeignID
// and To stay: another ForeignID is plaza.ErrConflict. An unknown activity is
// plaza.ErrNotFound, a removed one plaza.ErrRemoved. A late request changes
// nothing if a later edit was made.
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
	if err := a.Validate(); err != nil {
		return a, err
	}
	edit, err := o.r.gen.Next(ctx)
	if err != nil {
		return a, err
	}
	stands, err := o.update(ctx, a.timed(), edit)
	if err != nil {
		return a, fmt.Errorf("feed: update %v of %q: %w", a.ID, o.owner, err)
	}
	o.r.hydrator.remember(ctx, CacheKey{o.owner, a.ID}, Cached{Activity: stands.activity()})
	return stands.activity(), nil
}

// update tries again with a later edit where a process whose clock is ahead
// made the last one.
func (o Outbox) update(ctx context.Context, a Activity, edit ids.ID) (stands activityItem, err error) {
	for range maxTries {
		var item dynamo.Item
		err := o.r.table.Run(ctx, store.Returning{Update: o.edit(a, edit), Out: &item})
		refused, ok := store.AsRefused(err)
		if !ok {
			if err == nil {
				err = o.r.table.Decode(item, &stands)
			}
			return stands, err
		}
		item, _ = refused.At(0)
		switch {
		case item == nil, item["owner"] != nil:
			return stands, plaza.ErrNotFound
		case item["removed"] != nil:
			return stands, plaza.ErrRemoved
		}
		var met activityItem
		if err := o.r.table.Decode(item, &met); err != nil {
			return stands, err
		}
		switch {
		case a.ForeignID != "" && met.ForeignID != a.ForeignID:
			return stands, plaza.ErrConflict
		case met.Edited == edit, met.EditedOld == edit: // the SDK sent it twice
			return met, nil
		}
		edit = keys.After(edit, met.Edited)
	}
	return stands, plaza.ErrBusy
}

func (o Outbox) edit(a Activity, edit ids.ID) *dynamo.Update {
	update := o.r.table.Update(activityKey(o.owner, a.ID)).
		Set("actor", a.Actor).
		Set("verb", a.Verb).
		Set("object", a.Object).
		Set("target", a.Target).
		Set("data", string(a.Data)).
		SetExpr("editedOld = if_not_exists(edited, ?)", ids.ID(0)).
		Set("edited", edit).
		If("attribute_exists(pk) AND attribute_not_exists(removed) AND attribute_not_exists('owner')").
		If("attribute_not_exists(edited) OR edited < ?", edit)
	if a.Time.Equal(a.ID.Time()) {
		update.Remove("time")
	} else {
		update.Set("time", a.Time)
	}
	if a.ForeignID != "" {
		update.If("foreignId = ?", a.ForeignID)
	}
	return update
}
