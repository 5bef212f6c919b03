package notify

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Retract takes an event back: the like was undone, the comment removed. Pass the same
// User, CountBy, and the activity's ID, Actor, Verb, and Target or Object as to Notify. A
// Notify of the event that arrives later is Dropped. With ByActor you may pass a later ID
// of the same group; the actor's events with IDs after that still count.
//
// The group stays in the list, the archive or the snoozed groups, and moves down to its
// newest remaining event. A group without events disappears. changed is true if this call
// took back an event that counted. Another actor's event under that ID is
// plaza.ErrConflict.
//
// Cost: 2 requests, 1 RCU, 3 WCU; a repeat 1 request, 1 RCU; more where the group is
// larger than 1 KB.
//
//plaza:cost an event: 2 requests, 1 RCU, 3 WCU
//plaza:cost a repeat: 1 request, 1 RCU
//plaza:cost with Options.GroupBefore: 2 requests, 1 RCU, 3 WCU
//plaza:cost each further 4 KB of the group: 1 RCU
//plaza:cost each further KB of the group: 1 WCU
//plaza:cost each further KB that lists read of it: 2 WCU
func (r *Repository) Retract(ctx context.Context, n Notification) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Retract")
	groupings := []Grouping{r.opts.Group}
	if r.opts.GroupBefore != nil {
		groupings = append(groupings, r.opts.GroupBefore)
	}
	for _, g := range groupings {
		e, key, err := r.eventBy(g, n)
		if err != nil {
			return false, err
		}
		counted, err := r.groups.Retract(ctx, key, e, r.mint)
		if err != nil {
			return false, fmt.Errorf("notify: retract activity %v for %q: %w", e.ID, n.User, err)
		}
		changed = changed || counted
	}
	return changed, nil
}

// RetractTarget takes back all events of a user's groups about something that was removed,
// and returns how many groups had events. Repeats of these events are Dropped; events with
// later IDs count. The other groups are emptied even if one is damaged: then the error is
// plaza.ErrCorrupt.
//
// Cost: 1 request, 1 RCU; 1 request, 2 WCU for each group; more where the groups are
// larger than 1 KB.
//
//plaza:cost no group: 1 request, 1 RCU
//plaza:cost each group: 1 request, 2 WCU
//plaza:cost each further 4 KB of the groups: 1 RCU
//plaza:cost each further KB of a group: 1 WCU
//plaza:cost each further KB that lists read of it: 1 WCU
func (r *Repository) RetractTarget(ctx context.Context, user string, about feed.Ref) (groups int, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.RetractTarget")
	span, err := aboutSpan(user, about)
	if err != nil {
		return 0, err
	}
	items, err := store.Query[dynamo.Item](ctx, r.table, span)
	if err != nil {
		return 0, fmt.Errorf("notify: retract all about %q for %q: %w", about, user, err)
	}
	var damaged error
	for _, item := range items {
		emptied, err := r.groups.Empty(ctx, item, r.mint)
		if emptied {
			groups++
		}
		if err == nil {
			continue
		}
		err = fmt.Errorf("notify: retract all about %q for %q: %w", about, user, err)
		if !r.table.Skips(err) {
			return groups, err
		}
		damaged = err // it may still be in the list
	}
	return groups, damaged
}
