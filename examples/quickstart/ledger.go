package main

import (
	"fmt"
	"io"
	"time"

	"github.com/plaza-sdk/plaza/internal/dynamotest/meter"
)

// ledger prints what was done, with the cost that was measured beside the one
// that is stated.
type ledger struct {
	out     io.Writer
	meter   *meter.Meter
	started time.Time
	total   meter.Cost
	over    int
	results []string
}

func newLedger(out io.Writer, m *meter.Meter) *ledger {
	fmt.Fprintf(out, "%-44s %8s %6s %6s   %8s\n", "", "measured", "", "", "at most")
	fmt.Fprintf(out, "%-44s %8s %6s %6s   %8s %6s %6s\n", "", "requests", "WCU", "RCU", "requests", "WCU", "RCU")
	return &ledger{out: out, meter: m, started: time.Now()}
}

func (l *ledger) title(text string) { fmt.Fprintf(l.out, "\n%s\n", text) }

// do does one step and prints its line.
func (l *ledger) do(what string, stated meter.Cost, f func() error) error {
	l.results = nil
	l.meter.Take()
	err := f()
	used := l.meter.Take()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	mark := ""
	if used.Requests > stated.Requests || used.Write > stated.Write || used.Read > stated.Read {
		l.over++
		mark = "  over"
	}
	l.total.Requests += used.Requests
	l.total.Write += used.Write
	l.total.Read += used.Read
	fmt.Fprintf(l.out, "  %-42s %8d %6g %6g   %8d %6g %6g%s\n", what,
		used.Requests, used.Write, used.Read, stated.Requests, stated.Write, stated.Read, mark)
	for _, line := range l.results {
		fmt.Fprintf(l.out, "    %s\n", line)
	}
	return nil
}

// show shows a line below the step that is being done.
func (l *ledger) show(format string, args ...any) {
	l.results = append(l.results, fmt.Sprintf(format, args...))
}

func (l *ledger) close() {
	fmt.Fprintf(l.out, "\n%-44s %8d %6g %6g\n", "All of it", l.total.Requests, l.total.Write, l.total.Read)
	if l.over > 0 {
		fmt.Fprintf(l.out, "%d steps cost more than stated.\n", l.over)
	} else {
		fmt.Fprintln(l.out, "Every step cost what is stated, or less.")
	}
	fmt.Fprintf(l.out, "Done in %.1f s. The tables are gone again. Next: the code in examples/quickstart, then README.md.\n",
		time.Since(l.started).Seconds())
}
