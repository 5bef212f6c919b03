package leaderboard

import "github.com/plaza-sdk/plaza/internal/wallclock"

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
