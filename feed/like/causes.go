package like

import (
	"context"
	"errors"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/stream"
)

// Handle does for each record of the reactions' stream what its changes cause. It is a
// stream.Handler. Records may come late, repeatedly, and in any order. plaza.ErrInvalid is
// wrapped by stream.Permanent.
//
// Cost: 2 requests, 1 transaction, 1 RCU, 9 WCU for a reaction; 3 requests, 1
// transaction, 2 RCU, 9 WCU where it ended.
//
//plaza:cost a reaction that began: 2 requests, 1 transaction, 1 RCU, 9 WCU
//plaza:cost one that began again on one day, more: 1 request, 1 WCU
//plaza:cost a reaction that ended: 3 requests, 1 transaction, 2 RCU, 9 WCU
//plaza:cost with Entry, more: 2 requests, 1 RCU, 3 WCU
//plaza:cost a record that comes again, at most: as the first time
func (l *Likes) Handle(ctx context.Context, record stream.Record) error {
	err := l.follow(ctx, record)
	if errors.Is(err, plaza.ErrInvalid) {
		return stream.Permanent(err)
	}
	return err
}

func (l *Likes) follow(ctx context.Context, record stream.Record) error {
	changes, err := reaction.Changes(record)
	for _, c := range changes {
		of, err := l.effects(ctx, c.Reaction)
		if err != nil {
			return err
		}
		if of = of.named(c.Reaction.ID); c.Kind == reaction.Reacted {
			_, err = l.give(ctx, of)
		} else {
			err = l.take(ctx, of)
		}
		if err == nil {
			err = l.show(ctx, c.Reaction.Object)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// effects are what a reaction causes: nil is none.
type effects struct {
	notification *notify.Notification
	point        *leaderboard.Submission
}

// effects asks the options what a reaction causes. What Notify or Submit would refuse is
// plaza.ErrInvalid, before anything is written.
func (l *Likes) effects(ctx context.Context, a reaction.Reaction) (of effects, err error) {
	if l.opts.Notification != nil {
		n, ok, err := l.opts.Notification(ctx, a)
		if ok && err == nil {
			of.notification, err = &n, n.Validate()
		}
		if err != nil {
			return effects{}, err
		}
	}
	if l.opts.Point != nil {
		s, ok, err := l.opts.Point(ctx, a)
		if ok && err == nil {
			s.Retractable = true
			of.point, err = &s, s.Validate()
		}
		if err != nil {
			return effects{}, err
		}
	}
	return of, nil
}

// named gives the effects the identity of their reaction.
func (e effects) named(id ids.ID) effects {
	if e.notification != nil {
		e.notification.Activity.ID = id
	}
	if e.point != nil {
		e.point.Op = id
	}
	return e
}

// give does what a reaction causes. It reports retracted if that was taken back.
func (l *Likes) give(ctx context.Context, of effects) (retracted bool, err error) {
	if of.point != nil {
		_, _, err := l.boards.Submit(ctx, *of.point)
		if errors.Is(err, leaderboard.ErrRetracted) {
			return true, nil
		}
		if err = unlessOver(err); err != nil {
			return false, err
		}
	}
	if of.notification == nil {
		return false, nil
	}
	got, _, err := l.bell.Notify(ctx, *of.notification)
	return got.Retracted, err
}

// take takes back what a reaction caused, before it did or after.
func (l *Likes) take(ctx context.Context, of effects) error {
	if of.notification != nil {
		if _, err := l.bell.Retract(ctx, *of.notification); err != nil {
			return err
		}
	}
	if of.point == nil {
		return nil
	}
	_, err := l.boards.Retract(ctx, *of.point)
	return unlessOver(err)
}

// show updates the entry that shows an object's counts.
func (l *Likes) show(ctx context.Context, object string) error {
	if l.opts.Entry == nil {
		return nil
	}
	counts, version, err := l.reactions.VersionedCounts(ctx, object)
	if err != nil || version == 0 { // nobody reacted, or the object was erased
		return err
	}
	p, ok, err := l.opts.Entry(ctx, object, counts)
	if !ok || err != nil {
		return err
	}
	p.Version = version
	_, err = l.boards.Apply(ctx, p)
	return err
}

// unlessOver drops the errors of a point that counts no more, whatever becomes of the
// reaction: its period is over, it is too old to be known, or the player was removed.
func unlessOver(err error) error {
	if errors.Is(err, plaza.ErrRemoved) || errors.Is(err, leaderboard.ErrOpTooOld) {
		return nil
	}
	return err
}
