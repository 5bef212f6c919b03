package ids

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/sony/sonyflake/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
)

const (
	tick = time.Millisecond

	// A sleep takes a millisecond or more and would miss every twelfth tick. So the
	// shortest waits spin. Their number is bounded, in case the clock stands still.
	spin     = 100 * time.Microsecond
	maxSpins = 10_000
)

// ErrClockRollback is returned while the clock is behind the last id by more than
// Options.Rollback, or before 2000. It unwraps to plaza.ErrUnavailable.
var ErrClockRollback = fmt.Errorf("ids: clock went back: %w", plaza.ErrUnavailable)

// Source makes ids. Each is greater than those that it made before, and no other
// source makes the same.
type Source interface {
	Next(ctx context.Context) (ID, error)
}

// Options of New.
type Options struct {
	// Rollback is how far the clock may go back while Next waits for it. Beyond
	// it Next returns ErrClockRollback; in a burst it first returns up to 15 more
	// valid ids. Defaults to 10 ms.
	Rollback time.Duration

	// Now is the clock that is checked for rollbacks. Ids themselves use the
	// system's clock. Defaults to time.Now.
	Now func() time.Time
}

// Generator is a Source for one machine number. It is safe for concurrent use and
// makes at most 256 ids a millisecond.
type Generator struct {
	flake    *sonyflake.Sonyflake
	now      func() time.Time
	rollback int64 // ms

	mu   sync.Mutex
	last ID
}

// New returns a Generator for a machine number from 0 to 16383. No two processes
// may run with the same number, and none may start again before the clock has
// passed its last id. If you cannot ensure that, use the package lease.
func New(machine uint16, opts *Options) (*Generator, error) {
	o := args.Given(opts)
	if o.Now == nil {
		o.Now = time.Now
	}
	err := cmp.Or(
		args.AtMost("machine", machine, maxMachine),
		args.DefaultAtLeast("Rollback", &o.Rollback, 10*time.Millisecond, 0),
	)
	if err != nil {
		return nil, err
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

// Next returns an id greater than all before. It waits if the ids of this
// millisecond are used up, or if the clock is behind by no more than
// Options.Rollback.
//
// Cost: none.
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

// await waits until the clock has passed the last id's millisecond, if that is
// full. Sonyflake would wait too, but it would sleep through a rollback of hours
// and ignore ctx.
func (g *Generator) await(ctx context.Context) error {
	for spins := 0; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		sequence := g.last >> machineBits & maxSequence
		// Reading the clock costs as much as making the id, so it is read for every
		// 16th id of a millisecond.
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
