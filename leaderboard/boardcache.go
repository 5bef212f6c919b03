package leaderboard

import (
	"context"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/share"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/wallclock"
)

// board is a cached board. An outdated one does no harm: order and kind are
// permanent, a period's end is stored in its item, no period is opened with an
// outdated definition, and new shards are used only when every process knows them.
type board struct {
	Board
	order
	schedule *wallclock.Schedule // nil if the board never resets, or if unscheduled is set
	read     time.Time           // when the read began
	fold     int64               // as of definitionItem

	unscheduled error // why this machine does not know the schedule

	opening chan struct{} // held while a period is opened
	ver     int64         // guarded by opening
	stale   bool          // likewise

	periods []period // guarded by Repository.mu
}

// maxBoards is how many boards are cached.
const maxBoards = 10_000

// boardRead names a read that began after this process had forgotten boards that often.
type boardRead struct {
	name      string
	forgotten int
}

// board returns the cached board. If there is none, it reads the definition and the
// newest periods, 2 requests of 1 RCU. Concurrent callers share the read.
func (r *Repository) board(ctx context.Context, name string) (*board, error) {
	now := r.opts.Now()
	r.mu.Lock()
	b, _ := r.known.Get(name)
	forgotten := r.forgotten
	r.mu.Unlock()
	if b != nil && share.Fresh(b.read, now, r.opts.Refresh) {
		return b, nil
	}
	return r.reads.Do(ctx, boardRead{name, forgotten}, func(ctx context.Context) (*board, error) {
		b, err := r.readBoard(ctx, name)
		if err != nil {
			return nil, err
		}
		b.read = now
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.forgotten == forgotten { // otherwise the read may be older than a change
			r.known.Add(name, b)
		}
		return b, nil
	})
}

func (r *Repository) readBoard(ctx context.Context, name string) (*board, error) {
	item, err := r.definition(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("board: %w", err)
	}
	b := &board{Board: item.board(), fold: item.Fold, ver: item.Ver, opening: make(chan struct{}, 1)}
	b.order = orderOf(b.Board)
	if b.Cron != "" {
		schedule, err := wallclock.Parse(b.Cron, b.Zone, r.opts.zones)
		if err == nil {
			b.schedule = &schedule
		} else {
			b.unscheduled = fmt.Errorf("%w: zone %q of the board: %w", plaza.ErrUnavailable, b.Zone, err)
		}
	}
	// The open period, and the one before it, which may be in its grace.
	rows, err := store.Query[periodItem](ctx, r.table, store.Span{PK: periodsPK(name), Limit: 2, Consistent: true})
	for _, row := range rows {
		b.periods = append(b.periods, row.period())
	}
	return b, err
}

// forget drops the board from the cache. If old is not nil, it does so only if old is
// still the cached one.
func (r *Repository) forget(name string, old *board) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, _ := r.known.Peek(name); old != nil && known != old {
		return
	}
	r.known.Remove(name)
	r.forgotten++
}

// definition reads the definition of a board, unless it is being undefined.
func (r *Repository) definition(ctx context.Context, board string) (definitionItem, error) {
	var item definitionItem
	err := r.table.Get(ctx, definitionKey(board), true, &item)
	if err == nil && !item.Undefine.IsZero() {
		err = plaza.ErrNotFound
	}
	return item, err
}
