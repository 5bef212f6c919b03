package folder

import (
	"context"
	"time"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Lead folds with the lease gen until ctx ends, or until an error that another attempt
// would meet too. A lease.StaleError means that a folder with a later lease publishes.
func (f *Folder) Lead(ctx context.Context, gen uint64) error {
	t := f.Begin(gen)
	ctx, cancel := context.WithCancel(ctx)
	defer t.end(cancel)
	return parallel.Catch(func() error {
		for {
			if err := t.Round(ctx); err != nil {
				return err
			}
		}
	})
}

// Begin begins a term under the lease gen.
func (f *Folder) Begin(gen uint64) *Term {
	f.Reader.Reset()
	f.setStatus(func(s *Status) { s.Leading = true })
	t := &Term{Folder: f, gen: gen, loads: parallel.New(), retired: map[store.Key]time.Time{}}
	t.rebuild()
	return t
}

func (t *Term) end(cancel context.CancelFunc) {
	cancel()
	_ = t.loads.Wait() // each keeps its own error
	t.setStatus(func(s *Status) {
		*s = Status{Published: s.Published, Bytes: s.Bytes}
	})
}

// Round reads what is new and does what follows from it.
func (t *Term) Round(ctx context.Context) error {
	if err := t.follow(ctx); err != nil {
		if err = t.survive(ctx, Attempt{Err: err}); err != nil {
			return err
		}
		return parallel.Sleep(ctx, min(t.Every, time.Second))
	}
	for _, step := range []func(context.Context) error{t.readBoards, t.load, t.publish, t.sweep} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	t.report()
	return nil
}

func (t *Term) report() {
	s := Status{Leading: true, Through: t.through}
	for _, p := range t.periods {
		s.Entries += p.size()
		switch {
		case p.state == tooLarge:
			s.TooLarge++
		case p.loaded(t.through):
			s.Following++
		default:
			s.Loading++
		}
	}
	t.setStatus(func(old *Status) {
		s.Published, s.Bytes = old.Published, old.Bytes
		*old = s
	})
}

// CaughtUp reports whether everything written until then is published.
func (t *Term) CaughtUp(then time.Time) bool {
	if !t.begun || len(t.unread) > 0 || t.through.Before(then) {
		return false
	}
	for _, p := range t.periods {
		if p.dirty || p.state != tooLarge && !p.loaded(t.through) {
			return false
		}
	}
	return true
}
