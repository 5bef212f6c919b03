package comment

import (
	"context"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// Options of a Repository. The zero value works.
type Options struct {
	// MaxRunes is how long a text may be, 1 to 65,536. Defaults to 2,000.
	MaxRunes int

	// MaxData is how large Data may be, in bytes, 1 to 65,536. Defaults to 4,096.
	MaxData int

	// ExcerptRunes is how much of a quoted text is shown, 1 to 65,536.
	// Defaults to 100.
	ExcerptRunes int

	// Score is what Top sorts by, greatest first: the likes of a comment, say.
	// Rank asks it; it must see what was written last, so that a count of likes
	// is read strongly consistent. Defaults to none: there is no Top then.
	Score func(context.Context, At) (int64, error)

	// Consistent makes lists, gets and counts strongly consistent, at twice
	// the units.
	Consistent bool

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// OnCorrupt is called with each damaged item that a list, GetMany or
	// CountsMany leaves out, by several goroutines at once. Defaults to
	// nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	if o.MaxRunes == 0 {
		o.MaxRunes = 2000
	}
	if o.MaxData == 0 {
		o.MaxData = 4 << 10
	}
	if o.ExcerptRunes == 0 {
		o.ExcerptRunes = 100
	}
	if o.Codec == nil {
		o.Codec = cursor.Plain()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	const most = 64 << 10
	for _, size := range []struct {
		field string
		given int
	}{
		{"MaxRunes", o.MaxRunes}, {"MaxData", o.MaxData}, {"ExcerptRunes", o.ExcerptRunes},
	} {
		if size.given < 1 || size.given > most {
			return &plaza.InvalidError{Field: "Options." + size.field, Reason: fmt.Sprintf("is %d, 1 to %d are allowed", size.given, most)}
		}
	}
	return nil
}
