package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	// maxAcquire bounds an acquisition, which continues when its callers give up.
	maxAcquire = 10 * time.Second

	// losses is how many numbers one Next may lose.
	losses = 3
)

// Source is an ids.Source that acquires a machine number when it is first used, and another one
// after losing it. It suits processes that run for a long time, or that are frozen. It is safe for
// concurrent use.
type Source struct {
	table *store.Table
	opts  Options

	mu      sync.Mutex
	held    *Lease
	pending *acquisition
	closed  bool
	last    ids.ID // the greatest returned id
}

// acquisition is an acquisition in progress, which its callers share.
type acquisition struct {
	done   chan struct{}
	cancel context.CancelFunc
	err    error
}

// NewSource does no I/O. The table is one that Table describes.
func NewSource(db *dynamo.DB, table string, opts *Options) (*Source, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	t, err := store.Open(db, table, o.OnCorrupt, o.TrustClock)
	if err != nil {
		return nil, err
	}
	return &Source{table: t.Dated(), opts: o}, nil
}

// Verify checks the table's key schema and the mark that Init left. Any
// difference is plaza.ErrTable.
//
// Cost: 2 requests, 0.5 RCU.
func (s *Source) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "ids/lease.Source.Verify")
	return s.table.Verify(ctx, feature())
}

// Init verifies the table and marks it as one of leases, so that no feature uses
// it. Call it once, after the table is created.
//
// Cost: 3 requests, 0.5 RCU, 1 WCU.
func (s *Source) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "ids/lease.Source.Init")
	return s.table.Init(ctx, feature())
}

// Next returns an id greater than all that it returned before this call. If it
// cannot acquire a machine number it returns the error, and the next call tries
// again. After Close it returns ErrLost. With a wrong clock it returns a
// *plaza.ClockError.
//
// Cost: as Lease.Next; the first call, and the first after a loss, as Acquire, once
// for all concurrent callers.
func (s *Source) Next(ctx context.Context) (ids.ID, error) {
	ctx = plaza.WithOperation(ctx, "ids/lease.Source.Next")
	s.mu.Lock()
	floor := s.last
	s.mu.Unlock()
	for lost := 0; ; {
		l, err := s.lease(ctx)
		if err != nil {
			return 0, err
		}
		id, err := l.Next(ctx)
		switch {
		case errors.Is(err, ErrLost), errors.Is(err, plaza.ErrCorrupt):
			s.drop(l)
			if lost++; lost < losses {
				continue
			}
			return 0, err
		case err != nil:
			return 0, err
		case id > floor:
			s.give(id)
			return id, nil
		}
		// The clock went back between two leases.
		if err := await(ctx, floor.Time().Sub(id.Time())+time.Millisecond); err != nil {
			return 0, fmt.Errorf("lease: ids were made until %v: %w", floor.Time(), err)
		}
	}
}

func (s *Source) give(id ids.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last, id)
}

// lease returns the current lease, or acquires one.
func (s *Source) lease(ctx context.Context) (*Lease, error) {
	for {
		s.mu.Lock()
		switch {
		case s.closed:
			s.mu.Unlock()
			return nil, errClosed
		case s.held != nil:
			defer s.mu.Unlock()
			return s.held, nil
		case s.pending == nil:
			s.acquire(ctx)
		}
		pending := s.pending
		s.mu.Unlock()
		select {
		case <-pending.done:
			if err := pending.err; err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// acquire starts an acquisition, which outlives ctx. It needs mu.
func (s *Source) acquire(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxAcquire)
	pending := &acquisition{done: make(chan struct{}), cancel: cancel}
	s.pending = pending
	go func() {
		defer cancel()
		var l *Lease
		err := parallel.Catch(func() (err error) {
			l, err = acquire(ctx, s.table, s.opts)
			return err
		})
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case err == nil:
		case s.closed:
			err = errClosed
		case ctx.Err() != nil:
			err = fmt.Errorf("lease: acquire: no answer within %v: %w", maxAcquire, plaza.ErrUnavailable)
		}
		s.pending, s.held, pending.err = nil, l, err
		close(pending.done)
	}()
}

// drop forgets a lost lease.
func (s *Source) drop(l *Lease) {
	s.mu.Lock()
	if s.held == l && !s.closed {
		s.held = nil
	}
	s.mu.Unlock()
	l.end(errClosed)
}

// Close gives the machine number back. Next makes no more ids, even if Close
// fails. Close may be repeated.
//
// Cost: 1 request, 1 WCU; without a number none.
func (s *Source) Close(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "ids/lease.Source.Close")
	s.mu.Lock()
	s.closed = true
	pending := s.pending
	s.mu.Unlock()
	if pending != nil {
		pending.cancel()
		select {
		case <-pending.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	if held == nil {
		return nil
	}
	return held.Close(ctx)
}
