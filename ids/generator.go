package ids

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/sony/sonyflake/v2"

	"github.com/plaza-sdk/plaza"
)

const (
	tick = time.Millisecond

	// A sleep takes the runtime a millisecond or more: it would miss every
	// twelfth tick unless the shortest waits are spun, within a bound for
	// clocks that stand still.
	spin     = 100 * time.Microsecond
	maxSpins = 10_000
)

// ErrClockRollback is returned while the clock reads earlier than the last id
// by more than Options.Rollback, or earlier than 2000. No id was made.
// It unwraps to plaza.ErrUnavailable.
var ErrClockRollback = fmt.Errorf("ids: clock went back: %w", plaza.ErrUnavailable)

// Source gives ids. Each is greater than the one before it from this source,
// and no other source gives it.
type Source interface {
	Next(ctx context.Context) (ID, error)
}

// Options of New.
type Options struct {
	// Rollback is how far the clock may go back and be waited out; beyond it
	// Next fails with ErrClockRollback, in a burst after up to 15 more ids
	// that are as good as any. Defaults to 10 ms.
	Rollback time.Duration

	// Now is the clock that rollbacks are noticed by. Ids are timed by the
	// system's own. Defaults to time.Now.
	Now func() time.Time
}

// Generator is a Source for one machine number. It is safe for concurrent
// use, and gives at most 256 ids a millisecond.
type Generator struct {
	flake    *sonyflake.Sonyflake
	now      func() time.Time
	rollback int64 // ms

	mu   sync.Mutex
	last ID
}

// New returns a Generator for a machine number from 0 to 16383. No two may
// run with one number, nor may one start again before the clock has passed
// its last id: where numbers are not assigned, or clocks go back, use lease.
func New(machine uint16, opts *Options) (*Generator, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Rollback == 0 {
		o.Rollback = 10 * time.Millisecond
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	switch {
	case machine > maxMachine:
		return nil, &plaza.InvalidError{Field: "machine", Reason: "is above 16383"}
	case o.Rollback < 0:
		return nil, &plaza.InvalidError{Field: "Rollback", Reason: "is negative"}
	}
	flake, err := sonyflake.New(sonyflake.Settings{
		BitsSequence:  sequenceBits,
		BitsMachineID: machineBits,
		TimeUnit:      tick,
		StartTime:     time.UnixMilli(epochMilli),
		MachineID:     func() (int, error) { return int(machine), nil },
	})
	if errors.Is(err, sonyflake.ErrStartTimeAhead) {
		return nil, ErrClockRollback
	}
	if err != nil {
		return nil, fmt.Errorf("ids: %w", err)
	}
	return &Generator{
		flake:    flake,
		now:      o.Now,
		rollback: o.Rollback.Milliseconds(),
	}, nil
}

// Next returns an id greater than all before. It waits for the next
// millisecond where this one's ids are used up, and for as long as the clock
// is behind by no more than Options.Rollback. A caller whose ctx has ended
// gets no id.
func (g *Generator) Next(ctx context.Context) (ID, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.await(ctx); err != nil {
		return 0, err
	}
	n, err := g.flake.NextID()
	if err != nil {
		return 0, fmt.Errorf("ids: %w", err)
	}
	g.last = ID(n)
	return g.last, nil
}

// await waits until the clock is past the last id's millisecond, if that has
// no room. Sonyflake would wait too, but sleep out a rollback of hours and
// hear of no ctx.
func (g *Generator) await(ctx context.Context) error {
	for spins := 0; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		sequence := g.last >> machineBits & maxSequence
		// Reading the clock costs as much as the id: while there is room, every
		// 16th in a millisecond will do.
		if sequence%16 != 0 && sequence != maxSequence {
			return nil
		}
		now := g.now()
		ahead := int64(g.last>>timeShift) + epochMilli - now.UnixMilli()
		if ahead > g.rollback {
			return fmt.Errorf("%w by %d ms", ErrClockRollback, ahead)
		}
		if ahead < 0 || sequence < maxSequence {
			return nil
		}
		wait := tick - time.Duration(now.Nanosecond())%tick
		if wait > spin || spins == maxSpins {
			time.Sleep(wait)
			continue
		}
		spins++
		runtime.Gosched()
	}
}
