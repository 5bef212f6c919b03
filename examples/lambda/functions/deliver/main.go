// Command deliver is a function of Lambda that a schedule invokes: it brings activities to
// the followers whom Publish did not reach. template.yaml deploys it.
package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/plaza-sdk/plaza/examples/lambda/photos"
	"github.com/plaza-sdk/plaza/feed"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	feeds, err := photos.Open(context.Background(), nil, log)
	if err != nil {
		log.Error("deliver does not start", "error", err)
		os.Exit(1)
	}
	lambda.Start((&worker{feeds, log}).handle)
}

// margin is the time that a delivery has to store how far it came.
const margin = 5 * time.Second

type worker struct {
	feeds *feed.Repository
	log   *slog.Logger
}

// handle delivers what waits, until nothing does or the time is up. The rest waits for
// the next event, and so do failed deliveries.
func (w *worker) handle(ctx context.Context) error {
	if end, ok := ctx.Deadline(); ok {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, end.Add(-margin))
		defer stop()
	}
	for {
		n, err := w.feeds.Deliver(ctx)
		if n > 0 {
			w.log.Info("delivered", "activities", n)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			w.log.Error("not everything was delivered", "error", err)
			return err
		case n == 0:
			return nil
		}
	}
}
