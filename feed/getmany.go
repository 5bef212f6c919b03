package feed

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxGets is the most activities of a GetMany.
const maxGets = 100

// GetMany reads up to 100 activities; unknown and removed ones are absent.
//
// One read: 0.5 RCU per 4 KB of each activity, eventually consistent; a
// second where activities are from other outboxes, by their To.
func (o Outbox) GetMany(ctx context.Context, wanted []ids.ID) (map[ids.ID]Activity, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	keys, err := o.activityKeys(wanted)
	if err != nil {
		return nil, err
	}
	found, err := o.getMany(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("feed: get %d of %q: %w", len(keys), o.owner, err)
	}
	return found, nil
}

// activityKeys gives each key once.
func (o Outbox) activityKeys(wanted []ids.ID) ([]store.Key, error) {
	if n := len(wanted); n > maxGets {
		return nil, &plaza.InvalidError{Field: "IDs", Reason: fmt.Sprintf("has %d, at most %d are allowed", n, maxGets)}
	}
	seen := make(map[ids.ID]bool, len(wanted))
	keys := make([]store.Key, 0, len(wanted))
	for i, id := range wanted {
		if err := checkNamedID(fmt.Sprintf("IDs[%d]", i), id); err != nil {
			return nil, err
		}
		if !seen[id] {
			seen[id] = true
			keys = append(keys, activityKey(o.owner, id))
		}
	}
	return keys, nil
}

func (o Outbox) getMany(ctx context.Context, keys []store.Key) (map[ids.ID]Activity, error) {
	stored, err := o.r.table.GetAll(ctx, keys, o.r.opts.Consistent, 1)
	if err != nil {
		return nil, err
	}
	items := make([]activityItem, 0, len(stored))
	for _, item := range stored {
		var a activityItem
		if err := dynamo.UnmarshalItem(item, &a); err != nil {
			return nil, err
		}
		items = append(items, a)
	}
	if items, err = o.r.standing(ctx, items, o.r.opts.Consistent); err != nil {
		return nil, err
	}
	found := make(map[ids.ID]Activity, len(items))
	for _, item := range items {
		found[item.ID] = item.activity()
	}
	return found, nil
}
