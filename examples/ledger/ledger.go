// Package ledger prints the steps of an example, each with its cost. A service has no use
// for it.
package ledger

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza/meter"
)

// Ledger prints each step with what a meter counted.
type Ledger struct {
	out     io.Writer
	meter   *meter.Meter
	started time.Time
	total   meter.Cost
	results []string
}

// New prints the heads of the columns. The requests of the steps must go through m.
func New(out io.Writer, m *meter.Meter) *Ledger {
	fmt.Fprintf(out, "%-44s %8s %6s %6s\n", "", "requests", "WCU", "RCU")
	return &Ledger{out: out, meter: m, started: time.Now()}
}

// Title begins a part.
func (l *Ledger) Title(text string) { fmt.Fprintf(l.out, "\n%s\n", text) }

// Do does one step and prints its line. It prints the name before the step begins.
func (l *Ledger) Do(what string, f func() error) error {
	l.results = nil
	fmt.Fprintf(l.out, "  %-42s ", what)
	l.meter.Reset()
	if err := f(); err != nil {
		fmt.Fprintln(l.out)
		return fmt.Errorf("%s: %w", what, err)
	}
	used := meter.Sum(l.meter.Reset())
	l.total = l.total.Plus(used)
	fmt.Fprintln(l.out, columns(used))
	for _, line := range l.results {
		fmt.Fprintf(l.out, "    %s\n", line)
	}
	return nil
}

// Show prints a line below the current step, once that is done.
func (l *Ledger) Show(format string, args ...any) {
	l.results = append(l.results, fmt.Sprintf(format, args...))
}

// Close prints the total, and what to look at next.
func (l *Ledger) Close(next string) {
	fmt.Fprintf(l.out, "\n%-44s %s\n", "All of it", columns(l.total))
	fmt.Fprintf(l.out, "Done in %.1f s. The tables are deleted. Next: %s.\n", time.Since(l.started).Seconds(), next)
}

func columns(c meter.Cost) string { return fmt.Sprintf("%8d %6v %6v", c.Requests, c.Write, c.Read) }

// Thousands writes n with a comma before each three digits.
func Thousands[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
