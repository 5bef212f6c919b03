package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/like"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/plazalog"
)

const week = "week" // the board of the photos that were liked most

type service struct {
	*kit.Kit
	likes *like.Likes
}

// newService verifies the tables, and defines the board unless it is there.
func newService(ctx context.Context, cfg aws.Config, opts kit.Options) (*service, error) {
	failures := plazalog.New(slog.Default())
	failures.Attach(&cfg)
	opts.OnAttempt, opts.OnCorrupt = failures.Attempt, failures.Corrupt
	opts.Features = []kit.Feature{kit.Follow, kit.Feed, kit.Comment, kit.Reaction, kit.Leaderboard, kit.Notify, kit.Message}
	opts.Feed.Consistent = true // a photo can be liked at once, and not after it was erased
	opts.Notify.User = func(actor feed.Ref) string { return actor.ID }
	k, err := kit.New(dynamo.New(cfg), nil, &opts)
	if err != nil {
		return nil, err
	}
	err1 := k.Verify(ctx)
	likes, err2 := like.New(k.Reactions, k.Boards, k.Bell, &like.Options{Notification: likeRings, Point: likeCounts})
	zero := new(leaderboard.Score) // what nobody likes any more is not listed
	_, err3 := k.Boards.Define(ctx, leaderboard.Board{Name: week, Operator: leaderboard.Increment, Above: zero, Cron: "@weekly"})
	return &service{k, likes}, errors.Join(err1, err2, err3)
}

func likeRings(_ context.Context, a reaction.Reaction) (notify.Notification, bool, error) {
	liked := feed.Activity{Actor: person(a.User), Verb: "like", Object: feed.Ref{Kind: "photo", ID: a.Object}}
	return notify.Notification{User: ownerOf(a.Object), CountBy: notify.ByActor, Activity: liked}, true, nil
}

func likeCounts(_ context.Context, a reaction.Reaction) (leaderboard.Submission, bool, error) {
	return leaderboard.Submission{Board: week, Player: a.Object, Score: leaderboard.Int(1)}, true, nil
}

func commentRings(c comment.Comment) notify.Notification {
	commented := feed.Activity{ID: c.ID, Actor: person(c.User), Verb: "comment", Object: feed.Ref{Kind: "photo", ID: c.Object}}
	return notify.Notification{User: ownerOf(c.Object), Activity: commented}
}

// person has a kind, because the subject of a token may have a colon.
func person(user string) feed.Ref { return feed.Ref{Kind: "user", ID: user} }

// nameOf is a photo's name in all features but feed, and in paths.
func nameOf(a feed.Activity) string { return a.Owner + "/" + a.ID.String() }

func ownerOf(photo string) string { return photo[:strings.LastIndexByte(photo, '/')] }

// photo is what a viewer sees.
type photo struct {
	feed.Activity
	Name     string `json:"name"`
	Likes    int64  `json:"likes"`
	Comments int64  `json:"comments"`
	Liked    bool   `json:"liked"` // by the viewer
}

// publish publishes a photo once, however often it comes with the same key.
func (s *service) publish(c call) (any, error) {
	a := feed.Activity{Actor: person(c.user), Verb: "publish", ForeignID: c.body.Key, Data: c.body.Data}
	a, _, err := s.Feeds.Outbox(c.user).Publish(c.Context(), a)
	return photo{Activity: a, Name: nameOf(a)}, err
}

// home has the photos of those whom the user follows.
func (s *service) home(c call) (any, error) {
	found, err := s.Feeds.Home(c.user).List(c.Context(), c.page)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(found.Items))
	for i, a := range found.Items {
		names[i] = nameOf(a)
	}
	likes, err1 := s.Reactions.CountsMany(c.Context(), names)
	liked, err2 := s.Reactions.Reacted(c.Context(), c.user, names)
	comments, err3 := s.Comments.CountsMany(c.Context(), names)
	photos := make([]photo, len(names))
	for i, name := range names {
		photos[i] = photo{found.Items[i], name, likes[name]["like"], comments[name].All, len(liked[name]) > 0}
	}
	return cursor.Page[photo]{Items: photos, Next: found.Next, Prev: found.Prev}, errors.Join(err1, err2, err3)
}

// comment rings the owner's bell, too. The comment's ID makes a repeat ring once, and do what
// a request that was cut left out.
func (s *service) comment(c call) (any, error) {
	added, _, err := s.Comments.Add(c.Context(), comment.Comment{Object: c.like.Object, User: c.user, Text: c.body.Text, Key: c.body.Key})
	if err != nil {
		return nil, err
	}
	_, _, err = s.Bell.Notify(c.Context(), commentRings(added))
	return added, err
}

// erase erases the user. Call it again after an error, and once more at the answer's "again".
func (s *service) erase(c call) (any, error) {
	liked := func(ctx context.Context, page cursor.PageRequest) (cursor.Page[reaction.Reaction], error) {
		return s.Reactions.ByUser(ctx, c.user, "like", page)
	}
	for a, err := range cursor.All(c.Context(), liked) {
		if err == nil {
			_, err = s.likes.Unreact(c.Context(), a) // gives back the points, which Erase would not
		}
		if err != nil {
			return nil, err
		}
	}
	var photos []string
	for a, err := range cursor.All(c.Context(), s.Feeds.Outbox(c.user).List) {
		if err != nil {
			return nil, err
		}
		photos = append(photos, nameOf(a))
	}
	return s.Erase(c.Context(), c.user, &kit.EraseOptions{Objects: photos})
}
