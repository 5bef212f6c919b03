package message

import (
	"cmp"
	"context"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
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
	mostRunes = 24_000
	mostData  = 16_384
	mostKinds = 16
	longKind  = 64 // bytes
)

// Options of a Repository. The zero value works.
type Options struct {
	// Blocks also receives each block and unblock. It is asked about both users by each Send to a
	// pair, and when a user is put into a group. Defaults to none: then a block applies to the
	// pair's messages only.
	Blocks Blocks

	// BlocksOnce asks Blocks by a pair's first message only, which saves 2 RCU for each further
	// one. Then a block that is made in Blocks alone does not end a conversation.
	BlocksOnce bool

	// Rate is how often a user may send to a conversation. Defaults to bursts of 20
	// messages and then one each 500 ms.
	Rate ratelimit.Rate

	// SharedRate counts what all processes send, in the table, at the cost of
	// ratelimit.Table.Take. Defaults to what this process sends, which costs nothing.
	SharedRate bool

	// Limiter is asked instead of Rate; ratelimit.Unlimited allows everything. Defaults
	// to none.
	Limiter ratelimit.Limiter

	// MaxRunes is the longest Text in runes, 1 to 24,000. Defaults to 4,000.
	MaxRunes int

	// MaxData is the largest Data in bytes, 1 to 16,384. Defaults to 4,096.
	MaxData int

	// Reactions are the kinds that React takes, up to 16 of 1 to 64 bytes. Defaults to none.
	Reactions []string

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
		o.Rate = ratelimit.Rate{Every: cmp.Or(o.Rate.Every, 500*time.Millisecond), Burst: cmp.Or(o.Rate.Burst, 20)}
	}
	for _, kind := range o.Reactions {
		if err := args.Count("Options.Reactions", len(kind), "bytes in a kind", longKind); err != nil {
			return err
		}
	}
	return cmp.Or(
		keys.CheckSet("Options.Reactions", o.Reactions),
		args.Count("Options.Reactions", len(o.Reactions), "kinds", mostKinds),
		args.Default("Options.MaxRunes", &o.MaxRunes, 4_000, 1, mostRunes),
		args.Default("Options.MaxData", &o.MaxData, 4_096, 1, mostData),
	)
}

// limiter returns what limits how often a user may send.
func (o *Options) limiter(db *dynamo.DB, table string) (ratelimit.Limiter, error) {
	opts := &ratelimit.Options{Now: o.Now, OnCorrupt: o.OnCorrupt}
	switch {
	case o.Limiter == nil && o.SharedRate:
		return ratelimit.NewTable(db, table, o.Rate, opts)
	case o.Limiter == nil:
		return ratelimit.NewMemory(o.Rate, opts)
	case o.SharedRate || o.Rate != ratelimit.Rate{}:
		return nil, &plaza.InvalidError{Field: "Options.Limiter", Reason: "is set beside Rate or SharedRate"}
	}
	return o.Limiter, nil
}
