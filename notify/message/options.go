package message

import (
	"cmp"
	"context"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// Blocks keeps who has blocked whom. *prefs.Repository is one.
type Blocks interface {
	Block(context.Context, prefs.Pair) (changed bool, err error)
	Unblock(context.Context, prefs.Pair) (changed bool, err error)
	Blocked(context.Context, prefs.Pair) (bool, error)
}

// A bucket of messages of these sizes stays below 10 GB, the most that a partition key
// may hold in a table with a local index.
const (
	mostRunes = 32_768
	mostData  = 16_384
)

// Options of a Repository. The zero value works.
type Options struct {
	// Blocks also gets each block and unblock, and is asked when a pair's conversation
	// begins and when a user is put into a group. Defaults to none: then a block applies
	// to the pair's messages only.
	Blocks Blocks

	// Limiter limits how often a user may send to a conversation; ratelimit.Unlimited
	// turns that off. Defaults to a ratelimit.Memory with bursts of 20 messages and then
	// one each 500 ms.
	Limiter ratelimit.Limiter

	// MaxRunes is the longest Text in runes, 1 to 32,768. Defaults to 4,000.
	MaxRunes int

	// MaxData is the largest Data in bytes, 1 to 16,384. Defaults to 4,096.
	MaxData int

	// Consistent makes Inbox and Unread strongly consistent, at twice the units. All
	// other reads are strongly consistent anyway.
	Consistent bool

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// OnCorrupt is called with each damaged item that an answer leaves out, by
	// several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	o.Codec = cmp.Or(o.Codec, cursor.Plain())
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Limiter == nil {
		var err error
		o.Limiter, err = ratelimit.NewMemory(ratelimit.Rate{Every: 500 * time.Millisecond, Burst: 20}, &ratelimit.Options{Now: o.Now})
		if err != nil {
			return err
		}
	}
	return cmp.Or(
		args.Default("Options.MaxRunes", &o.MaxRunes, 4_000, 1, mostRunes),
		args.Default("Options.MaxData", &o.MaxData, 4_096, 1, mostData),
	)
}
