package notify

import (
	"context"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	maxSnooze = 366 * 24 * time.Hour
	maxWake   = 25 // groups that one call wakes
	wakeOnce  = 8  // of them at once
	wakeReads = 6  // of a call that looks for them
	wakeTries = 5  // of a group

	// late is how long after it was sent a request may still arrive.
	late = 24 * time.Hour
)

// Snooze hides a group until the given time, at most a year ahead. A new event brings
// it back earlier. changed is false if it is snoozed until then already, or is gone.
// plaza.ErrUnknownOutcome is as in Archive.
//
// Cost: 3 requests, 1 RCU, 5 WCU; where another group is due before 4 requests, 1 RCU,
// 6 WCU; more for a larger group, as Archive.
//
//plaza:cost a group: 3 requests, 1 RCU, 5 WCU
//plaza:cost where another group is due before: 4 requests, 1 RCU, 6 WCU
func (r *Repository) Snooze(ctx context.Context, in In, until time.Time) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Snooze")
	if err := in.check(); err != nil {
		return false, err
	}
	now, due := r.opts.Now(), ids.At(until)
	if due <= ids.At(now) || until.After(now.Add(maxSnooze)) {
		return false, &plaza.InvalidError{Field: "Until", Reason: "is not in the future, or more than a year ahead"}
	}
	var lowered time.Time
	changed, err = r.move(ctx, in, func(g *shelved, guard store.Guard) (*store.Update, error) {
		place := group.Place(group.Snoozed, due, g.SK)
		if g.Place == place {
			return nil, store.ErrSame
		}
		if lowered.IsZero() {
			lowered = r.opts.Now()
			if err := r.lower(ctx, in.User, due); err != nil {
				return nil, err
			}
		}
		update := guard.Update().Set("last", place)
		if shelfOf(g.Head) != group.Snoozed {
			update.Set("was", g.Place)
		}
		if g.TTL != 0 {
			update.Set("ttl", max(g.TTL, until.Add(r.opts.Retention).Unix()))
		}
		return update, nil
	})
	if err == nil && changed && r.opts.Now().Sub(lowered) > inTime {
		err = r.lower(ctx, in.User, due) // a reader may have raised it since
	}
	return changed, wrapGroup("snooze", in, err)
}

// lower makes readers look for due groups from that time on. Wake is lowered before
// the group moves, so that readers look for every group on the shelf.
func (r *Repository) lower(ctx context.Context, user string, due ids.ID) error {
	id, err := r.gen.Next(ctx)
	if err != nil {
		return err
	}
	quick := r.quick(user).Set("s.wake", due.String()).Set("s.low", id.String()).
		If("s.wake > ? AND s.low < ?", due.String(), id.String())
	_, err = r.mergeState(ctx, user, quick, func(s *state) bool {
		if s.wake <= due && s.low >= id {
			return false
		}
		s.wake, s.low = min(s.wake, due), max(s.low+1, id)
		return true
	})
	return err
}

// Unsnooze moves a snoozed group back to where it was. It is seen and read if it was
// before. changed is false if it was not snoozed. plaza.ErrUnknownOutcome is as in
// Archive.
//
// Cost: as Archive.
func (r *Repository) Unsnooze(ctx context.Context, in In) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Unsnooze")
	if err := in.check(); err != nil {
		return false, err
	}
	changed, err = r.move(ctx, in, func(g *shelved, guard store.Guard) (*store.Update, error) {
		if shelfOf(g.Head) != group.Snoozed {
			return nil, store.ErrSame
		}
		shelf := group.Listed
		if was, _, err := group.ParsePlace(g.Was); err == nil && was != group.Snoozed {
			shelf = was
		}
		return g.to(shelf, guard), nil
	})
	return changed, wrapGroup("unsnooze", in, err)
}

// wake moves the groups that are due back to the list, as new, and raises wake to the
// time when the next one is due. more is true if others are due. The caller has read the
// state.
func (r *Repository) wake(ctx context.Context, user string, s *state, now time.Time) (woken, more bool, err error) {
	due, next, err := r.due(ctx, user, now)
	if err != nil {
		return false, false, err
	}
	woken, more = len(due) > 0, next == 0
	moved := make([]ids.ID, len(due)) // groups that were due later come higher in the list
	for i := range due {
		if moved[i], err = r.gen.Next(ctx); err != nil {
			return false, false, err
		}
	}
	err = parallel.ForEach(ctx, len(due), wakeOnce, func(ctx context.Context, i int) error {
		return r.wakeGroup(ctx, due[i], moved[i])
	})
	if err != nil || next <= s.wake {
		return woken, more, err
	}

	// A group whose Snooze is running, or whose move arrives late, is not on the
	// shelf yet. So wake stays while the last Snooze is younger than Window, and then
	// gets no further ahead of now than that Snooze is old.
	age := now.Sub(s.low.Time())
	if s.low != 0 && age < late {
		if age < Window {
			return woken, more, nil
		}
		next = min(next, ids.At(now.Add(age)))
	}
	err = r.table.Run(ctx, r.quick(user).Set("s.wake", next.String()).If("s.low = ?", s.low.String()))
	if _, refused := store.AsRefused(err); refused {
		err = nil // a Snooze has lowered it
	}
	return woken, more, err
}

// due reads the groups that are due, and the time when the next one is due: 0 if there
// may be more.
func (r *Repository) due(ctx context.Context, user string, now time.Time) (due []group.Head, next ids.ID, err error) {
	from, to := group.Snoozed.Span()
	span := store.IndexSpan{
		Partition: userPK(user), From: []byte(from), To: []byte(to),
		Ascending: true, Limit: maxWake + 1, Consistent: true,
	}
	for range wakeReads { // past expired and damaged rows
		heads, rest, err := store.ReadIndex[group.Head](ctx, r.table, recent, span)
		if err != nil {
			return nil, 0, err
		}
		for _, h := range heads {
			_, at, _ := group.ParsePlace(h.Place)
			switch {
			case at > ids.At(now):
				return due, at, nil
			case expired(&h, now):
			case len(due) == maxWake:
				return due, 0, nil
			default:
				due = append(due, h)
			}
		}
		if rest == "" {
			return due, never, nil
		}
		span.From = []byte(rest)
		span.Limit *= 2
	}
	return due, 0, nil
}

// wakeGroup moves a group to the place of a new id, unless it has moved meanwhile. Each
// request has an id of its own. A reader may be past the id when it is applied late: then
// the group moves again.
func (r *Repository) wakeGroup(ctx context.Context, h group.Head, id ids.ID) error {
	var own []string
	for try := range wakeTries {
		id = max(id, h.Last+1)
		place := group.Place(group.Listed, id, h.SK)
		own = append(own, place)
		err := r.table.Run(ctx, store.Once{Limit: group.RequestTime, Write: r.table.Update(store.Key{PK: h.PK, SK: h.SK}).
			Set("last", place).Set("lv", id).Set(group.FloorAttr, id).Remove("was").Add("rev", 1).If("'last' = ?", h.Place)})
		refused, ok := store.AsRefused(err)
		switch {
		case ok:
			item, _ := refused.At(0)
			if item == nil {
				return nil
			}
			h = group.Head{}
			if err := r.table.Decode(item, &h); err != nil || !slices.Contains(own, h.Place) {
				return err // by another reader, or an event
			}
		case err == nil:
			h.Place, h.Last = place, id
		case !store.Again(ctx, try, err):
			return err
		}
		if slices.Contains(own, h.Place) && r.opts.Now().Sub(h.Last.Time()) <= inTime {
			return nil
		}
		if id, err = r.gen.Next(ctx); err != nil {
			return err
		}
	}
	return plaza.ErrBusy
}
