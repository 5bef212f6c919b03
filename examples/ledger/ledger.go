// Package ledger prints the steps of an example, each with its cost.
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

	step  meter.Cost // what the current step cost so far
	apart map[string]meter.Cost
}

// New prints the heads of the columns. The requests of the steps must go through m.
func New(out io.Writer, m *meter.Meter) *Ledger {
	fmt.Fprintf(out, "%-44s %8s %6s %6s\n", "", "requests", "WCU", "RCU")
	return &Ledger{out: out, meter: m, started: time.Now(), apart: map[string]meter.Cost{}}
}

// Title begins a part.
func (l *Ledger) Title(text string) { fmt.Fprintf(l.out, "\n%s\n", text) }

// Do does one step and prints its line. It prints the name before the step begins.
func (l *Ledger) Do(what string, f func() error) error {
	l.results = nil
	fmt.Fprintf(l.out, "  %-42s ", what)
	var err error
	used := l.Cost(func() { err = f() })
	if err != nil {
		fmt.Fprintln(l.out)
		return fmt.Errorf("%s: %w", what, err)
	}
	l.total = l.total.Plus(used)
	fmt.Fprintln(l.out, columns(used))
	for _, line := range l.results {
		fmt.Fprintf(l.out, "    %s\n", line)
	}
	return nil
}

// Cost returns what f costs, which is a part of the current step.
func (l *Ledger) Cost(f func()) meter.Cost {
	l.read()
	before := l.step
	l.step = meter.Cost{}
	f()
	l.read()
	own := l.step
	l.step = before.Plus(own)
	return own
}

// Apart keeps the costs of an operation, which runs beside the steps, out of them.
func (l *Ledger) Apart(operation string) { l.apart[operation] = meter.Cost{} }

// Taken returns what an operation that is apart cost since the last call.
func (l *Ledger) Taken(operation string) meter.Cost {
	l.read()
	c := l.apart[operation]
	l.apart[operation] = meter.Cost{}
	return c
}

// read moves what the meter has to the current step, or to what is apart.
func (l *Ledger) read() {
	for operation, c := range l.meter.Reset() {
		if sum, ok := l.apart[operation]; ok {
			l.apart[operation] = sum.Plus(c)
		} else {
			l.step = l.step.Plus(c)
		}
	}
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
