package main

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// service holds what an application needs of Plaza: a source of ids, and a
// repository for each feature.
type service struct {
	env     *plazatest.Env
	ids     *lease.Lease
	follows *follow.Repository
	feeds   *feed.Repository
}

// open does what an application does when it starts, on a DynamoDB of this machine. An
// application has dynamo.New(cfg) instead of env.DB, with cfg from the SDK's config package.
func open(ctx context.Context) (*service, error) {
	env, err := plazatest.Open(ctx, &plazatest.Options{
		Tables: tables.Names{Machines: "quickstart-machines", Follow: "quickstart-follow", Feed: "quickstart-feed"},
	})
	if err != nil {
		return nil, err
	}
	s := &service{env: env}
	if err := s.connect(ctx, env.DB, env.Tables); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// connect opens the features. The tables were created just now, so it calls Init; for
// tables of others it would call Verify.
func (s *service) connect(ctx context.Context, db *dynamo.DB, t tables.Names) (err error) {
	if s.ids, err = lease.Acquire(ctx, db, t.Machines, nil); err != nil {
		return err
	}
	if s.follows, err = follow.New(db, t.Follow, s.ids, nil); err != nil {
		return err
	}
	if s.feeds, err = feed.New(db, t.Feed, s.ids, s.follows, nil); err != nil {
		return err
	}
	if err := s.follows.Init(ctx); err != nil {
		return err
	}
	return s.feeds.Init(ctx)
}

// close gives the machine number back, so that the next process can have it, also after an
// interrupt.
func (s *service) close() (err error) {
	if s.ids != nil {
		err = s.ids.Close(context.Background())
	}
	return errors.Join(err, s.env.Close())
}
