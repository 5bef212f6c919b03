package danmu

import (
	"cmp"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// Options of a Repository. The zero value works.
type Options struct {
	// MaxRunes bounds a text, in runes: 1 to 1,000. Defaults to 100.
	MaxRunes int

	// Modes that may be sent. Defaults to Scroll, Top, Bottom and Reverse.
	Modes []Mode

	// Colors that may be sent, besides the zero Color. Defaults to every RGB.
	Colors []Color

	// MinSize and MaxSize bound the sizes that may be sent, besides 0. Default to
	// 12 and 64.
	MinSize, MaxSize int

	// Rate is how often a user may send to an object. Defaults to bursts of 5 comments
	// and then one each second.
	Rate ratelimit.Rate

	// SharedRate counts what all processes send, in the table, at the cost of
	// ratelimit.Table.Take. Defaults to what this process sends, which costs nothing.
	SharedRate bool

	// Limiter is asked instead of Rate; ratelimit.Unlimited allows everything. Defaults
	// to none.
	Limiter ratelimit.Limiter

	// HideAt is how many reports hide a comment that is not Protected. Defaults
	// to 5.
	HideAt int64

	// Refresh is how long a process remembers the settings of an object and where
	// its comments lie. New shards are written to after twice as long, so all
	// processes must have the same Refresh. Defaults to 30 s.
	Refresh time.Duration

	// Cache is how long other Windows may use a segment that was read. New
	// comments, likes, recalls and removals show that much later. It must be 0 with
	// Consistent. Defaults to 0, no cache.
	Cache time.Duration

	// CacheSize is how many comments the Cache holds. Defaults to 100,000.
	CacheSize int

	// Consistent makes all reads strongly consistent, at twice the units; they are
	// not shared then. The index of ByUser never is consistent. For single windows
	// there is WindowOptions.Consistent.
	Consistent bool

	// OnCorrupt is called with each damaged item that a read leaves out, by several
	// goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	if o.Modes == nil {
		o.Modes = []Mode{Scroll, Top, Bottom, Reverse}
	}
	o.Codec = cmp.Or(o.Codec, cursor.Plain())
	if o.Now == nil {
		o.Now = time.Now
	}
	o.MaxSize = cmp.Or(o.MaxSize, 64)
	err := cmp.Or(
		args.Default("Options.MaxRunes", &o.MaxRunes, 100, 1, 1000),
		args.Default("Options.MinSize", &o.MinSize, 12, 1, o.MaxSize),
		args.DefaultAtLeast("Options.HideAt", &o.HideAt, 5, 0),
		args.DefaultAtLeast("Options.Refresh", &o.Refresh, 30*time.Second, 0),
		args.AtLeast("Options.Cache", o.Cache, 0),
		args.DefaultAtLeast("Options.CacheSize", &o.CacheSize, 100_000, 0),
	)
	switch {
	case err != nil:
		return err
	case o.Cache > 0 && o.Consistent:
		return &plaza.InvalidError{Field: "Options.Cache", Reason: "is set beside Consistent"}
	}
	return nil
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
