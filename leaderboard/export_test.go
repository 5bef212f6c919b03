package leaderboard

import "github.com/plaza-sdk/plaza/internal/wallclock"

// SetZones replaces the machine's zone files.
func (o *Options) SetZones(zones wallclock.Loader) { o.zones = zones }

// GuardedEntries is on how many entries guarded operations are under way.
func (r *Repository) GuardedEntries() int {
	r.guards.mu.Lock()
	defer r.guards.mu.Unlock()
	return len(r.guards.waiting)
}
