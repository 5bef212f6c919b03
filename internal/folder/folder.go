// Package folder is the worker that a leaderboard.Folder runs. It follows the table's
// stream, holds the order keys of folded boards in memory, and publishes for each period a
// root and blocks, as package fold makes them. A Cache reads these to find ranks.
//
// One process at a time leads. It has a Term, which works in rounds (lead.go): it reads
// what is new in the stream (follow.go) and the boards that changed (boards.go), loads
// periods from the index (load.go), publishes what changed (publish.go), and deletes
// blocks that no root refers to any more (retire.go).
package folder

import (
	"context"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

// Boards is the table's boards.
type Boards interface {
	// Now is the clock by which periods close and expire.
	Now() time.Time

	// Folded lists the boards that may be folded.
	Folded(context.Context) ([]string, error)
	// Fold returns the version of its definition at which a board became folded, or 0.
	Fold(ctx context.Context, board string) (int64, error)
	// Periods returns the periods of a board.
	Periods(ctx context.Context, board string) ([]Period, error)
	// Period reads one of them again.
	Period(context.Context, Name) (Period, error)

	// Board returns the board to whose definition or periods a key belongs.
	Board(store.Key) (name string, ok bool)
	// Shard returns the period of which a partition of the index is a shard.
	Shard(part string) (_ Name, ok bool)
}

// Reader is a leaderboard.StreamReader.
type Reader interface {
	Next(context.Context) (stream.Round, error)
	Reset()
}

// Options are leaderboard.FolderOptions.
type Options struct {
	Every, Settle time.Duration
	MaxEntries    int
	OnAttempt     func(Attempt)
	Now           func() time.Time
}

// Attempt is a leaderboard.FolderAttempt.
type Attempt struct {
	Board, Period string
	Err           error
}

// Status is a leaderboard.FolderStatus.
type Status struct {
	Leading   bool
	Following int
	Loading   int
	TooLarge  int
	Entries   int
	Through   time.Time
	Published int64
	Bytes     int64
}

// Folder folds the boards of a table.
type Folder struct {
	Boards Boards
	Table  *store.Table
	Index  store.Index
	Reader Reader
	Options

	mu     sync.Mutex
	status Status
}

// Status returns what the folder does.
func (f *Folder) Status() Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

func (f *Folder) setStatus(set func(*Status)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	set(&f.status)
}
