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

	// Shared is how many streams all rooms share: 1 to 4,096, such as 16. By
	// default, 0, each room has a stream of its own.
	//
	// A process reads all of a stream in which it has a room, so it also pays for
	// events of rooms that only others have: about 2 µs each. A process with few
	// of the rooms reads less if there are more streams. If entries are lost, all
	// rooms of the stream are reset. Processes with different numbers do not
	// reach each other's viewers, and viewers who go from one to another are
	// reset.
	Shared int

	// MaxLen is how many entries a stream keeps at least, for all its rooms
	// together. A viewer who missed more is reset. One who missed fewer reads
	// them all, to find the room's. Defaults to 10,000.
	MaxLen int64

	// Expire is how long a stream is kept without readers and entries: a minute
	// or more. Defaults to an hour.
	Expire time.Duration

	// Readers is how many connections a process reads with. Each reads its part
	// of the streams, and names all of them in each read: have one for each 1,000
	// streams that are open in a process. In a cluster the streams of one
	// connection lie on one node. 1 to 1,024; defaults to 1.
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
	case o.Shared < 0 || o.Shared > 4096:
		return &plaza.InvalidError{Field: "Options.Shared", Reason: fmt.Sprintf("is %d, 0 to 4096 are allowed", o.Shared)}
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
