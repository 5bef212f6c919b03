package otel_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/plaza-sdk/plaza/otel"
)

// world is telemetry that stays in memory.
type world struct {
	*otel.Observer
	spans  *tracetest.InMemoryExporter
	reader *metric.ManualReader
	log    *bytes.Buffer
}

func newWorld(t testing.TB, opts otel.Options) world {
	t.Helper()
	w := world{spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader(), log: new(bytes.Buffer)}
	opts.TracerProvider = trace.NewTracerProvider(trace.WithSyncer(w.spans))
	opts.MeterProvider = metric.NewMeterProvider(metric.WithReader(w.reader))
	opts.Log = slog.New(slog.NewTextHandler(w.log, nil))
	var err error
	w.Observer, err = otel.New(&opts)
	require.NoError(t, err)
	return w
}

// attach returns cfg with the observer.
func (w world) attach(cfg aws.Config) aws.Config {
	w.Attach(&cfg)
	return cfg
}

// point is the state of an instrument for one set of attributes.
type point struct {
	of    attribute.Set
	value float64 // a histogram's sum
	count uint64  // a histogram's
}

func (w world) points(t testing.TB, name string) (points []point) {
	t.Helper()
	var measured metricdata.ResourceMetrics
	require.NoError(t, w.reader.Collect(context.Background(), &measured))
	for _, s := range measured.ScopeMetrics {
		for _, m := range s.Metrics {
			if m.Name != name {
				continue
			}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					points = append(points, point{of: p.Attributes, value: float64(p.Value)})
				}
			case metricdata.Sum[float64]:
				for _, p := range data.DataPoints {
					points = append(points, point{of: p.Attributes, value: p.Value})
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					points = append(points, point{p.Attributes, p.Sum, p.Count})
				}
			default:
				t.Fatalf("%s is a %T", name, data)
			}
		}
	}
	return points
}

// sum adds up an instrument by one of its attributes, where the others are as given.
func (w world) sum(t testing.TB, name, by string, where ...attribute.KeyValue) map[string]float64 {
	t.Helper()
	sums := map[string]float64{}
	for _, p := range w.points(t, name) {
		if slices.ContainsFunc(where, func(kv attribute.KeyValue) bool {
			v, _ := p.of.Value(kv.Key)
			return v != kv.Value
		}) {
			continue
		}
		v, _ := p.of.Value(attribute.Key(by))
		sums[v.AsString()] += p.value
	}
	return sums
}

// counts returns an instrument's values, of a histogram how many there are, by all
// attributes.
func (w world) counts(t testing.TB, name string) map[string]float64 {
	t.Helper()
	counts := map[string]float64{}
	for _, p := range w.points(t, name) {
		value := p.value
		if p.count > 0 {
			value = float64(p.count)
		}
		counts[attributes(p.of.ToSlice())] = value
	}
	return counts
}

// attributes writes them in order.
func attributes(of []attribute.KeyValue) string {
	var words []string
	for _, kv := range of {
		words = append(words, string(kv.Key)+"="+kv.Value.String())
	}
	return joined("", words...)
}

// joined adds words to those of a text, in order.
func joined(text string, words ...string) string {
	words = append(strings.Fields(text), words...)
	slices.Sort(words)
	return strings.Join(words, " ")
}
