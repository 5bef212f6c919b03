package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/stream"
)

// stages count what passed each part of the pipeline.
type stages struct {
	mu sync.Mutex

	written, shown int // changes of the source, and those that boards show

	fanned, applied, archived, dead set

	redriven int // dead letters that were handled

	problem error // the last one that the poller survived
}

// set counts ids, and how often they came again.
type set struct {
	ids   map[string]bool
	again int
}

func (s *set) add(id string) {
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	if s.ids[id] {
		s.again++
	}
	s.ids[id] = true
}

func (s *stages) do(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// settled reports whether each change is where it belongs: in the archive, and on a
// board or among the dead letters.
func (s *stages) settled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	arrived := len(s.applied.ids)
	for id := range s.dead.ids {
		if !s.applied.ids[id] {
			arrived++
		}
	}
	return len(s.archived.ids) == s.written && arrived == s.shown
}

// stalled is the error of a pipeline in which nothing moves.
func (s *stages) stalled() (err error) {
	s.do(func() {
		err = errors.New("nothing moves any more")
		if s.problem != nil {
			err = fmt.Errorf("%w, perhaps since %w", err, s.problem)
		}
	})
	return err
}

// counted adds the records that b handled to one of s.
func (s *stages) counted(to *set, b stream.Batch) stream.Batch {
	return func(ctx context.Context, records []stream.Record) []error {
		errs := b(ctx, records)
		s.do(func() {
			for i, err := range errs {
				if err == nil {
					to.add(records[i].ID)
				}
			}
		})
		return errs
	}
}

// follow does the work of a step, and waits until all of it has passed the stages. They may
// stand still for as long as patience.
func (s *stages) follow(ctx context.Context, work func(context.Context) error, patience time.Duration, out io.Writer) error {
	if err := work(ctx); err != nil {
		return err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for last, changed := "", time.Now(); !s.settled(); {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		if now := s.String(); now != last {
			last, changed = now, time.Now()
		}
		if time.Since(changed) > patience {
			return s.stalled()
		}
	}
	fmt.Fprintln(out, s)
	return nil
}

func (s *stages) String() (text string) {
	s.do(func() {
		text = fmt.Sprintf("  %d changes; fan-out %v, board %v of %d, archive %v; %d dead letters, %d driven again",
			s.written, s.fanned, s.applied, s.shown, s.archived, len(s.dead.ids), s.redriven)
	})
	return text
}

func (s set) String() string { return fmt.Sprintf("%d (%d repeats)", len(s.ids), s.again) }
