package main

import (
	"context"

	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/plazatest"
)

// site is a service of questions and pictures. It knows nothing of notifications:
// each call is one write.
type site struct {
	follows   *follow.Repository
	reactions *reaction.Repository
	comments  *comment.Repository
}

const like = "like"

// owners has whose the pictures and questions are. A service asks its own tables.
var owners = map[string]string{"picture:10": "chris", "question:7": "chris"}

func newSite(env *plazatest.Env, gen ids.Source) (s site, err error) {
	if s.follows, err = follow.New(env.DB, env.Tables.Follow, gen, nil); err != nil {
		return s, err
	}
	if s.reactions, err = reaction.New(env.DB, env.Tables.Reaction, gen, &reaction.Options{Kinds: []string{like}}); err != nil {
		return s, err
	}
	s.comments, err = comment.New(env.DB, env.Tables.Comment, gen, nil)
	return s, err
}

// follow also watches: the followee is a person or a thing.
func (s site) follow(ctx context.Context, follower, followee string) error {
	_, _, err := s.follows.Follow(ctx, follow.Edge{Follower: follower, Followee: followee})
	return err
}

func (s site) unfollow(ctx context.Context, follower, followee string) error {
	_, err := s.follows.Unfollow(ctx, follow.Edge{Follower: follower, Followee: followee})
	return err
}

func (s site) like(ctx context.Context, user, object string) error {
	_, _, err := s.reactions.React(ctx, reaction.Reaction{User: user, Object: object, Kind: like})
	return err
}

func (s site) unlike(ctx context.Context, user, object string) error {
	_, err := s.reactions.Unreact(ctx, reaction.Reaction{User: user, Object: object, Kind: like})
	return err
}

func (s site) comment(ctx context.Context, user, object, text string) error {
	_, _, err := s.comments.Add(ctx, comment.Comment{User: user, Object: object, Text: text})
	return err
}
