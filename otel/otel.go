package otel

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/middleware"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/dbconv"
	"go.opentelemetry.io/otel/trace"

	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/plazalog"
)

const scope = "github.com/plaza-sdk/plaza/otel"

// The attributes that OpenTelemetry does not define.
const (
	operationKey = attribute.Key("plaza.operation")
	attemptsKey  = attribute.Key("plaza.attempts")
	readKey      = attribute.Key("plaza.units.read")
	writeKey     = attribute.Key("plaza.units.write")
	kindKey      = attribute.Key("plaza.units.kind")
	workerKey    = attribute.Key("plaza.worker")
	resultKey    = attribute.Key("plaza.result")
)

// Options are the options of New. The zero value works.
type Options struct {
	// TracerProvider defaults to the global one, also if that is set later.
	TracerProvider trace.TracerProvider

	// MeterProvider defaults to the global one, also if that is set later.
	MeterProvider metric.MeterProvider

	// Prices are those of plaza.dollars. Defaults to meter.USEast1.
	Prices meter.Prices

	// Log gets what fails too, as package plazalog writes it, so that each option needs
	// one method. Defaults to none.
	Log *slog.Logger

	// Now is the clock of plaza.lag. Defaults to time.Now.
	Now func() time.Time
}

// Observer sends spans and metrics. Its methods may be called concurrently.
type Observer struct {
	opts   Options
	tracer trace.Tracer
	log    *plazalog.Logger

	duration    dbconv.ClientOperationDuration
	requests    metric.Int64Counter
	units       metric.Float64Counter
	dollars     metric.Float64Counter
	unprocessed metric.Int64Counter
	attempts    metric.Int64Counter
	lag         metric.Float64Histogram
	damaged     metric.Int64Counter
}

// New does no I/O. Its errors are the MeterProvider's.
func New(opts *Options) (*Observer, error) {
	o := &Observer{opts: args.Given(opts)}
	if o.opts.TracerProvider == nil {
		o.opts.TracerProvider = otel.GetTracerProvider()
	}
	if o.opts.MeterProvider == nil {
		o.opts.MeterProvider = otel.GetMeterProvider()
	}
	if o.opts.Prices == (meter.Prices{}) {
		o.opts.Prices = meter.USEast1()
	}
	if o.opts.Now == nil {
		o.opts.Now = time.Now
	}
	o.log = plazalog.New(cmp.Or(o.opts.Log, slog.New(slog.DiscardHandler)))
	o.tracer = o.opts.TracerProvider.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL))
	return o, o.instruments(o.opts.MeterProvider.Meter(scope, metric.WithSchemaURL(semconv.SchemaURL)))
}

// instruments makes what the package's comment lists.
func (o *Observer) instruments(m metric.Meter) (err error) {
	counter := func(name, unit, description string) metric.Int64Counter {
		c, failed := m.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
		err = cmp.Or(err, failed)
		return c
	}
	sum := func(name, unit, description string) metric.Float64Counter {
		c, failed := m.Float64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
		err = cmp.Or(err, failed)
		return c
	}
	o.requests = counter("plaza.requests", "{request}", "Attempts at requests to DynamoDB.")
	o.units = sum("plaza.units", "{unit}", "Capacity units that DynamoDB bills.")
	o.dollars = sum("plaza.dollars", "{USD}", "What the capacity units cost.")
	o.unprocessed = counter("plaza.unprocessed", "{item}", "Items of batches that DynamoDB left out.")
	o.attempts = counter("plaza.attempts", "{attempt}", "Attempts of workers at jobs, or to find them.")
	o.damaged = counter("plaza.damaged", "{item}", "Damaged items that answers left out.")
	var failed error
	o.lag, failed = m.Float64Histogram("plaza.lag", metric.WithUnit("s"),
		metric.WithDescription("Time from when work was due until a worker finished it."),
		metric.WithExplicitBucketBoundaries(.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 6*3600, 24*3600))
	err = cmp.Or(err, failed)
	o.duration, failed = dbconv.NewClientOperationDuration(m, // the bounds that its convention recommends
		metric.WithExplicitBucketBoundaries(.001, .005, .01, .05, .1, .5, 1, 5, 10))
	return cmp.Or(err, failed)
}

// Attach observes every DynamoDB client that is made from cfg afterwards. Attach it once.
func (o *Observer) Attach(cfg *aws.Config) {
	step := middleware.InitializeMiddlewareFunc(fmt.Sprintf("%s %p", scope, o), o.call)
	// Clip, because copies of a Config share their options.
	cfg.APIOptions = append(slices.Clip(cfg.APIOptions), func(stack *middleware.Stack) error {
		return stack.Initialize.Add(step, middleware.After)
	})
	meter.Observe(cfg, o.request)
	if o.opts.Log != nil {
		o.log.Attach(cfg)
	}
}
