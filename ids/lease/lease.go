// Package lease borrows the machine number of an ids.Source from a DynamoDB
// table, for processes that have none of their own: containers, Lambda. What
// NewSource gives acquires one when it needs it; Acquire is for who wants to
// know at the start.
//
// The number's item holds the time until which its holder may make ids. The
// holder makes none timed later, and who takes the number over makes none
// timed at or before it. So ids are unique however far clocks differ or
// processes freeze; clocks that differ only make holders lose their numbers.
package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ErrLost is returned by Next, from then on always, once another holder took
// the machine number over, and after Close. Acquire another, or use a Source,
// which does. It unwraps to plaza.ErrUnavailable.
var ErrLost = fmt.Errorf("lease: machine number lost: %w", plaza.ErrUnavailable)

var (
	errClosed = fmt.Errorf("%w: closed", ErrLost)
	errPast   = errors.New("lease: no time left")
)

// maxWait is how long Next waits for its clock to pass the ids of those who
// had the number before.
const maxWait = 10 * time.Millisecond

// Lease is an ids.Source that holds a machine number. It is safe for
// concurrent use, and runs a goroutine until Close.
type Lease struct {
	table    *store.Table
	machine  uint16
	owner    string
	gen      uint64
	after    int64 // ms, as all times here: others made ids until then
	duration time.Duration
	now      func() time.Time
	source   ids.Source

	stop    context.CancelFunc
	stopped chan struct{}

	turn  chan struct{} // one write at a time; guards given
	given bool

	mu    sync.Mutex
	until int64 // at most the item's
	last  int64 // of the ids made
	retry int64 // no early renewal before
	err   error
}

func begin(table *store.Table, machine uint16, held *item, after int64, o Options) (*Lease, error) {
	source, err := o.source(machine)
	if err != nil {
		return nil, fmt.Errorf("lease: machine number %d: %w", machine, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	l := &Lease{
		table:    table,
		machine:  machine,
		owner:    held.Owner,
		gen:      held.Gen,
		after:    after,
		duration: o.Duration,
		now:      o.Now,
		source:   source,
		stop:     stop,
		stopped:  make(chan struct{}),
		turn:     make(chan struct{}, 1),
		until:    held.Until,
		last:     after,
	}
	go func() {
		defer close(l.stopped)
		_ = parallel.Catch(func() error { // Next renews too
			l.beat(ctx, o.Renew)
			return nil
		})
	}()
	return l, nil
}

// Next returns an id. With less than half of Options.Duration left it renews
// first: one request, whose failure matters only when no time is left.
func (l *Lease) Next(ctx context.Context) (ids.ID, error) {
	id, err := l.fresh(ctx)
	if err != nil {
		return 0, err
	}
	at := id.Time().UnixMilli()
	left, err := l.use(at)
	if errors.Is(err, errPast) {
		if err = l.renewNow(ctx, at); err == nil {
			left, err = l.use(at)
		}
	}
	if err != nil {
		return 0, err
	}
	if left < l.duration/2 {
		l.renewEarly(ctx, at, l.duration/2)
	}
	return id, nil
}

// fresh returns an id that nobody had before.
func (l *Lease) fresh(ctx context.Context) (ids.ID, error) {
	for {
		id, err := l.source.Next(ctx)
		if err != nil {
			return 0, err
		}
		wait := time.Duration(l.after+1-id.Time().UnixMilli()) * time.Millisecond
		if wait <= 0 {
			return id, nil
		}
		if err := await(ctx, wait); err != nil {
			return 0, fmt.Errorf("lease: machine number %d was in use until %v from now: %w", l.machine, wait, err)
		}
	}
}

// await lets a short time pass, for a clock that is behind.
func await(ctx context.Context, wait time.Duration) error {
	if wait > maxWait {
		return ids.ErrClockRollback
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// use notes that an id timed at is given away, and says how much time is left
// after it. It refuses what is past the end.
func (l *Lease) use(at int64) (left time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return 0, l.err
	case at > l.until:
		return 0, errPast
	}
	l.last = max(l.last, at)
	return time.Duration(l.until-at) * time.Millisecond, nil
}

// renewEarly leaves it at one attempt by one caller now and then.
func (l *Lease) renewEarly(ctx context.Context, at int64, enough time.Duration) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	default:
		return
	}
	l.mu.Lock()
	due := at >= l.retry
	l.mu.Unlock()
	if !due {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, l.duration/4)
	defer cancel()
	if err := l.renew(ctx, at, enough); err != nil {
		l.mu.Lock()
		l.retry = at + (l.duration / 16).Milliseconds()
		l.mu.Unlock()
	}
}

func (l *Lease) renewNow(ctx context.Context, at int64) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return l.renew(ctx, at, l.duration/2)
}

// renew does nothing where enough time is left. It needs the turn.
func (l *Lease) renew(ctx context.Context, at int64, enough time.Duration) error {
	l.mu.Lock()
	until, err := l.until, l.err
	l.mu.Unlock()
	if err != nil || time.Duration(until-at)*time.Millisecond >= enough {
		return err
	}
	until = at + l.duration.Milliseconds()
	// Until must not shrink where an older renewal arrives late.
	found, err := refusedBy(l.table, l.table.Run(ctx, l.table.Update(keyOf(l.machine)).
		Set("until", until).
		If("'owner' = ? AND gen = ? AND 'until' <= ?", l.owner, l.gen, until)))
	if err != nil {
		return fmt.Errorf("lease: renew machine number %d: %w", l.machine, err)
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
	case found == nil:
		l.until = until
	case found.Owner == l.owner && found.Gen == l.gen:
		l.until = found.Until // by a renewal whose answer was lost
	default:
		l.err = fmt.Errorf("%w: number %d", ErrLost, l.machine)
	}
	return l.err
}

// beat renews until ctx ends. Next notices what goes wrong.
func (l *Lease) beat(ctx context.Context, every time.Duration) {
	if every < 0 {
		return
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			l.renewEarly(ctx, l.now().UnixMilli(), l.duration)
		case <-ctx.Done():
			return
		}
	}
}

// end makes no ids from now on, nor renewals, and returns the time of the last.
func (l *Lease) end(why error) (last int64) {
	l.mu.Lock()
	if l.err == nil {
		l.err = why
	}
	last = l.last
	l.mu.Unlock()
	l.stop()
	<-l.stopped
	return last
}

// Close gives the machine number back: others may have it as soon as their
// clock has passed its last id. No id is made from then on, even if it fails;
// it may be called again.
func (l *Lease) Close(ctx context.Context) error {
	last := l.end(errClosed)
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if l.given {
		return nil
	}
	// Without an owner no renewal that arrives late takes the number again. A
	// refusal says that it is not ours any more.
	_, err := refusedBy(l.table, l.table.Run(ctx, l.table.Update(keyOf(l.machine)).
		Set("until", last).
		Remove("owner").
		If("'owner' = ? AND gen = ?", l.owner, l.gen)))
	if err != nil {
		return fmt.Errorf("lease: give machine number %d back: %w", l.machine, err)
	}
	l.given = true
	return nil
}
