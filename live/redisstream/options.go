package redisstream

import (
	"cmp"
	"time"

	"github.com/plaza-sdk/plaza/internal/args"
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
	o.Prefix = cmp.Or(o.Prefix, "live")
	return cmp.Or(
		args.Between("Options.Shared", o.Shared, 0, 4096),
		args.DefaultAtLeast("Options.MaxLen", &o.MaxLen, 10_000, 0),
		args.DefaultAtLeast("Options.Expire", &o.Expire, time.Hour, time.Minute),
		args.Default("Options.Readers", &o.Readers, 1, 1, 1024),
		args.DefaultAtLeast("Options.Every", &o.Every, 10*time.Millisecond, 0),
	)
}
