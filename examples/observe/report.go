package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

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

// printCosts prints what the calls of each name took, and what a thousand of them cost.
// Requests outside of any call, such as a background worker's, count in the total alone.
func printCosts(out io.Writer, spans tracetest.SpanStubs, costs map[string]meter.Cost, prices meter.Prices) {
	const line = "%-30s %6v %8v %6v %6v  %v\n"
	calls := map[string]int{}
	for _, s := range spans {
		calls[s.Name]++
	}
	fmt.Fprintf(out, line, "", "calls", "requests", "RCU", "WCU", "$ per 1,000 calls")
	for _, name := range slices.Sorted(maps.Keys(costs)) {
		if c, n := costs[name], calls[name]; n > 0 {
			fmt.Fprintf(out, line, name, n, c.Requests, c.Read, c.Write, fmt.Sprintf("%.5f", 1000*c.Dollars(prices)/float64(n)))
		}
	}
	sum := meter.Sum(costs)
	fmt.Fprintf(out, line, "in all", "", sum.Requests, sum.Read, sum.Write, "")
	fmt.Fprintf(out, "at $%g a million RCU and $%g a million WCU\n", prices.Read, prices.Write)
}
