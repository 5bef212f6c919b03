package feed

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Get reads one activity. An unknown or removed one is plaza.ErrNotFound.
//
// Cost: 1 request, 0.5 RCU for each 4 KB, eventually consistent; twice that if the
// activity lies in another outbox.
//
//plaza:cost an activity of 4 KB: 1 request, 0.5 RCU
//plaza:cost from another outbox: 2 requests, 1 RCU
func (o Outbox) Get(ctx context.Context, id ids.ID) (Activity, error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.Get")
	if err := o.check(); err != nil {
		return Activity{}, err
	}
	if err := keys.CheckID("ID", id); err != nil {
		return Activity{}, err
	}
	a, err := o.get(ctx, id, o.r.opts.Consistent)
	if err != nil {
		return Activity{}, fmt.Errorf("feed: get %v of %q: %w", id, o.owner, err)
	}
	return a, nil
}

func (o Outbox) get(ctx context.Context, id ids.ID, consistent bool) (Activity, error) {
	var item activityItem
	if err := o.r.table.Get(ctx, activityKey(o.owner, id), consistent, &item); err != nil {
		return Activity{}, err
	}
	switch {
	case item.Removed != 0:
		return Activity{}, plaza.ErrNotFound
	case item.Owner != "":
		var referred activityItem
		if err := o.r.table.Get(ctx, activityKey(item.Owner, id), consistent, &referred); err != nil {
			return Activity{}, err
		}
		if item = referred; item.Removed != 0 || item.Owner != "" {
			return Activity{}, plaza.ErrNotFound
		}
	}
	return item.activity(), nil
}

// List lists the owner's activities, newest first.
//
// Cost: 1 request, 3 RCU for a page of 20, eventually consistent; with activities from
// other outboxes 1 request more; past removed activities 6 queries.
//
//plaza:cost a page of 20: 1 request, 3 RCU
//plaza:cost each 100 activities from other outboxes: 1 request, 50 RCU
//plaza:cost the queries past removed activities: 6 requests
func (o Outbox) List(ctx context.Context, req cursor.PageRequest) (cursor.Page[Activity], error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.List")
	if err := o.check(); err != nil {
		return cursor.Page[Activity]{}, err
	}
	list := o.list(o.r.opts.Consistent)
	page, err := list.Page(ctx, req)
	if err != nil {
		return page, fmt.Errorf("feed: outbox of %q: %w", o.owner, err)
	}
	return page, nil
}

func (o Outbox) list(consistent bool) store.List[activityItem, Activity] {
	return store.List[activityItem, Activity]{
		Codec: o.r.opts.Codec,
		Scope: cursor.Scope{List: "feed/outbox", Partition: o.owner},
		Order: store.ByID(func(i activityItem) ids.ID { return i.ID }),
		Item:  activityItem.activity,
		Read: func(ctx context.Context, reach store.Reach) ([]activityItem, string, error) {
			span := reach.Span(outboxPK(o.owner))
			span.Consistent = consistent
			if span.To == "" {
				span.To = aboveIDs // not the source's header
			}
			return store.Read[activityItem](ctx, o.r.table, span)
		},
		Show: func(ctx context.Context, items []activityItem) ([]activityItem, error) {
			return o.r.resolved(ctx, items, consistent)
		},
	}
}

// resolved drops removed activities and reads the ones that references name.
func (r *Repository) resolved(ctx context.Context, items []activityItem, consistent bool) ([]activityItem, error) {
	var wanted []store.Key
	for _, item := range items {
		if item.Owner != "" {
			wanted = append(wanted, activityKey(item.Owner, item.ID))
		}
	}
	found, err := r.table.GetAll(ctx, wanted, consistent, 1)
	if err == nil && !consistent {
		err = addLagging(ctx, r.table, found, wanted)
	}
	if err != nil {
		return nil, err
	}
	shown := items[:0]
	for _, item := range items {
		if item.Owner != "" {
			referred := found[activityKey(item.Owner, item.ID)]
			item = activityItem{}
			if referred != nil {
				if err := r.table.Decode(referred, &item); r.table.Skips(err) {
					continue
				}
			}
		}
		// The activity may be gone, and another owner's reference in its place.
		if item.ID != 0 && item.Removed == 0 && item.Owner == "" {
			shown = append(shown, item)
		}
	}
	return shown, nil
}

// maxGets is the most activities of one GetMany.
const maxGets = 100

// GetMany reads up to 100 activities. The map lacks unknown and removed ones.
//
// Cost: 1 request, 50 RCU for 100 activities of 4 KB, eventually consistent; twice that
// for activities from other outboxes.
//
//plaza:cost 100 activities: 1 request, 50 RCU
//plaza:cost 100 activities from other outboxes: 2 requests, 100 RCU
func (o Outbox) GetMany(ctx context.Context, wanted []ids.ID) (map[ids.ID]Activity, error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.GetMany")
	if err := o.check(); err != nil {
		return nil, err
	}
	addresses, err := o.activityKeys(wanted)
	if err != nil {
		return nil, err
	}
	found, err := o.getMany(ctx, addresses)
	if err != nil {
		return nil, fmt.Errorf("feed: get %d of %q: %w", len(addresses), o.owner, err)
	}
	return found, nil
}

// activityKeys returns each key once.
func (o Outbox) activityKeys(wanted []ids.ID) ([]store.Key, error) {
	if err := args.Count("IDs", len(wanted), "ids", maxGets); err != nil {
		return nil, err
	}
	seen := make(map[ids.ID]bool, len(wanted))
	addresses := make([]store.Key, 0, len(wanted))
	for i, id := range wanted {
		if err := keys.CheckID(fmt.Sprintf("IDs[%d]", i), id); err != nil {
			return nil, err
		}
		if !seen[id] {
			seen[id] = true
			addresses = append(addresses, activityKey(o.owner, id))
		}
	}
	return addresses, nil
}

func (o Outbox) getMany(ctx context.Context, addresses []store.Key) (map[ids.ID]Activity, error) {
	stored, err := o.r.table.GetAll(ctx, addresses, o.r.opts.Consistent, 1)
	if err != nil {
		return nil, err
	}
	items := make([]activityItem, 0, len(stored))
	for _, item := range stored {
		var a activityItem
		if err := o.r.table.Decode(item, &a); o.r.table.Skips(err) {
			continue
		}
		items = append(items, a)
	}
	if items, err = o.r.resolved(ctx, items, o.r.opts.Consistent); err != nil {
		return nil, err
	}
	found := make(map[ids.ID]Activity, len(items))
	for _, item := range items {
		found[item.ID] = item.activity()
	}
	return found, nil
}
