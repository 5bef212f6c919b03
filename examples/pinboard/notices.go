package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/stream"
)

// The verbs of notifications, besides like.
const (
	followVerb  = "follow"
	pinVerb     = "pin"
	commentVerb = "comment"
	replyVerb   = "reply"
	mentionVerb = "mention"
)

// onFollow notifies people of their followers, and of those of their boards. A new
// follower of a tag notifies nobody.
func (a *app) onFollow(ctx context.Context, r stream.Record) error {
	changes, err := follow.Changes(r)
	for _, c := range changes {
		followee, invalid := feed.ParseRef(c.Edge.Followee)
		owner := a.ownerOf(followee)
		if invalid != nil || owner == "" {
			continue
		}
		err = errors.Join(err, a.notice(ctx, c.Kind == follow.Followed, notify.Notification{
			User:     owner,
			Activity: feed.Activity{ID: c.Edge.ID, Actor: feed.Ref{ID: c.Edge.Follower}, Verb: followVerb, Object: followee},
			CountBy:  notify.ByActor,
		}))
	}
	return err
}

// onLike does what a like causes. The seed's writes ring no bell, and have their points.
func (a *app) onLike(ctx context.Context, r stream.Record) error {
	changes, err := reaction.Changes(r)
	seeded := func(c reaction.Change) bool { return c.Kind == reaction.Reacted && c.Reaction.ID < a.seeded }
	if err != nil || slices.ContainsFunc(changes, seeded) {
		return err
	}
	return a.likes.Handle(ctx, r)
}

// noticeOf a like is for the owner of the picture, or the author of the comment.
func (a *app) noticeOf(ctx context.Context, r reaction.Reaction) (n notify.Notification, ok bool, err error) {
	object, invalid := feed.ParseRef(r.Object)
	if ok = invalid == nil && r.Kind == like; !ok { // reports are for the moderators
		return n, false, nil
	}
	owner := a.ownerOf(object)
	if at, ok := commentAt(object); ok {
		owner, err = a.authorOf(ctx, at)
	}
	return notify.Notification{
		User:     owner,
		Activity: feed.Activity{Actor: feed.Ref{ID: r.User}, Verb: like, Object: object},
		CountBy:  notify.ByActor,
	}, owner != "", err
}

// onPin notifies people when somebody else pins their pictures, and of moderators' decisions.
func (a *app) onPin(ctx context.Context, r stream.Record) error {
	changes, err := feed.Changes(r)
	for _, c := range changes {
		if c.Owner == moderationBox && c.Kind == feed.Published {
			err = errors.Join(err, a.onDecision(ctx, c.Activity))
			continue
		}
		pin := c.Activity
		owner := a.ownerOf(pin.Object)
		if pin.Verb != pinVerb || c.Kind == feed.Updated || owner == "" || owner == pin.Actor.ID {
			continue
		}
		err = errors.Join(err, a.notice(ctx, c.Kind == feed.Published, notify.Notification{
			User:     owner,
			Activity: feed.Activity{ID: pin.ID, Actor: pin.Actor, Verb: pinVerb, Object: pin.Object},
			CountBy:  notify.ByActor,
		}))
	}
	return err
}

// moderators is the actor of a decision: the author need not know which moderator it was.
const moderators = "moderators"

// onDecision notifies the author of what a moderator removed or hid, or showed again, and
// why, whatever the author mutes.
func (a *app) onDecision(ctx context.Context, entry feed.Activity) error {
	var see shown
	if err := json.Unmarshal(entry.Data, &see); err != nil {
		return stream.Permanent(err)
	}
	if entry.Verb == "dismiss" || !known(see.By) {
		return nil
	}
	object, err := feed.ParseRef(see.Object)
	if err != nil {
		return stream.Permanent(err)
	}
	why, err := json.Marshal(map[string]string{"reason": see.Reason})
	if err != nil {
		return err
	}
	return a.notice(ctx, true, notify.Notification{
		User: see.By, Critical: true,
		Activity: feed.Activity{ID: entry.ID, Actor: feed.Ref{ID: moderators}, Verb: entry.Verb, Object: object, Data: why},
	})
}

// onComment notifies the author whom a comment answers, the people whom it mentions and
// the owner of the picture. Each of them gets the first that applies. Notifications of
// hidden and removed comments are taken back.
func (a *app) onComment(ctx context.Context, r stream.Record) error {
	changes, err := comment.Changes(r)
	for _, c := range changes {
		switch c.Kind {
		case comment.Added, comment.Hidden, comment.Removed, comment.Erased:
		default:
			continue
		}
		notices, failed := a.commentNotices(ctx, c.Comment)
		err = errors.Join(err, failed)
		for _, n := range notices {
			err = errors.Join(err, a.notice(ctx, c.Kind == comment.Added, n))
		}
	}
	return err
}

func (a *app) commentNotices(ctx context.Context, c comment.Comment) (all []notify.Notification, err error) {
	picture, invalid := feed.ParseRef(c.Object)
	if invalid != nil {
		return nil, stream.Permanent(invalid)
	}
	add := func(user, verb string, about feed.Ref) {
		if user == "" || slices.ContainsFunc(all, func(n notify.Notification) bool { return n.User == user }) {
			return
		}
		all = append(all, notify.Notification{User: user, Activity: feed.Activity{
			ID: c.ID, Actor: feed.Ref{ID: c.User}, Verb: verb, Object: commentRef(c.Address()), Target: about,
		}})
	}
	if c.Parent != 0 {
		parent := comment.Address{Object: c.Object, ID: c.Parent}
		if c.Parent != c.Root {
			parent.Root = c.Root
		}
		author, err := a.authorOf(ctx, parent)
		if err != nil {
			return nil, err
		}
		add(author, replyVerb, commentRef(parent))
	}
	for _, user := range c.Mentions {
		if known(user) {
			add(user, mentionVerb, picture)
		}
	}
	add(a.ownerOf(picture), commentVerb, picture)
	return all, nil
}

// notice notifies of something that began, and retracts the notification when it ends. A repeat of
// either does nothing, so a stream may bring a record again. The seed's writes notify nobody.
func (a *app) notice(ctx context.Context, began bool, n notify.Notification) (err error) {
	switch {
	case !began:
		_, err = a.Bell.Retract(ctx, n)
	case n.Activity.ID >= a.seeded:
		_, _, err = a.Bell.Notify(ctx, n)
	}
	if errors.Is(err, plaza.ErrInvalid) {
		return stream.Permanent(err)
	}
	return err
}

// authorOf returns the author of a comment, or "" if it is gone.
func (a *app) authorOf(ctx context.Context, at comment.Address) (string, error) {
	c, err := a.Comments.Get(ctx, at)
	if errors.Is(err, plaza.ErrNotFound) {
		return "", nil
	}
	return c.User, err
}
