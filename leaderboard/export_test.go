package leaderboard

import (
	"context"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/internal/keys"
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
func (r *Repository) ForgetPublished() {
	r.folds.roots.Purge()
	r.folds.blocks.Purge()
}

// led is what folders have in memory that lead by CatchUp.
var led sync.Map // *folding by *Folder

// CatchUp leads, with the lease 1, until everything written before is published.
func (f *Folder) CatchUp(ctx context.Context) error { return f.CatchUpWith(ctx, 1) }

// CatchUpWith is CatchUp with another lease, for a folder that did not lead yet.
func (f *Folder) CatchUpWith(ctx context.Context, gen uint64) error {
	leads, ok := led.Load(f)
	if !ok {
		leads = newFolding(f, gen)
		led.Store(f, leads)
	}
	l := leads.(*folding)
	now := f.opts.Now()
	for !l.caughtUp(now) {
		if err := l.round(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (l *folding) caughtUp(now time.Time) bool {
	if !l.begun || len(l.unread) > 0 || l.through.Before(now) {
		return false
	}
	for _, p := range l.periods {
		if p.dirty || p.state != foldTooLarge && !p.loaded(l.through) {
			return false
		}
	}
	return true
}

// Above is how many keys the folder has in memory before one; -1 if it does not have the
// period.
func (f *Folder) Above(board, period string, key []byte) int {
	leads, _ := led.Load(f)
	p := leads.(*folding).periods[keys.Join(board, period)]
	if p == nil || p.set == nil {
		return -1
	}
	return p.set.Above(key)
}

// Round reads the stream once and publishes what is due.
func (f *Folder) Round(ctx context.Context) error {
	leads, _ := led.Load(f)
	return leads.(*folding).round(ctx)
}
