package main

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/tables"
)

// service shares photos.
type service struct {
	*observer
	feeds *feed.Repository
	likes *reaction.Repository
}

func newService(db *dynamo.DB, names tables.Names, gen ids.Source, o *observer) (*service, error) {
	follows, err := follow.New(db, names.Follow, gen, nil)
	if err != nil {
		return nil, err
	}
	feeds, err := feed.New(db, names.Feed, gen, follows, nil)
	if err != nil {
		return nil, err
	}
	likes, err := reaction.New(db, names.Reaction, gen, &reaction.Options{Kinds: []string{"like"}})
	if err != nil {
		return nil, err
	}
	return &service{o, feeds, likes}, nil
}

func (s *service) follow(ctx context.Context, user, source string) (err error) {
	ctx, end := s.begin(ctx, "feed.Home.Follow")
	defer func() { end(err) }()
	_, err = s.feeds.Home(user).Follow(ctx, source, nil)
	return err
}

func (s *service) post(ctx context.Context, user, photo string) (err error) {
	ctx, end := s.begin(ctx, "feed.Outbox.Publish")
	defer func() { end(err) }()
	_, _, err = s.feeds.Outbox(user).Publish(ctx, feed.Activity{
		Actor: feed.Ref{Kind: "user", ID: user}, Verb: "post", Object: feed.Ref{Kind: "photo", ID: photo},
	})
	return err
}

func (s *service) like(ctx context.Context, user, photo string) (err error) {
	ctx, end := s.begin(ctx, "feed/reaction.Repository.React")
	defer func() { end(err) }()
	_, _, err = s.likes.React(ctx, reaction.Reaction{User: user, Object: photo, Kind: "like"})
	return err
}

// photo is one of a page, as its readers see it.
type photo struct {
	ID, By string
	Likes  int64
}

// home is two calls of Plaza. The service names them by one name of its own, as it wants to
// know what a page costs.
func (s *service) home(ctx context.Context, user string) (photos []photo, err error) {
	ctx, end := s.begin(ctx, "GET /home")
	defer func() { end(err) }()
	page, err := s.feeds.Home(user).List(ctx, cursor.PageRequest{Limit: 20})
	if err != nil {
		return nil, err
	}
	var objects []string
	for _, a := range page.Items {
		photos = append(photos, photo{ID: a.Object.ID, By: a.Actor.ID})
		objects = append(objects, a.Object.ID)
	}
	counts, err := s.likes.CountsMany(ctx, objects)
	if err != nil {
		return nil, err
	}
	for i, p := range photos {
		photos[i].Likes = counts[p.ID]["like"]
	}
	return photos, nil
}
