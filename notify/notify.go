package notify

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/group"
)

// Notify stores an event in its group, which becomes unread and the first of the list.
// Users are not notified of their own actions, unless n is Critical. Another event under
// the same ID is plaza.ErrConflict. created is true if this call stored the event.
//
// The group shows its newest event by ID, also if an older one comes later.
//
// If a call gets no answer, repeat it: no event counts twice. After a repeat within 15 minutes,
// the event is unseen unless the user was shown it. For that, a repeat in another process, over
// 5 s after the event, moves the group to the top again, at most three times. A group that the
// user has read, archived, snoozed or marked since stays where it is.
//
// Cost: 1 request, 3 WCU; at most 3 requests, 0.5 RCU, 4 WCU; 1 WCU for each further
// KB; and what Policy and Scheduler cost.
//
//plaza:cost an event: 1 request, 3 WCU
//plaza:cost a group's first event: 1 request, 2 WCU
//plaza:cost a repeat: 1 request, 1 WCU
//plaza:cost a repeat that moves the group: 3 requests, 0.5 RCU, 4 WCU
//plaza:cost of an actor whom the group names, or older than its newest event: 2 requests, 4 WCU
//plaza:cost into a full group: 2 requests, 4 WCU
//plaza:cost into a full group that may not rise yet: none
//plaza:cost with Options.Allow: 1 request, 1 RCU
//plaza:cost with Options.Allow, each further 4 KB of the group: 1 RCU
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
	if r.opts.Allow != nil && !n.Critical {
		known, err := r.groups.Known(ctx, key, e)
		allowed := known
		if err == nil && !known {
			allowed, err = r.opts.Allow(ctx, n)
		}
		if err != nil {
			return Result{}, false, fmt.Errorf("notify: whether activity %v for %q is allowed: %w", e.ID, n.User, err)
		}
		if !allowed {
			return Result{Dropped: true, Refused: true}, false, nil
		}
	}
	mint := r.mint
	if r.opts.Scheduler != nil && len(decision.Channels) > 0 {
		mint = r.planned(n.User, decision.Channels)
	}
	got, created, err := r.groups.Add(ctx, key, e, mint)
	if err != nil {
		return Result{}, false, fmt.Errorf("notify: activity %v for %q: %w", e.ID, n.User, err)
	}
	if got.Status == group.Dropped {
		return Result{Dropped: true, Retracted: true}, false, nil
	}
	return Result{Full: got.Status == group.Full, Group: groupOf(key.SK), Last: got.Last, Channels: decision.Channels}, created, nil
}
