package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/plazalog"
	"github.com/plaza-sdk/plaza/tables"
)

// service holds the parts of Plaza that an application uses: a source of ids, and one
// repository for each feature.
type service struct {
	ids       *lease.Source
	follows   *follow.Repository
	feeds     *feed.Repository
	comments  *comment.Repository
	reactions *reaction.Repository
	boards    *leaderboard.Repository

	log *slog.Logger
}

func newService(ctx context.Context, db *dynamo.DB, t tables.Names, codec cursor.Codec, log *slog.Logger) (*service, error) {
	failures := plazalog.New(log)
	ids, err := lease.NewSource(db, t.Machines, &lease.Options{OnCorrupt: failures.Corrupt})
	if err != nil {
		return nil, err
	}
	s := &service{ids: ids, log: log}
	if err := s.open(ctx, db, t, codec, failures); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *service) open(ctx context.Context, db *dynamo.DB, t tables.Names, codec cursor.Codec, failures *plazalog.Logger) (err error) {
	if s.follows, err = follow.New(db, t.Follow, s.ids, &follow.Options{Codec: codec, OnCorrupt: failures.Corrupt}); err != nil {
		return err
	}
	s.feeds, err = feed.New(db, t.Feed, s.ids, s.follows, &feed.Options{Codec: codec, OnCorrupt: failures.Corrupt, OnAttempt: failures.Feed})
	if err != nil {
		return err
	}
	reactions := reaction.Options{
		Kinds: []string{like, love, bookmark},
		OneOf: [][]string{oneOf()},
		Codec: codec, OnCorrupt: failures.Corrupt,
	}
	if s.reactions, err = reaction.New(db, t.Reaction, s.ids, &reactions); err != nil {
		return err
	}
	reactions.Consistent = true // a comment is ranked right after it was liked
	scores, err := reaction.New(db, t.Reaction, s.ids, &reactions)
	if err != nil {
		return err
	}
	s.comments, err = comment.New(db, t.Comment, s.ids, &comment.Options{Codec: codec, Score: scoreOf(scores), OnCorrupt: failures.Corrupt})
	if err != nil {
		return err
	}
	s.boards, err = leaderboard.New(db, t.Leaderboard, s.ids, &leaderboard.Options{Codec: codec, OnCorrupt: failures.Corrupt})
	if err != nil {
		return err
	}
	// The tables were created just now. If another tool creates them, call Verify.
	for _, table := range []interface{ Init(context.Context) error }{s.ids, s.follows, s.feeds, s.comments, s.reactions, s.boards} {
		if err := table.Init(ctx); err != nil {
			return err
		}
	}
	for _, b := range boards() {
		if _, err := s.boards.Define(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// close gives the machine number back to the next process, also after an interrupt.
func (s *service) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return s.ids.Close(ctx)
}
