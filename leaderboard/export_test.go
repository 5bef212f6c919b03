package leaderboard

import "github.com/plaza-sdk/plaza/internal/wallclock"

// SetZones replaces the machine's zone files.
func (o *Options) SetZones(zones wallclock.Loader) { o.zones = zones }
