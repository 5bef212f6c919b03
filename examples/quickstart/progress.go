package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/examples/ledger"
)

const barWidth = 30

// progress draws a bar on a terminal. Elsewhere it prints a line for each tenth.
type progress struct {
	out      io.Writer
	total    int
	terminal bool
	tenth    int
}

func newProgress(out io.Writer, total int) *progress {
	return &progress{out: out, total: total, terminal: ledger.Terminal(out)}
}

func (p *progress) show(done int, took time.Duration) {
	text := fmt.Sprintf("%s of %s edges, %s a second", ledger.Thousands(done), ledger.Thousands(p.total), ledger.Thousands(perSecond(done, took)))
	if p.terminal {
		filled := barWidth * done / max(p.total, 1)
		fmt.Fprintf(p.out, "\r%-9s [%s%s] %s ", "", strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled), text)
		return
	}
	if tenth := 10 * done / max(p.total, 1); tenth > p.tenth {
		p.tenth = tenth
		fmt.Fprintf(p.out, "%-9s %s\n", "", text)
	}
}

// end clears the bar.
func (p *progress) end() {
	if p.terminal {
		fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", 100))
	}
}
