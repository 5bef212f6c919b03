// Package localdb gives each run of an example a DynamoDB on this machine, with
// tables of its own.
package localdb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
)

// DB is a DynamoDB on this machine. An application has dynamo.New(cfg)
// instead, with cfg from the SDK's config package.
type DB struct {
	Endpoint string
	Client   *dynamodb.Client
	Tables   Tables

	run       string
	engine    *engine.Engine
	transport *http.Transport
	created   []string // tables
}

// Tables are the names of a service's tables.
type Tables struct{ Machines, Follow, Feed, Comment, Reaction, Notify, Message, Leaderboard, Danmu string }

// Start starts the engine and creates a table for each purpose, which is one of
// "machines", "follow", "feed", "comment", "reaction", "notify", "message",
// "leaderboard" and "danmu". The names begin with run. The first start on a machine logs what it
// downloads.
func Start(ctx context.Context, run string, log io.Writer, purposes ...string) (*DB, error) {
	e, err := engine.Start(ctx, &engine.Options{Log: log})
	if err != nil {
		return nil, err
	}
	db := &DB{Endpoint: e.Endpoint, run: run, engine: e, transport: Transport()}
	db.Client = db.ClientOver(&http.Client{Transport: db.transport})
	if err := db.createTables(ctx, purposes); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// ClientOver returns a client of the same DynamoDB that sends its requests by c.
func (db *DB) ClientOver(c aws.HTTPClient) *dynamodb.Client {
	return dynamodb.NewFromConfig(db.engine.Config(), db.engine.Options, func(o *dynamodb.Options) { o.HTTPClient = c })
}

// Streams returns a client of the streams of its tables.
func (db *DB) Streams() *dynamodbstreams.Client {
	return dynamodbstreams.NewFromConfig(db.engine.Config(), func(o *dynamodbstreams.Options) {
		o.HTTPClient = &http.Client{Transport: db.transport}
	})
}

// Transport keeps enough connections for the parallel requests of an example.
func Transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil
	t.MaxIdleConnsPerHost = 64
	return t
}

// createTables creates what an application leaves to Terraform, CDK or the like.
func (db *DB) createTables(ctx context.Context, purposes []string) error {
	for _, t := range []struct {
		purpose string
		name    *string
		schema  func(string) *dynamodb.CreateTableInput
		expiry  func(string) *dynamodb.UpdateTimeToLiveInput // or none
	}{
		{"machines", &db.Tables.Machines, lease.Table, nil},
		{"follow", &db.Tables.Follow, follow.Table, follow.TTL},
		{"feed", &db.Tables.Feed, feed.Table, feed.TTL},
		{"comment", &db.Tables.Comment, comment.Table, comment.TTL},
		{"reaction", &db.Tables.Reaction, reaction.Table, reaction.TTL},
		{"notify", &db.Tables.Notify, notify.Table, notify.TTL},
		{"message", &db.Tables.Message, message.Table, message.TTL},
		{"leaderboard", &db.Tables.Leaderboard, leaderboard.Table, leaderboard.TTL},
		{"danmu", &db.Tables.Danmu, danmu.Table, danmu.TTL},
	} {
		if !slices.Contains(purposes, t.purpose) {
			continue
		}
		var err error
		if *t.name, err = db.CreateTable(ctx, t.purpose, t.schema); err != nil {
			return err
		}
		if t.expiry == nil {
			continue
		}
		if _, err := db.Client.UpdateTimeToLive(ctx, t.expiry(*t.name)); err != nil {
			return fmt.Errorf("setting the expiry of table %s: %w", *t.name, err)
		}
	}
	return nil
}

// CreateTable creates a table with a name that no other run has: the engine may
// have been running before and stay.
func (db *DB) CreateTable(ctx context.Context, purpose string, schema func(string) *dynamodb.CreateTableInput) (name string, err error) {
	name = db.run + "-" + purpose + "-" + rand.Text()[:8]
	if _, err := db.Client.CreateTable(ctx, schema(name)); err != nil {
		return "", fmt.Errorf("creating table %s: %w", name, err)
	}
	db.created = append(db.created, name)
	return name, nil
}

// Stream switches on a table's stream of new and old images.
func (db *DB) Stream(ctx context.Context, table string) (arn string, err error) {
	out, err := db.Client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName:           &table,
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	})
	if err != nil {
		return "", fmt.Errorf("switching on the stream of table %s: %w", table, err)
	}
	return aws.ToString(out.TableDescription.LatestStreamArn), nil
}

// Close leaves nothing behind, even when the run was interrupted.
func (db *DB) Close() error {
	var failed []error
	for _, name := range db.created {
		_, err := db.Client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name})
		failed = append(failed, err)
	}
	db.transport.CloseIdleConnections()
	return errors.Join(append(failed, db.engine.Close())...)
}
