package like

import (
	"context"
	"errors"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
)

// Options of Likes. Each function must answer the same whenever it is asked about a user, an
// object and a kind: React asks before the reaction has an ID. An answer that Notify or
// Submit would refuse is plaza.ErrInvalid, before anything is written. false means that the reaction causes nothing here: it is of another kind, or
// on something of the user's own.
type Options struct {
	// Notification is that of a reaction, whose ID becomes its activity's. notify.ByActor
	// keeps one event of an actor in a group: use it only where the group is about the
	// reaction's object and kind alone. Optional.
	Notification func(context.Context, reaction.Reaction) (n notify.Notification, ok bool, err error)

	// Point is what a reaction gives to an entry, such as the owner's of this week, by
	// Increment or Decrement. It is Retractable, and the reaction's ID becomes its Op. It is
	// for boards that reset: on another one the points of 30 days ago cannot be taken back.
	// A period that is over stays as it is: a Grace of the board leaves time for repeats and
	// late records. Optional.
	Point func(context.Context, reaction.Reaction) (s leaderboard.Submission, ok bool, err error)

	// Entry is what a board shows of an object by its counts, for boards that do not reset.
	// The counts' version becomes its Version. It is asked after each change, of any kind.
	// After reaction's EraseObject call leaderboard's Erase of the entry. Optional.
	Entry func(ctx context.Context, object string, counts map[string]int64) (p leaderboard.Projection, ok bool, err error)
}

// Likes keep boards and notifications in step with reactions.
type Likes struct {
	reactions *reaction.Repository
	boards    *leaderboard.Repository
	bell      *notify.Repository
	opts      Options
}

// New does no I/O. The bell may be nil without Options.Notification, the boards without
// Point and Entry.
func New(reactions *reaction.Repository, boards *leaderboard.Repository, bell *notify.Repository, opts *Options) (*Likes, error) {
	o := args.Given(opts)
	switch {
	case reactions == nil:
		return nil, &plaza.InvalidError{Field: "reactions", Reason: "is nil"}
	case boards == nil && (o.Point != nil || o.Entry != nil):
		return nil, &plaza.InvalidError{Field: "boards", Reason: "is nil, and there is Options.Point or Options.Entry"}
	case bell == nil && o.Notification != nil:
		return nil, &plaza.InvalidError{Field: "bell", Reason: "is nil, and there is Options.Notification"}
	}
	return &Likes{reactions, boards, bell, o}, nil
}

// attempts bound how often a React begins again because an Unreact took it back.
const attempts = 10

// React is reaction.Repository.React, and gives the point, notifies, and updates the
// entry. If it finds that an Unreact was interrupted, it ends that reaction and begins
// another, which may ring again. After an error, repeat it: a repeat does what is missing.
//
// A kind of a group in reaction.Options.OneOf is plaza.ErrInvalid: only Handle sees what
// a switch ends.
//
// Cost: 2 requests, 2 transactions, 1 RCU, 17 WCU; 2 requests, 1 RCU, 3 WCU with
// Options.Entry.
//
//plaza:cost with Notification and Point: 2 requests, 2 transactions, 1 RCU, 17 WCU
//plaza:cost again on one day, more: 1 request, 1 WCU
//plaza:cost a repeat: 2 requests, 2 transactions, 1 RCU, 13 WCU
//plaza:cost with Entry, more: 2 requests, 1 RCU, 3 WCU
//plaza:cost with Entry, a repeat, more: 2 requests, 1 RCU, 1 WCU
//plaza:cost after an Unreact that was interrupted: as Unreact and React
func (l *Likes) React(ctx context.Context, a reaction.Reaction) (stored reaction.Reaction, changed bool, err error) {
	if err := l.checkKind(a.Kind); err != nil {
		return a, false, err
	}
	of, err := l.effects(ctx, a)
	if err != nil {
		return a, false, err
	}
	for range attempts {
		if stored, changed, err = l.reactions.React(ctx, a); err != nil {
			return stored, false, err
		}
		retracted, err := l.give(ctx, of.named(stored.ID))
		switch {
		case err != nil:
			return stored, false, err
		case !retracted:
			err := l.show(ctx, stored.Object)
			return stored, changed && err == nil, err
		}
		if _, err := l.end(ctx, stored); err != nil {
			return stored, false, err
		}
	}
	return stored, false, plaza.ErrBusy
}

// Unreact ends the user's reaction of that kind on the object. It takes back the point and
// the notification before, and updates the entry after that. changed is true only if this
// call ended a reaction. The ID of a is not used. After an error, repeat it.
//
// Cost: 4 requests, 2 transactions, 3 RCU, 17 WCU; 2 requests, 1 RCU, 3 WCU with
// Options.Entry.
//
//plaza:cost with Notification and Point: 4 requests, 2 transactions, 3 RCU, 17 WCU
//plaza:cost without a reaction: 1 request, 1 RCU
//plaza:cost with Entry, more: 2 requests, 1 RCU, 3 WCU
//plaza:cost with Entry, a repeat, more: 2 requests, 1 RCU, 1 WCU
func (l *Likes) Unreact(ctx context.Context, a reaction.Reaction) (changed bool, err error) {
	if err := l.checkKind(a.Kind); err != nil {
		return false, err
	}
	stored, err := l.reactions.Get(ctx, a)
	if err == nil {
		changed, err = l.end(ctx, stored)
	}
	if err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return false, err
	}
	err = l.show(ctx, a.Object)
	return changed && err == nil, err
}

func (l *Likes) checkKind(kind string) error {
	if len(l.reactions.Excludes(kind)) > 0 {
		return &plaza.InvalidError{Field: "Kind", Reason: "is of a group in OneOf, which only Handle keeps in step"}
	}
	return nil
}

// end takes back what a reaction caused, and only then ends it: a reaction that has ended
// leaves nothing, and one that is found without what it caused is about to end.
func (l *Likes) end(ctx context.Context, a reaction.Reaction) (changed bool, err error) {
	of, err := l.effects(ctx, a)
	if err == nil {
		err = l.take(ctx, of.named(a.ID))
	}
	if err != nil {
		return false, err
	}
	return l.reactions.Unreact(ctx, a)
}
