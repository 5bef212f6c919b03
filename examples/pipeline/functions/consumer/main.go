// Command consumer is a function of Lambda that brings the changes that a bus
// sends to the boards. template.yaml deploys it.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

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
	follow  stream.Handler
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
	c := &consumer{boards: boards, log: log}
	c.follow = leaderboard.Project(boards, c.project)
	return c, nil
}

// handle returns an error to be called again, and in the end to have the event
// sent to the queue of dead letters.
func (c *consumer) handle(ctx context.Context, event events.EventBridgeEvent) error {
	record, err := stream.DecodeEvent(event.Detail)
	if err == nil {
		err = c.follow(ctx, record)
	}
	if err != nil {
		c.log.Error("not applied", "event", event.ID, "record", record.ID, "error", err)
		return fmt.Errorf("event %q: %w", event.ID, err)
	}
	return nil
}

// project defines the hackathon's board before the first of its projects.
func (c *consumer) project(ctx context.Context, item map[string]types.AttributeValue) (leaderboard.Projection, error) {
	p, err := hackathon.Projection(ctx, item)
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
