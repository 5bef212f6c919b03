package leaderboard

import "github.com/plaza-sdk/plaza/internal/wallclock"

// SetZones lets a process have other zone files than the machine.
func (o *Options) SetZones(zones wallclock.Loader) { o.zones = zones }
