package notify

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Notify stores the event in its group, which becomes unread and the first of the
// list. Users are not notified of their own actions, unless n is Critical. Another event
// under the same ID is plaza.ErrConflict. created is true if this call stored the event,
// so never if it is Full.
//
// Repeat a call that got no answer: if you do within 15 minutes, the event is unseen
// unless its user was shown it. A repeat counts nothing twice. More than 5 s after the
// event was stored, by another process, it moves the group to the top once more unless
// that is read, archived or snoozed, or was marked when it was new; at most three times.
//
// Cost: 1 request, 3 WCU; at most 3 requests, 0.5 RCU, 4 WCU; 1 WCU for each further
// KB; and what Policy and Scheduler cost.
//
//plaza:cost an event: 1 request, 3 WCU
//plaza:cost a group's first event: 1 request, 2 WCU
//plaza:cost a repeat: 1 request, 1 WCU
//plaza:cost a repeat that moves the group: 3 requests, 0.5 RCU, 4 WCU
//plaza:cost of an actor whom the group names: 2 requests, 4 WCU
//plaza:cost into a full group: 2 requests, 4 WCU
//plaza:cost into a full group that may not rise yet: none
//plaza:cost each further KB of the group, in each request: 1 WCU
//plaza:cost each further KB that lists read of it: 2 WCU
func (r *Repository) Notify(ctx context.Context, n Notification) (res Result, created bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Notify")
	e, key, err := r.event(n)
	if err != nil {
		return Result{}, false, err
	}
	dropped := Result{Dropped: true}
	if !r.opts.Now().Before(e.ID.Time().Add(r.opts.Retention)) || !n.Critical && r.opts.User(n.Activity.Actor) == n.User {
		return dropped, false, nil
	}
	decision, err := r.decide(ctx, n)
	if err != nil {
		return Result{}, false, fmt.Errorf("notify: policy on activity %v for %q: %w", e.ID, n.User, err)
	}
	if decision.Drop {
		return dropped, false, nil
	}
	mint := r.mint
	if r.opts.Scheduler != nil && len(decision.Channels) > 0 {
		mint = r.planned(n.User, decision.Channels)
	}
	got, created, err := r.groups.Add(ctx, key, e, mint)
	if err != nil {
		return Result{}, false, fmt.Errorf("notify: activity %v for %q: %w", e.ID, n.User, err)
	}
	if got.Outcome == group.Dropped {
		return dropped, false, nil
	}
	return Result{Full: got.Outcome == group.Full, Group: groupOf(key.SK), Last: got.Last, Channels: decision.Channels}, created, nil
}

// decide asks the policy.
func (r *Repository) decide(ctx context.Context, n Notification) (Decision, error) {
	if r.opts.Policy == nil {
		return Decision{}, nil
	}
	d, err := r.opts.Policy.Decide(ctx, n)
	d.Drop = d.Drop && !n.Critical
	return d, err
}

// mint makes a write id above another, which a faster clock may have made.
func (r *Repository) mint(ctx context.Context, above ids.ID) (ids.ID, error) {
	id, err := r.gen.Next(ctx)
	if err == nil && id <= above {
		id = keys.After(id, above)
	}
	return id, err
}

// maxMints bounds the ids for which a planned message is not early enough.
const maxMints = 20

// planned returns a mint of ids for which the Scheduler has planned a message. It asks
// for an earlier id, so that its answer does not make a write late.
func (r *Repository) planned(user string, channels []string) group.Mint {
	until := ids.ID(0)
	return func(ctx context.Context, above ids.ID) (ids.ID, error) {
		for range maxMints {
			id, err := r.mint(ctx, above)
			if err != nil || id < until {
				return id, err
			}
			if until, err = r.opts.Scheduler.Schedule(ctx, user, channels, id); err != nil {
				return 0, err
			}
		}
		return 0, plaza.ErrBusy
	}
}

// event is what the notification's group counts, and the group's key.
func (r *Repository) event(n Notification) (group.Event, store.Key, error) {
	if err := n.check(); err != nil {
		return group.Event{}, store.Key{}, err
	}
	if err := keys.CheckNewID("Activity.ID", n.Activity.ID, r.opts.Now()); err != nil {
		return group.Event{}, store.Key{}, err
	}
	key := groupKey(In{n.User, groupName(n.about(), n.Activity.Verb, n.Activity.ID)})
	if err := args.Count("Activity", len(groupOf(key.SK)), "bytes in its group's name", maxName); err != nil {
		return group.Event{}, store.Key{}, err
	}
	data, err := encodeActivity(n.Activity)
	return group.Event{
		ID:      n.Activity.ID,
		Actor:   n.Activity.Actor.String(),
		ByActor: n.CountBy == ByActor,
		Detail:  detail(n.Activity),
		Data:    data,
	}, key, err
}
