package redisstream

import (
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
)

// Options of New. The zero value works. All but Every must be the same in
// every process.
type Options struct {
	// Prefix begins every key. Give the hubs of each feature their own: rooms of
	// one name under one prefix are one room. Defaults to "live".
	Prefix string

	// MaxLen is how many entries of a room are kept at least. Defaults to
	// 10,000.
	MaxLen int64

	// Expire is how long a room is kept without readers and entries: a minute or
	// more. Defaults to an hour.
	Expire time.Duration

	// Readers is how many connections a process reads by, each its part of the
	// rooms. A read names all rooms of its connection: have one for each 1,000
	// rooms that are open in a process. In a cluster the rooms of one connection
	// lie on one node. 1 to 1,024; defaults to 1.
	Readers int

	// Every is the least time between two reads of a connection. Defaults to
	// 10 ms.
	Every time.Duration
}

func (o *Options) setDefaults() error {
	if o.Prefix == "" {
		o.Prefix = "live"
	}
	if o.MaxLen == 0 {
		o.MaxLen = 10_000
	}
	if o.Expire == 0 {
		o.Expire = time.Hour
	}
	if o.Readers == 0 {
		o.Readers = 1
	}
	if o.Every == 0 {
		o.Every = 10 * time.Millisecond
	}
	switch {
	case o.MaxLen < 0:
		return &plaza.InvalidError{Field: "Options.MaxLen", Reason: fmt.Sprintf("is %d", o.MaxLen)}
	case o.Expire < time.Minute:
		return &plaza.InvalidError{Field: "Options.Expire", Reason: "is below a minute"}
	case o.Readers < 1 || o.Readers > 1024:
		return &plaza.InvalidError{Field: "Options.Readers", Reason: fmt.Sprintf("is %d, 1 to 1024 are allowed", o.Readers)}
	case o.Every < 0:
		return &plaza.InvalidError{Field: "Options.Every", Reason: "is negative"}
	}
	return nil
}
