// Package lease leases the machine number of an ids.Source from a DynamoDB table,
// for processes without a number of their own: containers, Lambda. NewSource
// acquires a number when it is first used; Acquire acquires one at once.
//
// The number's item stores the time until which its holder may make ids. The
// holder makes none with a later time, and the next holder makes none with that
// time or an earlier one. So ids are unique however far clocks differ or
// processes freeze. Different clocks only make holders lose their numbers.
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

// ErrLost is returned by every Next after another holder has taken over the
// machine number, or after Close. Acquire another lease, or use a Source, which
// does so. It unwraps to plaza.ErrUnavailable.
var ErrLost = fmt.Errorf("lease: machine number lost: %w", plaza.ErrUnavailable)

var (
	errClosed = fmt.Errorf("%w: closed", ErrLost)
	errPast   = errors.New("lease: no time left")
)

// maxWait is how long Next waits for its clock to pass the ids of earlier holders.
const maxWait = 10 * time.Millisecond

// Lease is an ids.Source that holds a machine number. It is safe for
// concurrent use, and runs a goroutine until Close.
type Lease struct {
	table    *store.Table
	machine  uint16
	owner    string
	gen      uint64
	after    int64 // earlier holders made ids until then; all times here are in ms
	duration time.Duration
	now      func() time.Time
	source   ids.Source

	stop    context.CancelFunc
	stopped chan struct{}

	turn  chan struct{} // allows one write at a time; guards given
	given bool

	mu    sync.Mutex
	until int64 // at most the stored item's Until
	last  int64 // the latest time of an id
	retry int64 // no early renewal before this time
	err   error
}

func begin(table *store.Table, machine uint16, held *item, after int64, o Options) (*Lease, error) {
	source, err := o.source(machine)
	if err != nil {
		return nil, fmt.Errorf("lease: machine number %d: %w", machine, err)
	}
	// Background renewals count for Next, and not for the call that began the lease.
	ctx, stop := context.WithCancel(plaza.WithOperation(context.Background(), "ids/lease.Lease.Next"))
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

// Next returns an id. If less than half of Options.Duration is left it also renews
// the lease, and fails only if no time is left. With a wrong clock it returns a
// *plaza.ClockError.
//
// Cost: none; a renewal, one every 20 s in the background, 1 request, 1 WCU; after
// the clock was changed 1 request, 0.5 RCU.
//
//plaza:cost an id: none
//plaza:cost a renewal: 1 request, 1 WCU
//plaza:cost after the clock was changed, and each second while it is wrong: 1 request, 0.5 RCU
func (l *Lease) Next(ctx context.Context) (ids.ID, error) {
	ctx = plaza.WithOperation(ctx, "ids/lease.Lease.Next")
	if err := l.table.CheckClock(ctx); err != nil {
		return 0, fmt.Errorf("lease: machine number %d: %w", l.machine, err)
	}
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

// fresh returns an id that no earlier holder made.
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

// await waits up to maxWait, for a clock that is behind.
func await(ctx context.Context, wait time.Duration) error {
	if wait > maxWait {
		return ids.ErrClockRollback
	}
	return parallel.Sleep(ctx, wait)
}

// use records that an id with the time at is used, and returns how much time is
// left after it. It refuses a time past the lease's end.
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

// renewEarly tries once, by one caller at a time, and not soon after a failure.
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

// renew does nothing if enough time is left. It needs the turn.
func (l *Lease) renew(ctx context.Context, at int64, enough time.Duration) error {
	l.mu.Lock()
	until, err := l.until, l.err
	l.mu.Unlock()
	if err != nil || time.Duration(until-at)*time.Millisecond >= enough {
		return err
	}
	until = at + l.duration.Milliseconds()
	// An older renewal that arrives late must not shorten the lease.
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
		l.until = found.Until // a renewal whose answer was lost
	default:
		l.err = fmt.Errorf("%w: number %d", ErrLost, l.machine)
	}
	return l.err
}

// beat renews until ctx ends. Next returns any error.
func (l *Lease) beat(ctx context.Context, every time.Duration) {
	if every < 0 {
		return
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if l.table.CheckClock(ctx) == nil {
				l.renewEarly(ctx, l.now().UnixMilli(), l.duration)
			}
		case <-ctx.Done():
			return
		}
	}
}

// end stops ids and renewals and returns the time of the last id.
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

// Close gives the machine number back. Others may take it as soon as their clock
// has passed its last id. Next makes no more ids, even if Close fails. Close may
// be repeated.
//
// Cost: 1 request, 1 WCU.
func (l *Lease) Close(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "ids/lease.Lease.Close")
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
	// Without an owner, a late renewal cannot take the number again. A refusal
	// means that another holder has the number.
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
