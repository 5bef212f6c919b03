package main

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// local is a service over a DynamoDB on this machine.
type local struct {
	*service
	env *plazatest.Env
	db  *dynamo.DB
}

// startLocal starts DynamoDB Local and a service. An application has dynamo.New(cfg)
// instead, with cfg from the SDK's config package. A meter takes time, so one without it
// is for measuring speed.
func startLocal(ctx context.Context, metered bool) (*local, error) {
	env, err := plazatest.Open(ctx, &plazatest.Options{
		Tables: tables.Names{Machines: "quickstart-machines", Follow: "quickstart-follow", Feed: "quickstart-feed"},
	})
	if err != nil {
		return nil, err
	}
	l := &local{env: env, db: env.DB}
	if !metered {
		cfg := env.Config
		cfg.HTTPClient = http.NewBuildableClient()
		l.db = dynamo.New(cfg)
	}
	if l.service, err = newService(ctx, l.db, env.Tables); err != nil {
		return nil, errors.Join(err, env.Close())
	}
	return l, nil
}

// close leaves nothing behind, even when the run was interrupted.
func (l *local) close() error {
	return errors.Join(l.service.close(context.Background()), l.env.Close())
}
