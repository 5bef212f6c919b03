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
	out    io.Writer
	moving bool
	lines  int // that are to be drawn over
	stages *stages

	patience time.Duration // how long nothing may move
}

const barWidth = 30

// follow does the work, and shows the stages until all of it has passed them.
func (v *view) follow(ctx context.Context, title string, work func(context.Context) error) error {
	fmt.Fprintf(v.out, "\n%s\n", title)
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
	row := func(name string, n, of int, format string, args ...any) {
		fmt.Fprintf(&b, "  %-14s %-*s  %s\n", name, barWidth, bar(n, of), fmt.Sprintf(format, args...))
	}
	n := ledger.Thousands[int]
	row("main table", s.written, s.written, "%s changes", n(s.written))
	row("fan-out", len(s.fanned.ids), s.written, "%s records", n(len(s.fanned.ids)))
	row("board", len(s.applied.ids), s.shown, "%s of %s events, and %s again", n(len(s.applied.ids)), n(s.shown), n(s.applied.again))
	row("archive", len(s.archived.ids), s.written, "%s of %s events, and %s again", n(len(s.archived.ids)), n(s.written), n(s.archived.again))
	row("dead letters", len(s.dead.ids), s.shown, "%s, and %s driven again", n(len(s.dead.ids)), n(s.redriven))
	return b.String()
}

func bar(n, of int) string {
	filled := min(n*barWidth/max(of, 1), barWidth)
	if n > 0 {
		filled = max(filled, 1)
	}
	return strings.Repeat("█", filled)
}
