package feed

import (
	"context"
	"fmt"
	"reflect"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Update replaces the actor, verb, object, target, time and data of the
// activity a.ID. Every home shows them at its next consistent read. changed is
// false if the activity already had that content. If the SDK repeated the
// request because its answer was lost, changed is true. An earlier Update that
// arrives later does nothing.
//
// ForeignID and To stay: another ForeignID is plaza.ErrConflict. An unknown
// activity is plaza.ErrNotFound, a removed one plaza.ErrRemoved. If the answer is
// lost and others update or remove it meanwhile, it is plaza.ErrUnknownOutcome: read
// the activity, and repeat the update if it is still wanted.
//
// Cost: 1 request, 1 WCU for each KB, whatever the number of followers.
func (o Outbox) Update(ctx context.Context, a Activity) (_ Activity, changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.Update")
	if err := o.check(); err != nil {
		return a, false, err
	}
	if err := keys.CheckID("ID", a.ID); err != nil {
		return a, false, err
	}
	if err := o.checkOwner(a); err != nil {
		return a, false, err
	}
	if err := a.Validate(); err != nil {
		return a, false, err
	}
	call, err := o.r.gen.Next(ctx)
	if err != nil {
		return a, false, err
	}
	stands, changed, err := o.update(ctx, a.timed(), call)
	if err != nil {
		return a, false, fmt.Errorf("feed: update %v of %q: %w", a.ID, o.owner, err)
	}
	o.r.hydrator.remember(ctx, CacheKey{o.owner, a.ID}, Cached{Activity: stands.activity()})
	return stands.activity(), changed, nil
}

// update tries again with a greater id if a process whose clock is ahead made
// the last edit. Another call may then choose the same id.
func (o Outbox) update(ctx context.Context, a Activity, call ids.ID) (stands activityItem, changed bool, err error) {
	edit := call
	for range maxTries {
		var item dynamo.Item
		err := o.r.table.Run(ctx, store.Returning{Update: o.edit(a, edit, call), Out: &item, Before: true})
		refused, ok := store.AsRefused(err)
		if !ok {
			if err == nil {
				changed, err = replaceContent(item, a)
			}
			if err == nil {
				err = o.r.table.Decode(item, &stands)
			}
			return stands, changed, err
		}
		item, _ = refused.At(0)
		switch {
		case item == nil, item["owner"] != nil:
			return stands, false, plaza.ErrNotFound
		case item["removed"] != nil && refused.Doubtful(): // it may have been applied before
			return stands, false, plaza.ErrUnknownOutcome
		case item["removed"] != nil:
			return stands, false, plaza.ErrRemoved
		}
		var met activityItem
		if err := o.r.table.Decode(item, &met); err != nil {
			return stands, false, err
		}
		switch {
		case a.ForeignID != "" && met.ForeignID != a.ForeignID:
			return stands, false, plaza.ErrConflict
		case met.Call == call, met.CallOld == call: // the SDK sent it twice
			return met, true, nil
		case refused.Doubtful(): // it may have been applied before the last two
			return stands, false, plaza.ErrUnknownOutcome
		}
		edit = keys.After(edit, met.Edited)
	}
	return stands, false, plaza.ErrBusy
}

// replaceContent changes the item as the edit changed the stored one. It reports
// whether that made a difference.
func replaceContent(item dynamo.Item, a Activity) (changed bool, err error) {
	content, err := dynamo.MarshalItem(newActivityItem(a))
	if err != nil {
		return false, err
	}
	for _, name := range []string{"actor", "verb", "object", "target", "time", "data"} {
		if reflect.DeepEqual(item[name], content[name]) {
			continue
		}
		changed = true
		if content[name] == nil {
			delete(item, name)
		} else {
			item[name] = content[name]
		}
	}
	return changed, nil
}

func (o Outbox) edit(a Activity, edit, call ids.ID) *store.Update {
	update := o.r.table.Update(activityKey(o.owner, a.ID)).
		Set("actor", a.Actor).
		Set("verb", a.Verb).
		Set("object", a.Object).
		Set("target", a.Target).
		Set("data", string(a.Data)).
		Set("edited", edit).
		SetExpr("'callOld' = if_not_exists('call', ?)", ids.ID(0)).
		Set("call", call).
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
