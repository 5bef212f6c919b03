package main

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/examples/localdb"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids/lease"
)

// service is what an application holds of Plaza: a source of ids, and one
// repository a feature.
type service struct {
	ids     *lease.Lease
	follows *follow.Repository
	feeds   *feed.Repository
}

// newService does what an application does when it starts: Init is for tables
// that were created just now, and Verify for those that others create.
func newService(ctx context.Context, db *dynamo.DB, t localdb.Tables) (*service, error) {
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

// close gives the machine number back, for the next process to have.
func (s *service) close(ctx context.Context) error { return s.ids.Close(ctx) }
