package feed

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxGets is the most activities of a GetMany.
const maxGets = 100

// GetMany reads up to 100 activities; unknown and removed ones are absent.
//
// Cost: 1 request, 0.5 RCU for each 4 KB of each activity, eventually consistent; both again for those from other outboxes, by their To.
func (o Outbox) GetMany(ctx context.Context, wanted []ids.ID) (map[ids.ID]Activity, error) {
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

// activityKeys gives each key once.
func (o Outbox) activityKeys(wanted []ids.ID) ([]store.Key, error) {
	if n := len(wanted); n > maxGets {
		return nil, &plaza.InvalidError{Field: "IDs", Reason: fmt.Sprintf("has %d, at most %d are allowed", n, maxGets)}
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
	if items, err = o.r.standing(ctx, items, o.r.opts.Consistent); err != nil {
		return nil, err
	}
	found := make(map[ids.ID]Activity, len(items))
	for _, item := range items {
		found[item.ID] = item.activity()
	}
	return found, nil
}
