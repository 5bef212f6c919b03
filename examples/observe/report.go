package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/plaza-sdk/plaza/meter"
)

// printTrace prints the spans of the last call of a name as a tree.
func printTrace(out io.Writer, spans tracetest.SpanStubs, name string) {
	children := map[trace.SpanID]tracetest.SpanStubs{}
	var root *tracetest.SpanStub
	for i, s := range spans {
		if s.Name == name {
			root = &spans[i]
		}
		children[s.Parent.SpanID()] = append(children[s.Parent.SpanID()], s)
	}
	if root == nil {
		return
	}
	var branch func(s tracetest.SpanStub, depth int)
	branch = func(s tracetest.SpanStub, depth int) {
		fmt.Fprintf(out, "%-36s %v\n", strings.Repeat("  ", depth)+s.Name, s.EndTime.Sub(s.StartTime).Round(time.Microsecond))
		under := children[s.SpanContext.SpanID()]
		slices.SortFunc(under, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
		for _, s := range under {
			branch(s, depth+1)
		}
	}
	branch(*root, 0)
}

// row is what the calls of one name took.
type row struct {
	name   string
	calls  uint64
	median time.Duration
	cost   meter.Cost
}

// rows joins the calls that were measured with what they cost.
func rows(measured metricdata.ResourceMetrics, costs map[string]meter.Cost) []row {
	var rows []row
	for _, s := range measured.ScopeMetrics {
		for _, m := range s.Metrics {
			h, ok := m.Data.(metricdata.Histogram[float64])
			if !ok || m.Name != "plaza.call.duration" {
				continue
			}
			for _, p := range h.DataPoints {
				name, _ := p.Attributes.Value(operationKey)
				rows = append(rows, row{name.AsString(), p.Count, median(p), costs[name.AsString()]})
			}
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.name, b.name) })
	return rows
}

// median reads between the bounds of the bucket that has the middle one, as dashboards do.
func median(p metricdata.HistogramDataPoint[float64]) time.Duration {
	low, rest := 0.0, float64(p.Count)/2
	for i, high := range p.Bounds {
		n := float64(p.BucketCounts[i])
		if rest <= n {
			return time.Duration((low + (high-low)*rest/n) * float64(time.Second))
		}
		low, rest = high, rest-n
	}
	return time.Duration(low * float64(time.Second))
}

// printCosts prints what the calls took, and what a thousand of each cost. Requests
// outside of any call, such as a background worker's, have no row but count in the total.
func printCosts(out io.Writer, rows []row, costs map[string]meter.Cost, prices meter.Prices) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	var w io.Writer = table
	fmt.Fprintln(w, "\tcalls\trequests\tRCU\tWCU\tp50\t$ per 1,000 calls\t")
	for _, r := range rows {
		fmt.Fprintf(w, "%-30s\t%d\t%d\t%g\t%g\t%v\t%.5f\t\n", r.name, r.calls, r.cost.Requests, r.cost.Read, r.cost.Write,
			r.median.Round(10*time.Microsecond), 1000*r.cost.Dollars(prices)/float64(r.calls))
	}
	sum := meter.Sum(costs)
	fmt.Fprintf(w, "%-30s\t\t%d\t%g\t%g\t\t\t\n", "in all", sum.Requests, sum.Read, sum.Write)
	_ = table.Flush()
	fmt.Fprintf(out, "at $%g a million RCU and $%g a million WCU\n", prices.Read, prices.Write)
}
