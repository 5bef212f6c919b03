package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/notify"
)

// The verbs of notifications, besides the kinds of reactions.
const (
	followVerb  = "follow"
	commentVerb = "comment"
	replyVerb   = "reply"
	mentionVerb = "mention"
)

// noticesAtOnce is how many people are notified of one comment at the same time.
const noticesAtOnce = 8

// notify notifies people right after the write that it is about, under the identity of
// that write. If this process dies in between, or an error is answered, the client
// repeats its request: the write stands, and the notification is made then. Where clients
// do not repeat, read the changes of the tables instead, as examples/pinboard/notices.go does.
func (s *service) notify(ctx context.Context, notices ...notify.Notification) error {
	return each(ctx, notices, func(ctx context.Context, n notify.Notification) error {
		_, _, err := s.bell.Notify(ctx, n)
		return err
	})
}

// retract takes notifications back before the write that ends what they are about: after
// it, nobody knows the identity any more. If it is repeated, so is this.
func (s *service) retract(ctx context.Context, notices ...notify.Notification) error {
	return each(ctx, notices, func(ctx context.Context, n notify.Notification) error {
		_, err := s.bell.Retract(ctx, n)
		return err
	})
}

func each(ctx context.Context, notices []notify.Notification, do func(context.Context, notify.Notification) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(noticesAtOnce)
	for _, n := range notices {
		group.Go(func() error { return do(ctx, n) })
	}
	return group.Wait()
}

// refTo reports whether a name is a Ref. Nobody is notified about an object whose name is
// not a Ref, or is too long for one.
func refTo(name string) (ref feed.Ref, ok bool) {
	ref, err := feed.ParseRef(name)
	return ref, err == nil
}

func person(name string) feed.Ref { return feed.Ref{Kind: "user", ID: name} }

// followNotices are those of the follow that stands, if there is one.
func (s *service) followNotices(ctx context.Context, follower, followee string) ([]notify.Notification, error) {
	edge, err := s.follows.Get(ctx, follow.Edge{Follower: follower, Followee: followee})
	if err != nil {
		return nil, unlessGone(err)
	}
	return []notify.Notification{{
		User:     followee,
		Activity: feed.Activity{ID: edge.ID, Actor: person(follower), Verb: followVerb, Object: person(followee)},
		CountBy:  notify.ByActor,
	}}, nil
}

// reactionNotices are of a reaction that stands, for the owner of its object. Bookmarks
// are private.
func (s *service) reactionNotices(ctx context.Context, stands reaction.Reaction) ([]notify.Notification, error) {
	object, ok := refTo(stands.Object)
	if !ok || stands.Kind == bookmark {
		return nil, nil
	}
	owner, err := s.ownerOf(ctx, stands.Object)
	if err != nil || owner == "" {
		return nil, err
	}
	return []notify.Notification{{
		User:     owner,
		Activity: feed.Activity{ID: stands.ID, Actor: person(stands.User), Verb: stands.Kind, Object: object},
		CountBy:  notify.ByActor,
	}}, nil
}

func (s *service) notifyReaction(ctx context.Context, stands reaction.Reaction) error {
	notices, err := s.reactionNotices(ctx, stands)
	if err != nil {
		return err
	}
	return s.notify(ctx, notices...)
}

// retractReactions is for a user's reactions to an object that are about to end.
func (s *service) retractReactions(ctx context.Context, of reaction.Reaction, kinds ...string) error {
	for _, kind := range kinds {
		of.Kind = kind
		stands, err := s.reactions.Get(ctx, of)
		if errors.Is(err, plaza.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		notices, err := s.reactionNotices(ctx, stands)
		if err != nil {
			return err
		}
		if err := s.retract(ctx, notices...); err != nil {
			return err
		}
	}
	return nil
}

// commentNotices are for the author whom the comment answers, the people whom it mentions
// and the owner of its object. Each of them gets the first that applies. They have no
// text of the comment, which may be edited or removed.
func (s *service) commentNotices(ctx context.Context, c comment.Comment) (all []notify.Notification, err error) {
	object, ok := refTo(c.Object)
	if !ok {
		return nil, nil
	}
	said, ok := refTo(refOf(c.Address()))
	if !ok {
		return nil, nil
	}
	add := func(user, verb string, about feed.Ref) {
		if user == "" || slices.ContainsFunc(all, func(n notify.Notification) bool { return n.User == user }) {
			return
		}
		all = append(all, notify.Notification{User: user, Activity: feed.Activity{
			ID: c.ID, Actor: person(c.User), Verb: verb, Object: said, Target: about,
		}})
	}
	if c.Parent != 0 {
		parent := comment.Address{Object: c.Object, ID: c.Parent}
		if c.Parent != c.Root {
			parent.Root = c.Root
		}
		author, err := s.authorOf(ctx, parent)
		if err != nil {
			return nil, err
		}
		if about, ok := refTo(refOf(parent)); ok {
			add(author, replyVerb, about)
		}
	}
	for _, user := range c.Mentions {
		add(user, mentionVerb, object)
	}
	owner, err := s.ownerOf(ctx, c.Object)
	add(owner, commentVerb, object)
	return all, err
}

func (s *service) notifyComment(ctx context.Context, c comment.Comment) error {
	notices, err := s.commentNotices(ctx, c)
	if err != nil {
		return err
	}
	return s.notify(ctx, notices...)
}

// forgetComment is for a comment that is about to be removed: by its author, or by a
// moderator if that is empty. It takes back what others were notified of, and what the
// author was notified of about the comment.
func (s *service) forgetComment(ctx context.Context, at comment.Address, author string) error {
	c, err := s.comments.Get(ctx, at)
	if err != nil {
		return unlessGone(err)
	}
	if c.Removed != nil || author != "" && author != c.User {
		return nil // there is nothing to remove, or it will be refused
	}
	notices, err := s.commentNotices(ctx, c)
	if err != nil {
		return err
	}
	if err := s.retract(ctx, notices...); err != nil {
		return err
	}
	about, ok := refTo(refOf(at))
	if !ok {
		return nil
	}
	_, err = s.bell.RetractTarget(ctx, c.User, about)
	return err
}

// ownerOf returns whom an object belongs to, or "" for nobody. A comment is its author's;
// replies cannot be found by their ref. For anything else an application asks its own
// database. Here the name says it: picture:chris:10 is chris's.
func (s *service) ownerOf(ctx context.Context, object string) (string, error) {
	if at, ok := parseRef(object); ok {
		return s.authorOf(ctx, at)
	}
	kind, id, _ := strings.Cut(object, ":")
	if i := strings.LastIndexByte(id, ':'); kind != "" && i > 0 {
		return id[:i], nil
	}
	return "", nil
}

// authorOf returns "" if the comment is gone.
func (s *service) authorOf(ctx context.Context, at comment.Address) (string, error) {
	c, err := s.comments.Get(ctx, at)
	if err != nil {
		return "", unlessGone(err)
	}
	if c.Removed != nil {
		return "", nil
	}
	return c.User, nil
}

func unlessGone(err error) error {
	if errors.Is(err, plaza.ErrNotFound) {
		return nil
	}
	return err
}
