package main

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/examples/localdb"
	"github.com/plaza-sdk/plaza/internal/dynamotest/meter"
)

// local is a service over a DynamoDB on this machine.
type local struct {
	*service
	db *localdb.DB
}

// startLocal starts the engine and a service. A meter, if given, counts the
// requests of the service.
func startLocal(ctx context.Context, log io.Writer, m *meter.Meter) (*local, error) {
	db, err := localdb.Start(ctx, "quickstart", log, "machines", "follow", "feed")
	if err != nil {
		return nil, err
	}
	client := db.Client
	if m != nil {
		client = db.ClientOver(m.Wrap(&http.Client{Transport: localdb.Transport()}))
	}
	s, err := newService(ctx, dynamo.NewFromIface(client), db.Tables)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &local{service: s, db: db}, nil
}

// close leaves nothing behind, even when the run was interrupted.
func (l *local) close() error {
	return errors.Join(l.service.close(context.Background()), l.db.Close())
}
