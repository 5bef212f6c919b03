package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/examples/ledger"
)

// view shows the stages with their counters. On a terminal they move.
type view struct {
	ledger.Painter

	out    io.Writer
	moving bool
	lines  int // that are to be drawn over
	stages *stages

	patience time.Duration // how long nothing may move
}

const barWidth = 24 // so that a row fits in 80 columns

func newView(out io.Writer, s *stages, patience time.Duration) *view {
	return &view{Painter: ledger.NewPainter(out), out: out, moving: ledger.ANSI(out), stages: s, patience: patience}
}

// follow does the work, and shows the stages until all of it has passed them.
func (v *view) follow(ctx context.Context, title string, work func(context.Context) error) error {
	fmt.Fprintf(v.out, "\n%s\n", v.Paint(ledger.Bold, title))
	v.lines = 0
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	working, last, changed := true, "", time.Now()
	for {
		select {
		case <-ctx.Done():
			if working {
				<-done
			}
			return context.Cause(ctx)
		case err := <-done:
			if err != nil {
				return err
			}
			working = false
		case <-tick.C:
		}
		drawn := v.panel()
		if drawn != last {
			last, changed = drawn, time.Now()
			if v.moving {
				v.draw(drawn)
			}
		}
		switch {
		case !working && v.stages.settled():
			v.draw(v.panel())
			return nil
		case !working && time.Since(changed) > v.patience:
			v.draw(drawn)
			return v.stages.stalled()
		}
	}
}

// draw draws over what it drew last.
func (v *view) draw(panel string) {
	if v.moving && v.lines > 0 {
		fmt.Fprintf(v.out, "\x1b[%dA", v.lines)
	}
	v.lines = strings.Count(panel, "\n")
	if v.moving {
		panel = strings.ReplaceAll(panel, "\n", "\x1b[K\n")
	}
	fmt.Fprint(v.out, panel)
}

func (v *view) panel() string {
	s := v.stages
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	n := ledger.Thousands[int]
	row := func(name string, style ledger.Style, done, of int, format string, args ...any) {
		fmt.Fprintf(&b, "  %-14s %s  %s\n", name, v.Paint(style, fmt.Sprintf("%-*s", barWidth, bar(done, of))), fmt.Sprintf(format, args...))
	}
	passed := func(name string, style ledger.Style, s set, of int) {
		row(name, style, len(s.ids), of, "%s of %s, %s repeats", n(len(s.ids)), n(of), n(s.again))
	}
	row("main table", "38;5;39", s.written, s.written, "%s changes", n(s.written))
	passed("fan-out", "38;5;37", s.fanned, s.written)
	passed("board", "38;5;214", s.applied, s.shown)
	passed("archive", "38;5;107", s.archived, s.written)
	row("dead letters", ledger.Bad, len(s.dead.ids), s.shown, "%s, %s driven again", n(len(s.dead.ids)), n(s.redriven))
	return b.String()
}

func bar(n, of int) string {
	filled := min(n*barWidth/max(of, 1), barWidth)
	if n > 0 {
		filled = max(filled, 1)
	}
	return strings.Repeat("█", filled)
}
