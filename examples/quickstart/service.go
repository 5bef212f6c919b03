package main

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/tables"
)

// service holds what an application needs of Plaza: a source of ids, and a
// repository for each feature.
type service struct {
	ids     *lease.Lease
	follows *follow.Repository
	feeds   *feed.Repository
}

// newService does what an application does when it starts. These tables were
// created just now, so it calls Init; for tables of others it would call Verify.
func newService(ctx context.Context, db *dynamo.DB, t tables.Names) (*service, error) {
	ids, err := lease.Acquire(ctx, db, t.Machines, nil)
	if err != nil {
		return nil, err
	}
	follows, err := follow.New(db, t.Follow, ids, nil)
	if err != nil {
		return nil, errors.Join(err, ids.Close(ctx))
	}
	if err := follows.Init(ctx); err != nil {
		return nil, errors.Join(err, ids.Close(ctx))
	}
	feeds, err := feed.New(db, t.Feed, ids, follows, nil)
	if err != nil {
		return nil, errors.Join(err, ids.Close(ctx))
	}
	if err := feeds.Init(ctx); err != nil {
		return nil, errors.Join(err, ids.Close(ctx))
	}
	return &service{ids: ids, follows: follows, feeds: feeds}, nil
}

// close gives the machine number back, so that the next process can have it.
func (s *service) close(ctx context.Context) error { return s.ids.Close(ctx) }
