package comment

import (
	"cmp"
	"context"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/args"
)

// Options of a Repository. The zero value works.
type Options struct {
	// MaxRunes is the longest text, 1 to 65,536. Defaults to 2,000.
	MaxRunes int

	// MaxData is the largest Data in bytes, 1 to 65,536. Defaults to 4,096.
	MaxData int

	// ExcerptRunes is the length of a Quote's Excerpt, 1 to 65,536. Defaults to
	// 100.
	ExcerptRunes int

	// Score returns what Top sorts by, greatest first, such as a comment's
	// likes. UpdateScore calls it, and it must see the latest write: read a
	// count of likes strongly consistently. Defaults to none; then there is no
	// Top.
	Score func(context.Context, Address) (int64, error)

	// Consistent makes lists, gets and counts strongly consistent, at twice the
	// RCU.
	Consistent bool

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// OnCorrupt is called with each damaged item that a list, GetMany or
	// CountsMany leaves out. Several goroutines may call it at once. Defaults to
	// nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	o.Codec = cmp.Or(o.Codec, cursor.Plain())
	if o.Now == nil {
		o.Now = time.Now
	}
	const most = 64 << 10
	return cmp.Or(
		args.Default("Options.MaxRunes", &o.MaxRunes, 2000, 1, most),
		args.Default("Options.MaxData", &o.MaxData, 4<<10, 1, most),
		args.Default("Options.ExcerptRunes", &o.ExcerptRunes, 100, 1, most),
	)
}
