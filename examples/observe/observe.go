package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/middleware"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/meter"
)

const scope = "github.com/plaza-sdk/plaza/examples/observe"

// operationKey is the attribute of spans and metrics that names Plaza's call.
const operationKey = attribute.Key("plaza.operation")

// observer sends spans, metrics and logs.
type observer struct {
	tracer   trace.Tracer
	calls    metric.Float64Histogram
	requests metric.Int64Counter
	units    metric.Float64Counter
	log      *slog.Logger
}

// newObserver takes the providers that the service sets up once, with exporters to a
// collector for example.
func newObserver(traces trace.TracerProvider, metrics metric.MeterProvider, log *slog.Logger) (o *observer, err error) {
	o = &observer{tracer: traces.Tracer(scope), log: log}
	m := metrics.Meter(scope)
	if o.calls, err = m.Float64Histogram("plaza.call.duration", metric.WithUnit("s"),
		metric.WithDescription("Duration of the service's calls of Plaza."),
		metric.WithExplicitBucketBoundaries(.001, .002, .003, .005, .007, .01, .015, .02, .03, .05, .07, .1, .2, .5, 1, 5)); err != nil {
		return nil, err
	}
	if o.requests, err = m.Int64Counter("plaza.requests", metric.WithUnit("{request}"),
		metric.WithDescription("Requests to DynamoDB, retries included.")); err != nil {
		return nil, err
	}
	o.units, err = m.Float64Counter("plaza.capacity", metric.WithUnit("{unit}"),
		metric.WithDescription("Capacity units that DynamoDB reports."))
	return o, err
}

// attach observes every DynamoDB client that is made from cfg afterwards.
func (o *observer) attach(cfg *aws.Config) {
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("observe", o.span), middleware.After)
	})
	meter.Observe(cfg, o.request)
}

// span runs a call of the SDK, with its retries, in a span. Use this, as
// OpenTelemetry's otelaws is no longer supported.
func (o *observer) span(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	out middleware.InitializeOutput, metadata middleware.Metadata, err error,
) {
	ctx, span := o.tracer.Start(ctx, middleware.GetServiceID(ctx)+"."+middleware.GetOperationName(ctx),
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(operationKey.String(plaza.Operation(ctx))))
	defer func() { end(span, err) }()
	return next.HandleInitialize(ctx, in)
}

// request counts one attempt of a request, and logs it if it failed.
func (o *observer) request(ctx context.Context, c meter.Call) {
	of := []attribute.KeyValue{operationKey.String(c.Operation), attribute.String("db.operation.name", c.Action)}
	o.requests.Add(ctx, 1, metric.WithAttributes(append(of, attribute.Bool("error", c.Err != nil))...))
	o.units.Add(ctx, c.Cost.Read, metric.WithAttributes(append(of, attribute.String("kind", "read"))...))
	o.units.Add(ctx, c.Cost.Write, metric.WithAttributes(append(of, attribute.String("kind", "write"))...))
	if c.Err != nil {
		o.log.WarnContext(ctx, "request failed", "operation", c.Operation, "action", c.Action, "table", c.Table,
			"duration", c.Duration, "trace", trace.SpanContextFromContext(ctx).TraceID(), "error", c.Err)
	}
}

// begin opens the span of one call, and names the requests that it sends. The name is that
// of Plaza's call, or one of the service's own for several calls.
func (o *observer) begin(ctx context.Context, name string) (context.Context, func(error)) {
	ctx = plaza.WithOperation(ctx, name)
	ctx, span := o.tracer.Start(ctx, name)
	began := time.Now()
	return ctx, func(err error) {
		o.calls.Record(ctx, time.Since(began).Seconds(), metric.WithAttributes(operationKey.String(name)))
		end(span, err)
	}
}

func end(span trace.Span, err error) {
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
