package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/tables"
)

const (
	like = "like" // the kind of reaction
	week = "week" // the board of the most liked photos
)

// album is what people do with photos.
type album struct {
	ids      ids.Source
	feeds    *feed.Repository
	comments *comment.Repository
	likes    *reaction.Repository
	boards   *leaderboard.Repository
}

// open does no I/O but define the board, which every process may do.
func open(ctx context.Context, db *dynamo.DB, in tables.Names, gen ids.Source, codec cursor.Codec, log *slog.Logger) (*album, error) {
	onCorrupt := func(err *plaza.CorruptError) { log.Error("damaged item", "error", err) }
	onDelivery := func(d feed.Delivery) {
		if d.Err != nil {
			log.Error("not delivered yet", "owner", d.Owner, "activity", d.ID, "error", d.Err)
		}
	}
	follows, err := follow.New(db, in.Follow, gen, &follow.Options{Codec: codec, OnCorrupt: onCorrupt})
	if err != nil {
		return nil, err
	}
	a := &album{ids: gen}
	if a.feeds, err = feed.New(db, in.Feed, gen, follows, &feed.Options{Codec: codec, OnCorrupt: onCorrupt, OnDelivery: onDelivery}); err != nil {
		return nil, err
	}
	if a.comments, err = comment.New(db, in.Comment, gen, &comment.Options{Codec: codec, OnCorrupt: onCorrupt}); err != nil {
		return nil, err
	}
	if a.likes, err = reaction.New(db, in.Reaction, gen, &reaction.Options{Kinds: []string{like}, Codec: codec, OnCorrupt: onCorrupt}); err != nil {
		return nil, err
	}
	if a.boards, err = leaderboard.New(db, in.Leaderboard, gen, &leaderboard.Options{Codec: codec, OnCorrupt: onCorrupt}); err != nil {
		return nil, err
	}
	_, err = a.boards.Define(ctx, leaderboard.Board{Name: week, Operator: leaderboard.Increment, Cron: "@weekly"})
	return a, err
}

// photo is a photo to a viewer. Its Object is its name in every other call.
type photo struct {
	feed.Activity
	Likes    int64 `json:"likes"`
	Comments int64 `json:"comments"`
	Liked    bool  `json:"liked"` // by the viewer
}

// post publishes a photo once, however often it comes with the same key. The photo's name has
// its id first, which has no colon, so that a user's name may have one.
func (a *album) post(ctx context.Context, user, key string, data json.RawMessage) (feed.Activity, error) {
	id, err := a.ids.Next(ctx)
	if err != nil {
		return feed.Activity{}, err
	}
	posted, _, err := a.feeds.Outbox(user).Publish(ctx, feed.Activity{
		ID: id, Actor: feed.Ref{ID: user}, Verb: "post", Object: feed.Ref{Kind: id.String(), ID: user}, ForeignID: key, Data: data,
	})
	return posted, err
}

// find returns the photo of this name, which is plaza.ErrNotFound if it was never posted.
func (a *album) find(ctx context.Context, name string) (feed.Activity, error) {
	ref, err := feed.ParseRef(name)
	if err != nil {
		return feed.Activity{}, err
	}
	id, err := ids.Parse(ref.Kind)
	if err != nil {
		return feed.Activity{}, err
	}
	return a.feeds.Outbox(ref.ID).Get(ctx, id)
}

// show adds to up to 100 photos what their viewer sees of them.
func (a *album) show(ctx context.Context, viewer string, of []feed.Activity) ([]photo, error) {
	photos, names := make([]photo, len(of)), make([]string, len(of))
	for i, p := range of {
		names[i] = p.Object.String()
	}
	likes, err := a.likes.CountsMany(ctx, names)
	if err != nil {
		return nil, err
	}
	comments, err := a.comments.CountsMany(ctx, names)
	if err != nil {
		return nil, err
	}
	mine, err := a.likes.Reacted(ctx, viewer, names)
	for i, name := range names {
		photos[i] = photo{of[i], likes[name][like], comments[name].All, len(mine[name]) > 0}
	}
	return photos, err
}

// rank brings the likes of a stream's record to the board of the week in which they began.
// A like counts by its id, so a record may come again, or late.
func (a *album) rank(ctx context.Context, r stream.Record) error {
	changes, err := reaction.Changes(r)
	if err != nil {
		return err
	}
	for _, c := range changes {
		s := leaderboard.Submission{Board: week, Player: c.Reaction.Object, Op: c.Reaction.ID, Score: leaderboard.Int(1), Guard: true}
		if c.Kind == reaction.Reacted {
			_, _, err = a.boards.Submit(ctx, s)
		} else {
			_, err = a.boards.Undo(ctx, s)
		}
		if err != nil && !errors.Is(err, plaza.ErrRemoved) { // it was taken back, or its week is over
			return err
		}
	}
	return nil
}
