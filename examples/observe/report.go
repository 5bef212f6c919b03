package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// printTrace prints the last span and the spans below it.
func printTrace(out io.Writer, spans tracetest.SpanStubs) {
	const line = "%-36s %v\n"
	page := spans[len(spans)-1]
	fmt.Fprintf(out, line, page.Name, page.EndTime.Sub(page.StartTime).Round(time.Microsecond))
	for _, s := range spans {
		if s.Parent.SpanID() == page.SpanContext.SpanID() {
			fmt.Fprintf(out, line, "  "+s.Name, s.EndTime.Sub(s.StartTime).Round(time.Microsecond))
		}
	}
}

// printCosts prints the metrics of requests, by Plaza's operation.
func printCosts(ctx context.Context, out io.Writer, metrics metric.Reader) error {
	var measured metricdata.ResourceMetrics
	if err := metrics.Collect(ctx, &measured); err != nil {
		return err
	}
	requests, units, dollars := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, m := range measured.ScopeMetrics[0].Metrics {
		switch m.Name {
		case "plaza.requests":
			add(requests, m.Data.(metricdata.Sum[int64]))
		case "plaza.units":
			add(units, m.Data.(metricdata.Sum[float64]))
		case "plaza.dollars":
			add(dollars, m.Data.(metricdata.Sum[float64]))
		}
	}
	fmt.Fprintf(out, "%-22s %8s %6s  %s\n", "", "requests", "units", "$ for a million such days")
	for _, operation := range slices.Sorted(maps.Keys(requests)) {
		fmt.Fprintf(out, "%-22s %8g %6g  %.2f\n", operation, requests[operation], units[operation], 1e6*dollars[operation])
	}
	return nil
}

func add[N int64 | float64](sums map[string]float64, of metricdata.Sum[N]) {
	for _, p := range of.DataPoints {
		operation, _ := p.Attributes.Value(attribute.Key("plaza.operation"))
		sums[operation.AsString()] += float64(p.Value)
	}
}
