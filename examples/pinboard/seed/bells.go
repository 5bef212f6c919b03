package seed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify"
)

// bellDays is how many days the bells go back.
const bellDays = 4

// events are the notifications of a person, oldest first.
func (p *plan) events(user string) ([]notify.Notification, error) {
	since := ids.At(p.anchor.Add(-bellDays * 24 * time.Hour))
	var all []notify.Notification
	add := func(id ids.ID, by, verb string, object feed.Ref, data map[string]string, count notify.CountBy) error {
		if id < since || by == user {
			return nil
		}
		text, err := json.Marshal(data)
		all = append(all, notify.Notification{User: user, CountBy: count, Activity: feed.Activity{
			ID: id, Actor: feed.Ref{ID: by}, Verb: verb, Object: object, Data: text,
		}})
		return err
	}
	for _, l := range p.likes {
		if l.picture >= 0 && p.members[p.pictures[l.picture].owner].ID == user {
			pic := p.pictures[l.picture]
			if err := add(l.ID, p.members[l.by].ID, "like", pictureRef(pic.ID), map[string]string{"title": pic.title}, notify.ByActor); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range p.repins {
		if pic := p.pictures[r.picture]; p.members[pic.owner].ID == user {
			if err := add(r.pin, p.members[r.by].ID, "pin", pictureRef(pic.ID), map[string]string{"title": pic.title, "board": r.board.name}, notify.ByActor); err != nil {
				return nil, err
			}
		}
	}
	for _, t := range p.threads {
		pic := p.pictures[t.picture]
		authors := map[ids.ID]string{}
		for _, c := range t.comments {
			authors[c.ID] = c.User
			var verb string
			switch {
			case authors[cmp.Or(c.Parent, c.Root)] == user:
				verb = "reply"
			case p.members[pic.owner].ID == user:
				verb = "comment"
			default:
				continue
			}
			if err := add(c.ID, c.User, verb, pictureRef(pic.ID), map[string]string{"title": pic.title, "text": c.Text}, notify.ByActivity); err != nil {
				return nil, err
			}
		}
	}
	for _, e := range p.follows {
		if e.Followee == user {
			if err := add(e.ID, e.Follower, "follow", feed.Ref{ID: user}, nil, notify.ByActor); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(all, func(a, b notify.Notification) int { return cmp.Compare(a.Activity.ID, b.Activity.ID) })
	return all, nil
}

// ring fills the bells of the people in the tours. Everything older than half a day
// was seen. One person's bell is one job, because it has to be written in order.
func (w *writer) ring(ctx context.Context) error {
	return each(ctx, known, func(ctx context.Context, user string) error {
		events, err := w.events(user)
		if err != nil || len(events) == 0 {
			return err
		}
		clock := newClock(events[0].Activity.ID.Time(), "bell/"+user)
		bell, err := w.Bells(clock, clock.Now)
		if err != nil {
			return err
		}
		seen := w.anchor.Add(-12 * time.Hour)
		for i, n := range events {
			at := n.Activity.ID.Time()
			if i > 0 && clock.at.Before(seen) && !at.Before(seen) {
				if err := w.see(ctx, bell, user, clock); err != nil {
					return err
				}
			}
			if at.After(clock.at) {
				clock.at = at
			}
			if _, _, err := bell.Notify(ctx, n); err != nil {
				return fmt.Errorf("notify %s of %s: %w", user, n.Activity.Verb, err)
			}
		}
		if clock.at.Before(seen) {
			return w.see(ctx, bell, user, clock)
		}
		return nil
	})
}

// see marks everything so far as seen.
func (w *writer) see(ctx context.Context, bell *notify.Repository, user string, clock *clock) error {
	clock.Step(notify.Window + time.Second)
	id := ids.At(clock.at)
	_, err := bell.MarkSeen(ctx, user, notify.View{At: id, Newest: id})
	return err
}
