package main

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// world is a service whose telemetry stays in memory.
type world struct {
	*service
	env    *plazatest.Env
	spans  *tracetest.InMemoryExporter
	reader *metric.ManualReader
	log    *bytes.Buffer
}

func newWorld(t *testing.T, wrap ...func(aws.HTTPClient) aws.HTTPClient) world {
	t.Helper()
	env := plazatest.Start(t, &plazatest.Options{Tables: tables.Names{Follow: "follow", Feed: "feed", Reaction: "reaction"}, Wrap: wrap})
	w := world{env: env, spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader(), log: new(bytes.Buffer)}
	o, err := newObserver(trace.NewTracerProvider(trace.WithSyncer(w.spans)), metric.NewMeterProvider(metric.WithReader(w.reader)),
		slog.New(slog.NewTextHandler(w.log, nil)))
	require.NoError(t, err)
	cfg := env.Config
	o.attach(&cfg)
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	w.service, err = newService(dynamo.New(cfg), env.Tables, gen, o)
	require.NoError(t, err)
	return w
}

// requests are those that the metrics counted, by operation.
func (w world) requests(t *testing.T) map[string]int {
	t.Helper()
	var measured metricdata.ResourceMetrics
	require.NoError(t, w.reader.Collect(t.Context(), &measured))
	counted := map[string]int{}
	for _, s := range measured.ScopeMetrics {
		for _, m := range s.Metrics {
			if sum, ok := m.Data.(metricdata.Sum[int64]); ok && m.Name == "plaza.requests" {
				for _, p := range sum.DataPoints {
					name, _ := p.Attributes.Value(operationKey)
					counted[name.AsString()] += int(p.Value)
				}
			}
		}
	}
	return counted
}

func TestEachRequestIsASpanOfItsCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.like(t.Context(), "ben", "photo"))
	spans := w.spans.GetSpans()
	require.Len(t, spans, 2)
	request, call := spans[0], spans[1]
	require.Equal(t, "feed/reaction.Repository.React", call.Name)
	require.Equal(t, "DynamoDB.TransactWriteItems", request.Name)
	require.Equal(t, call.SpanContext.SpanID(), request.Parent.SpanID())
	require.Equal(t, call.Name, request.Attributes[0].Value.AsString())
	require.Equal(t, operationKey, request.Attributes[0].Key)
}

func TestMetricsCountWhatTheMeterCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, day(t.Context(), w.service))
	want := map[string]int{}
	for name, cost := range w.env.Meter.ByOperation() {
		want[name] = cost.Requests
	}
	require.Equal(t, want, w.requests(t))
	require.Equal(t, 30, want["GET /home"], "ten pages of three requests, by the service's own name")
	require.Empty(t, w.log.String())
}

// refuse fails every request.
type refuse struct{}

func (refuse) Do(*http.Request) (*http.Response, error) { return nil, errors.New("no network") }

func TestAFailureIsInTheSpanAndInTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(aws.HTTPClient) aws.HTTPClient { return refuse{} })
	require.Error(t, w.like(t.Context(), "ben", "photo"))
	spans := w.spans.GetSpans()
	for _, s := range spans {
		require.Equal(t, codes.Error, s.Status.Code, s.Name)
	}
	require.Contains(t, w.log.String(), "operation=feed/reaction.Repository.React")
	require.Contains(t, w.log.String(), "trace="+spans[0].SpanContext.TraceID().String())
}

func TestAThousandCallsArePriced(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	printCosts(&out, slices.Repeat(tracetest.SpanStubs{{Name: "GET /home"}}, 20),
		map[string]meter.Cost{"GET /home": {Requests: 40, Read: 100, Write: 10}}, meter.Prices{Read: 0.2, Write: 1})
	require.Contains(t, out.String(), " 0.00150\n", "(100 × 0.2 + 10 × 1) / 1,000,000 × 1,000 / 20")
}

func TestTheTourPrintsATraceAndATable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	for _, want := range []string{"GET /home", "\n  DynamoDB.Query", "feed.Outbox.Publish", "$ per 1,000 calls"} {
		require.True(t, strings.Contains(out.String(), want), out.String())
	}
}
