package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/dynamotest/meter"
	"github.com/plaza-sdk/plaza/internal/engine"
)

// local is a DynamoDB on this machine with tables of this run's own, and a
// service on them. An application has dynamo.New(cfg) instead, with cfg from
// the SDK's config package.
type local struct {
	*service
	client  *dynamodb.Client
	engine  *engine.Engine
	created []string // tables
}

// startLocal starts the engine and a service. With a meter, what the service
// asks is counted.
func startLocal(ctx context.Context, log io.Writer, m *meter.Meter) (*local, error) {
	e, err := engine.Start(ctx, &engine.Options{Log: log})
	if err != nil {
		return nil, err
	}
	plain := &http.Client{Transport: transport()}
	l := &local{engine: e, client: clientOf(e, plain)}
	db := dynamo.NewFromIface(l.client)
	if m != nil {
		db = dynamo.NewFromIface(clientOf(e, m.Wrap(plain)))
	}
	names, err := l.createTables(ctx)
	if err == nil {
		l.service, err = newService(ctx, db, names)
	}
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func clientOf(e *engine.Engine, c aws.HTTPClient) *dynamodb.Client {
	return dynamodb.NewFromConfig(e.Config(), e.Options, func(o *dynamodb.Options) { o.HTTPClient = c })
}

// createTables makes what an application leaves to Terraform, CDK or the like.
func (l *local) createTables(ctx context.Context) (t tables, err error) {
	if t.machines, err = l.createTable(ctx, "machines", lease.Table); err != nil {
		return t, err
	}
	if t.follow, err = l.createTable(ctx, "follow", follow.Table); err != nil {
		return t, err
	}
	if t.feed, err = l.createTable(ctx, "feed", feed.Table); err != nil {
		return t, err
	}
	if _, err := l.client.UpdateTimeToLive(ctx, feed.TTL(t.feed)); err != nil {
		return t, fmt.Errorf("setting the expiry of table %s: %w", t.feed, err)
	}
	return t, nil
}

// createTable makes a table under a name that no other run has, for the engine
// may be one that ran before and stays.
func (l *local) createTable(ctx context.Context, purpose string, schema func(string) *dynamodb.CreateTableInput) (name string, err error) {
	name = "quickstart-" + purpose + "-" + rand.Text()[:8]
	if _, err := l.client.CreateTable(ctx, schema(name)); err != nil {
		return "", fmt.Errorf("creating table %s: %w", name, err)
	}
	l.created = append(l.created, name)
	return name, nil
}

// transport keeps as many connections as there are parallel requests.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil
	t.MaxIdleConnsPerHost = 64
	return t
}

// close leaves nothing behind, also when the run was interrupted.
func (l *local) close() error {
	ctx := context.Background()
	var failed []error
	if l.service != nil {
		failed = append(failed, l.service.close(ctx))
	}
	for _, name := range l.created {
		_, err := l.client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
		failed = append(failed, err)
	}
	return errors.Join(append(failed, l.engine.Close())...)
}
