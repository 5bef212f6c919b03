package leaderboard

import (
	"context"
	"sync"

	"github.com/plaza-sdk/plaza/internal/folder"
	"github.com/plaza-sdk/plaza/internal/wallclock"
)

// SetZones replaces the machine's zone files.
func (o *Options) SetZones(zones wallclock.Loader) { o.zones = zones }

// Guarded is on how many entries guarded operations are under way, and how many
// operations wait for them.
func (r *Repository) Guarded() (entries, waiting int) {
	r.guards.mu.Lock()
	defer r.guards.mu.Unlock()
	for _, operations := range r.guards.waiting {
		waiting += len(operations)
	}
	return len(r.guards.waiting), waiting
}

// ForgetPublished empties the cache of what folders published.
func (r *Repository) ForgetPublished() { r.folds.Purge() }

// terms are those of folders that lead by CatchUp.
var terms sync.Map // *folder.Term by *Folder

// CatchUp leads, with the lease 1, until everything written before is published.
func (f *Folder) CatchUp(ctx context.Context) error { return f.CatchUpWith(ctx, 1) }

// CatchUpWith is CatchUp with another lease, for a folder that did not lead yet.
func (f *Folder) CatchUpWith(ctx context.Context, gen uint64) error {
	if _, ok := terms.Load(f); !ok {
		terms.Store(f, f.folds.Begin(gen))
	}
	for now := f.opts.Now(); !f.term().CaughtUp(now); {
		if err := f.Round(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (f *Folder) term() *folder.Term {
	term, _ := terms.Load(f)
	return term.(*folder.Term)
}

// Round reads the stream once and publishes what is due.
func (f *Folder) Round(ctx context.Context) error { return f.term().Round(ctx) }

// Above is how many keys the folder has in memory before one; -1 if it does not have the
// period.
func (f *Folder) Above(board, period string, key []byte) int {
	return f.term().Above(folder.Name{Board: board, Period: period}, key)
}
