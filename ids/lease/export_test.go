package lease

import "github.com/plaza-sdk/plaza/ids"

// WithSource replaces the generators, whose clock is the system's.
func (o Options) WithSource(f func(machine uint16) (ids.Source, error)) *Options {
	o.source = f
	return &o
}
