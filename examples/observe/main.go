// Command observe shows how a service sees what Plaza does: a trace of each call by
// OpenTelemetry, metrics, logs of what failed, and the cost of a thousand calls in dollars.
// Copy observe.go (the observer of a service) and service.go (where the service calls it).
//
//	go run ./examples/observe
//
// Here a trace and the costs are printed, and the metrics go nowhere. A service gives
// observer the providers that export to its collector, and counts its costs by
//
//	costs := meter.New()
//	costs.Attach(&cfg)
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/guregu/dynamo/v2"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/plaza-sdk/plaza/examples/internal/command"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func main() {
	command.Main("observe", os.Stdout, func(ctx context.Context, _ []string, out io.Writer) error { return run(ctx, out) })
}

func run(ctx context.Context, out io.Writer) (err error) {
	env, err := plazatest.Open(ctx, &plazatest.Options{Tables: tables.Names{Follow: "follow", Feed: "feed", Reaction: "reaction"}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()

	spans := tracetest.NewInMemoryExporter()
	o, err := newObserver(trace.NewTracerProvider(trace.WithSyncer(spans)), metric.NewMeterProvider(),
		slog.New(slog.NewTextHandler(out, nil)))
	if err != nil {
		return err
	}
	cfg := env.Config
	o.attach(&cfg)
	gen, err := ids.New(1, nil)
	if err != nil {
		return err
	}
	s, err := newService(dynamo.New(cfg), env.Tables, gen, o)
	if err != nil {
		return err
	}
	if err := day(ctx, s); err != nil {
		return err
	}

	printTrace(out, spans.GetSpans(), "GET /home")
	fmt.Fprintln(out)
	printCosts(out, spans.GetSpans(), env.Meter.ByOperation(), meter.USEast1())
	return nil
}

// day is what ten people do: follow ann, see her photos, and like them.
func day(ctx context.Context, s *service) error {
	var done []error
	for i := range 10 {
		done = append(done, s.follow(ctx, fmt.Sprint("user", i), "ann"))
	}
	for i := range 5 {
		done = append(done, s.post(ctx, "ann", fmt.Sprint("photo", i)))
	}
	for i := range 10 {
		user := fmt.Sprint("user", i)
		photos, err := s.home(ctx, user)
		done = append(done, err)
		for _, p := range photos {
			done = append(done, s.like(ctx, user, p.ID))
		}
	}
	return errors.Join(done...)
}
