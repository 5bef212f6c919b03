// Command consumer is a function of Lambda that applies the changes from a bus to the
// boards. Copy it with its part of template.yaml.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	c, err := newConsumer(context.Background(), log)
	if err != nil {
		log.Error("consumer does not start", "error", err)
		os.Exit(1)
	}
	lambda.Start(c.handle)
}

type consumer struct {
	boards  *leaderboard.Repository
	table   string // the ARN of the main table
	log     *slog.Logger
	defined sync.Map // names of boards
}

func newConsumer(ctx context.Context, log *slog.Logger) (*consumer, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	db := dynamo.New(cfg)
	// Between two events Lambda freezes the process, and with it what would renew the number.
	machine, err := lease.NewSource(db, os.Getenv("MACHINES_TABLE"), &lease.Options{Renew: -1})
	if err != nil {
		return nil, err
	}
	boards, err := leaderboard.New(db, os.Getenv("LEADERBOARD_TABLE"), machine, nil)
	if err != nil {
		return nil, err
	}
	table, _, ok := strings.Cut(os.Getenv("STREAM_ARN"), "/stream/")
	if !ok {
		return nil, errors.New("STREAM_ARN is not that of a stream")
	}
	return &consumer{boards: boards, table: table, log: log}, nil
}

// handle returns an error to be called again, and in the end to have the event
// sent to the queue of dead letters.
func (c *consumer) handle(ctx context.Context, event events.EventBridgeEvent) error {
	record, err := stream.DecodeEvent(event.Detail)
	if err == nil && !c.takes(event, record) {
		err = &plaza.InvalidError{Field: "detail", Reason: "is of another source, table or account"}
	}
	if err == nil {
		err = leaderboard.Project(c.boards, c.reader(record))(ctx, record)
	}
	if err != nil {
		c.log.Error("not applied", "event", event.ID, "record", record.ID, "error", err)
		return fmt.Errorf("event %q: %w", event.ID, err)
	}
	return nil
}

// takes reports whether the fan-out sent an event about the main table. Anybody who may
// write to the bus can send others.
func (c *consumer) takes(event events.EventBridgeEvent, record stream.Record) bool {
	table, _, _ := strings.Cut(record.Stream, "/stream/") // it has another stream once it was switched off and on
	return event.Source == hackathon.UpdateSource && table == c.table && event.AccountID == strings.Split(table, ":")[4]
}

// reader defines the hackathon's board before the first of its projects.
func (c *consumer) reader(record stream.Record) func(context.Context, map[string]types.AttributeValue) (leaderboard.Projection, error) {
	project := hackathon.Of(record)
	return func(ctx context.Context, item map[string]types.AttributeValue) (leaderboard.Projection, error) {
		p, err := project(ctx, item)
		if err != nil {
			return p, err
		}
		if _, ok := c.defined.Load(p.Board); !ok {
			if _, err := c.boards.Define(ctx, hackathon.Board(p.Board)); err != nil {
				return p, err
			}
			c.defined.Store(p.Board, true)
		}
		return p, nil
	}
}
