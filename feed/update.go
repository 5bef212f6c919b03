package feed

import (
	"context"
	"fmt"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Update replaces the actor, verb, object, target, time and data of the activity a.ID.
// Every home shows them at its next consistent read. changed is false if the activity
// already had that content. An earlier Update that arrives after a later one does
// nothing, if clocks differ by less than the time between the two.
//
// ForeignID and To cannot be changed: another ForeignID is plaza.ErrConflict. An unknown
// activity is plaza.ErrNotFound, a removed one plaza.ErrRemoved. If the answer is lost and
// two others update or remove the activity meanwhile, the error may be
// plaza.ErrUnknownOutcome: read the activity, and repeat the update if you still want it.
//
// Cost: 1 request, 1 WCU for each KB, whatever the number of followers; with nothing to
// change 1 request, 1 WCU for each KB more.
//
//plaza:cost an activity of 1 KB: 1 request, 1 WCU
//plaza:cost nothing to change: 1 request, 1 WCU
//plaza:cost each update that overlaps, or was made by a clock that is ahead: 1 request, 1 WCU
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
	stored, changed, err := o.update(ctx, a.timed())
	if err == nil && stored.Removed != 0 { // since this call
		err = plaza.ErrRemoved
	}
	if err != nil {
		return a, false, fmt.Errorf("feed: update %v of %q: %w", a.ID, o.owner, err)
	}
	o.r.hydrator.remember(ctx, CacheKey{o.owner, a.ID}, Cached{Activity: stored.activity()})
	return stored.activity(), changed, nil
}

func (o Outbox) update(ctx context.Context, a Activity) (stored activityItem, changed bool, err error) {
	call, err := o.r.gen.Next(ctx)
	if err != nil {
		return stored, false, err
	}
	wanted := newActivityItem(a)
	item, err := dynamo.MarshalItem(wanted)
	if err != nil {
		return stored, false, err
	}
	return store.Change[activityItem]{
		Key: activityKey(o.owner, a.ID), Call: call, Part: "edit", Last: (*activityItem).lastEdit, Unread: true,
		Next: func(seen *activityItem, g store.Guard) (store.Write, error) {
			err := seen.replaceable()
			switch {
			case err != nil:
				return nil, err
			case seen != nil && a.ForeignID != "" && seen.ForeignID != a.ForeignID:
				return nil, plaza.ErrConflict
			case seen != nil && store.Same(seen, &wanted):
				return nil, store.ErrSame
			}
			update := g.Update().If(replaceable)
			if a.ForeignID != "" {
				update.If("foreignId = ?", a.ForeignID)
			}
			return edit(update, item), nil
		},
	}.Run(ctx, o.r.table)
}

// edit replaces the content by the item's, unless it is the same.
func edit(update *store.Update, item dynamo.Item) *store.Update {
	var differs []string
	var args []any
	for _, name := range store.Deleted[activityItem]() {
		if value := item[name]; value != nil {
			update.Set(name, value)
			differs, args = append(differs, "$ <> ?"), append(args, name, value)
		} else {
			update.Remove(name)
			differs, args = append(differs, "attribute_exists($)"), append(args, name)
		}
	}
	return update.If(strings.Join(differs, " OR "), args...)
}

// replaceable is the condition that an item is neither a tombstone nor a reference.
const replaceable = "attribute_not_exists(removed) AND attribute_not_exists('owner')"

// replaceable returns why the item is not; nil was not read.
func (i *activityItem) replaceable() error {
	switch {
	case i == nil:
		return nil
	case i.Owner != "":
		return plaza.ErrNotFound
	case i.Removed != 0:
		return plaza.ErrRemoved
	}
	return nil
}
