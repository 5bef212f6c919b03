// Command fanout is a function of Lambda that sends the changes of the main table
// to a bus. Copy it with its part of template.yaml.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	bussdk "github.com/aws/aws-sdk-go-v2/service/eventbridge"
	queuesdk "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/eventbridge"
	"github.com/plaza-sdk/plaza/stream/sqs"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	processor, err := newProcessor(context.Background(), log)
	if err != nil {
		log.Error("fanout does not start", "error", err)
		os.Exit(1)
	}
	lambda.Start(processor.Lambda)
}

func newProcessor(ctx context.Context, log *slog.Logger) (*stream.Processor, error) {
	attempts, err := strconv.Atoi(os.Getenv("EVENT_BRIDGE_MAX_ATTEMPT"))
	if err != nil {
		return nil, fmt.Errorf("EVENT_BRIDGE_MAX_ATTEMPT: %w", err)
	}
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	bus, err := eventbridge.New(bussdk.NewFromConfig(cfg), os.Getenv("EVENT_BUS_NAME"), nil)
	if err != nil {
		return nil, err
	}
	letters, err := sqs.NewDeadLetters(queuesdk.NewFromConfig(cfg), os.Getenv("DEAD_LETTER_QUEUE_URL"), nil)
	if err != nil {
		return nil, err
	}
	return stream.NewProcessor(hackathon.Fanout(bus, stream.Policy{Attempts: attempts}, letters), letters, &stream.ProcessorOptions{
		Margin: 2 * time.Second,
		OnDead: func(d stream.Dead, err error) {
			log.Warn("dead letter", "seq", d.Seq, "reason", d.Reason, "error", err)
		},
		OnStop: func(err error) { log.Error("stopped", "error", err) },
	})
}
