package lease

import (
	"time"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// WithSource replaces the generators, whose clock is the system's.
func (o Options) WithSource(f func(machine uint16) (ids.Source, error)) *Options {
	o.source = f
	return &o
}

// SetNow replaces the clock by which leases expire.
func (s *Source) SetNow(now func() time.Time) { s.opts.Now = now }

// SetClock replaces the clocks that are compared with DynamoDB's.
func (s *Source) SetClock(now func() store.Reading) { s.table.SetClock(now) }
