package lease

import (
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// WithSource replaces the generators, whose clock is the system's.
func (o Options) WithSource(f func(machine uint16) (ids.Source, error)) *Options {
	o.source = f
	return &o
}

// SetClock replaces the clocks that are compared with DynamoDB's.
func (s *Source) SetClock(now func() store.Reading) { s.table.SetClock(now) }
