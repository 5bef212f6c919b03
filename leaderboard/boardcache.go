package leaderboard

import (
	"context"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/wallclock"
)

// board is what a process knows of a board, for a while. Old knowledge does no
// harm: order and kind are for ever, a period ends when its item says, none is
// opened by a definition that has changed, and new shards are used when
// everybody knows them.
type board struct {
	Board
	order
	schedule *wallclock.Schedule // nil: never resets, or unscheduled
	until    time.Time

	unscheduled error // why this machine does not know the schedule

	opening chan struct{} // held by who opens a period
	ver     int64         // guarded by opening
	stale   bool          // likewise

	periods []period // guarded by Repository.mu
}

// maxBoards is how many boards a process remembers.
const maxBoards = 10_000

// patience bounds a read that many wait for.
const patience = 10 * time.Second

// board reads what it does not know, once for all who ask meanwhile: the
// definition and the newest periods, 2 requests of 1 RCU.
func (r *Repository) board(ctx context.Context, name string) (*board, error) {
	now := r.opts.Now()
	r.mu.Lock()
	b, _ := r.known.Get(name)
	forgotten := r.forgotten
	r.mu.Unlock()
	if b != nil && now.Before(b.until) {
		return b, nil
	}
	read := r.reads.DoChan(name, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		var b *board
		err := parallel.Catch(func() (err error) {
			b, err = r.readBoard(ctx, name)
			return err
		})
		if err != nil {
			return nil, err
		}
		b.until = now.Add(r.opts.Refresh)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.forgotten == forgotten { // else it may be older than what changed
			r.known.Add(name, b)
		}
		return b, nil
	})
	select {
	case got := <-read:
		if got.Err != nil {
			return nil, got.Err
		}
		return got.Val.(*board), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (r *Repository) readBoard(ctx context.Context, name string) (*board, error) {
	item, err := r.definition(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("board: %w", err)
	}
	b := &board{Board: item.board(), ver: item.Ver, opening: make(chan struct{}, 1)}
	b.order = orderOf(b.Board)
	if b.Cron != "" {
		schedule, err := wallclock.Parse(b.Cron, b.Zone, r.opts.zones)
		if err == nil {
			b.schedule = &schedule
		} else {
			b.unscheduled = fmt.Errorf("%w: zone %q of the board: %w", plaza.ErrUnavailable, b.Zone, err)
		}
	}
	// The open one and the one that may be in its grace.
	rows, err := store.Query[periodItem](ctx, r.table, store.Span{PK: periodsPK(name), Limit: 2, Consistent: true})
	for _, row := range rows {
		b.periods = append(b.periods, row.period())
	}
	return b, err
}

// forget makes the next call read the board anew, unless one has that found old
// what was read.
func (r *Repository) forget(name string, old *board) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, _ := r.known.Peek(name); old != nil && known != old {
		return
	}
	r.known.Remove(name)
	r.reads.Forget(name)
	r.forgotten++
}
