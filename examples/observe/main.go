// Command observe shows what a service sees that adds package otel: the trace of a page, what
// its calls cost by the metrics, and logs of what failed. Copy the body of connect.
//
//	go run ./examples/observe
//
// Here telemetry stays in memory and is printed. A service sets the global providers, with
// exporters to its collector, and leaves out both of Options. otel/grafana.json is a board.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/internal/command"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/otel"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func main() {
	command.Main("observe", os.Stdout, func(ctx context.Context, _ []string, out io.Writer) error { return run(ctx, out) })
}

func run(ctx context.Context, out io.Writer) (err error) {
	env, err := plazatest.Open(ctx, &plazatest.Options{Tables: tables.Names{Follow: "follow", Feed: "feed"}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	spans, metrics := tracetest.NewInMemoryExporter(), metric.NewManualReader()
	traces := trace.NewTracerProvider(trace.WithSyncer(spans))
	k, err := connect(env.Config, env.Tables, otel.Options{
		TracerProvider: traces,
		MeterProvider:  metric.NewMeterProvider(metric.WithReader(metrics)),
		Log:            slog.New(slog.NewTextHandler(out, nil)),
	})
	if err != nil {
		return err
	}
	if err := day(ctx, k.Feeds); err != nil {
		return err
	}
	// The span of a handler, which otelhttp begins in a service.
	page, span := traces.Tracer("service").Start(ctx, "GET /home")
	_, err = k.Feeds.Home("user0").List(page, cursor.PageRequest{Limit: 20})
	span.End()
	if err != nil {
		return err
	}
	printTrace(out, spans.GetSpans())
	fmt.Fprintln(out)
	return printCosts(ctx, out, metrics)
}

// connect returns a kit that is observed.
func connect(cfg aws.Config, names tables.Names, opts otel.Options) (*kit.Kit, error) {
	o, err := otel.New(&opts)
	if err != nil {
		return nil, err
	}
	o.Attach(&cfg) // before dynamo.New
	gen, err := ids.New(1, nil)
	if err != nil {
		return nil, err
	}
	return kit.New(dynamo.New(cfg), gen, &kit.Options{Names: names, OnAttempt: o.Attempt, OnCorrupt: o.Corrupt})
}

// day is what ten people do: follow ann, and see her five photos.
func day(ctx context.Context, feeds *feed.Repository) error {
	const people, photos = 10, 5
	var done []error
	for i := range people {
		_, err := feeds.Home(fmt.Sprint("user", i)).Follow(ctx, "ann", nil)
		done = append(done, err)
	}
	for i := range photos {
		_, _, err := feeds.Outbox("ann").Publish(ctx, feed.Activity{
			Actor: feed.Ref{Kind: "user", ID: "ann"}, Verb: "post", Object: feed.Ref{Kind: "photo", ID: fmt.Sprint(i)},
		})
		done = append(done, err)
	}
	for i := range people {
		_, err := feeds.Home(fmt.Sprint("user", i)).List(ctx, cursor.PageRequest{Limit: 20})
		done = append(done, err)
	}
	return errors.Join(done...)
}
