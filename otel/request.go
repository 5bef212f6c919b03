package otel

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/dbconv"
	"go.opentelemetry.io/otel/trace"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/observe"
	"github.com/plaza-sdk/plaza/meter"
)

// call is one of the SDK, while it runs. Its attempts come one after another.
type call struct {
	span  trace.Span
	table string // as of its attempts
	cost  meter.Cost
}

type callKey struct{ of *Observer }

// call runs a call of the SDK in a span.
func (o *Observer) call(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	out middleware.InitializeOutput, metadata middleware.Metadata, err error,
) {
	if middleware.GetServiceID(ctx) != dynamodb.ServiceID {
		return next.HandleInitialize(ctx, in)
	}
	operation, action := plaza.Operation(ctx), middleware.GetOperationName(ctx)
	name := action
	if operation != "" {
		name += " " + operation
	}
	c, began := &call{}, time.Now()
	ctx, c.span = o.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		semconv.DBSystemNameAWSDynamoDB, semconv.DBOperationName(action), operationKey.String(operation)))
	out, metadata, err = next.HandleInitialize(context.WithValue(ctx, callKey{o}, c), in)

	of, result := names(operation, action, c.table), resultOf(err, c.cost.Requests > 0)
	o.duration.Record(ctx, time.Since(began).Seconds(), dbconv.SystemNameAWSDynamoDB, append(of, result...)...)
	if left := leftOut(out.Result); left > 0 {
		o.unprocessed.Add(ctx, int64(left), metric.WithAttributes(of...))
	}
	c.end(err, result)
	return out, metadata, err
}

// names are the attributes of all metrics of requests.
func names(operation, action, table string) []attribute.KeyValue {
	return []attribute.KeyValue{operationKey.String(operation), semconv.DBOperationName(action), semconv.DBCollectionName(table)}
}

// resultOf is the attribute for a request's error, if there is one.
func resultOf(err error, sent bool) []attribute.KeyValue {
	if err == nil {
		return nil
	}
	name, kind := observe.Failure(err, sent)
	if kind == observe.Refused {
		return []attribute.KeyValue{semconv.DBResponseStatusCode(name)}
	}
	return []attribute.KeyValue{semconv.ErrorTypeKey.String(name)}
}

// end ends the span.
func (c *call) end(err error, result []attribute.KeyValue) {
	c.span.SetAttributes(append(result, semconv.DBCollectionName(c.table), attemptsKey.Int(c.cost.Requests),
		readKey.Float64(c.cost.Read), writeKey.Float64(c.cost.Write))...)
	if failed(result) {
		c.span.SetStatus(codes.Error, err.Error())
	}
	c.span.End()
}

// failed reports whether a result is an error, and not a condition that did not hold.
func failed(result []attribute.KeyValue) bool {
	return len(result) > 0 && result[0].Key == semconv.ErrorTypeKey
}

// leftOut counts what DynamoDB left out of a batch.
func leftOut(output any) (items int) {
	switch out := output.(type) {
	case *dynamodb.BatchGetItemOutput:
		for _, of := range out.UnprocessedKeys {
			items += len(of.Keys)
		}
	case *dynamodb.BatchWriteItemOutput:
		for _, of := range out.UnprocessedItems {
			items += len(of)
		}
	}
	return items
}

// request counts one attempt of a call of the SDK.
func (o *Observer) request(ctx context.Context, m meter.Call) {
	of, result := names(m.Operation, m.Action, m.Table), resultOf(m.Err, true)
	o.requests.Add(ctx, 1, metric.WithAttributes(append(of, result...)...))
	all := metric.WithAttributes(of...)
	if m.Cost.Read > 0 {
		o.units.Add(ctx, m.Cost.Read, all, metric.WithAttributes(kindKey.String("read")))
	}
	if m.Cost.Write > 0 {
		o.units.Add(ctx, m.Cost.Write, all, metric.WithAttributes(kindKey.String("write")))
	}
	if dollars := m.Cost.Dollars(o.opts.Prices); dollars > 0 {
		o.dollars.Add(ctx, dollars, all)
	}
	if c, ok := ctx.Value(callKey{o}).(*call); ok {
		c.table, c.cost = m.Table, c.cost.Plus(m.Cost)
		if failed(result) {
			c.span.RecordError(m.Err)
		}
	}
}
