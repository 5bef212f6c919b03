package notify

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Retract takes back an event: the like was undone, the comment removed. Of the
// activity its ID, Actor, Verb, and Target or Object count, as they were notified. An
// event that comes later is Dropped; one of the same actor with a greater ID counts.
// A group without events leaves the list; others keep their place if the event did
// not make it. changed is true if this call took it back.
//
// Cost: 2 requests, 1 RCU for each 4 KB of the group, 3 WCU + 1 WCU for each further
// KB.
func (r *Repository) Retract(ctx context.Context, n Notification) (changed bool, err error) {
	e, key, err := r.event(n)
	if err != nil {
		return false, err
	}
	if changed, err = r.groups.Retract(ctx, key, e, r.mint); err != nil {
		return false, fmt.Errorf("notify: retract activity %v for %q: %w", e.ID, n.User, err)
	}
	return changed, nil
}

// RetractTarget takes back all events of a user's groups about something, which was
// removed, and returns how many groups had any. Repeats of these events are Dropped;
// events with later IDs count.
//
// Cost: 1 request, and 1 for each group; 1 RCU for each 4 KB and 1 WCU for each KB of
// the groups, and 1 WCU for each group.
func (r *Repository) RetractTarget(ctx context.Context, user string, about feed.Ref) (groups int, err error) {
	span, err := aboutSpan(user, about)
	if err != nil {
		return 0, err
	}
	for rest := span.From; rest != ""; {
		span.From = rest
		var items []dynamo.Item
		if items, rest, err = store.Read[dynamo.Item](ctx, r.table, span); err != nil {
			return groups, fmt.Errorf("notify: retract all about %q for %q: %w", about, user, err)
		}
		for _, item := range items {
			emptied, err := r.groups.Empty(ctx, item, r.mint)
			if emptied {
				groups++
			}
			if err != nil && !r.table.Skips(err) {
				return groups, fmt.Errorf("notify: retract all about %q for %q: %w", about, user, err)
			}
		}
	}
	return groups, nil
}
