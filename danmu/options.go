package danmu

import (
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// Options of a Repository. The zero value works.
type Options struct {
	// MaxRunes is how long a text may be, 1 to 1,000. Defaults to 100.
	MaxRunes int

	// Modes are those that may be sent. Defaults to Scroll, Top, Bottom and
	// Reverse.
	Modes []Mode

	// Colors are those that may be sent beside none. Defaults to every RGB.
	Colors []Color

	// MinSize and MaxSize bound the sizes that may be sent beside 0. Default to
	// 12 and 64.
	MinSize, MaxSize int

	// Limiter is asked before a comment is stored. Defaults to a MemoryLimiter.
	Limiter Limiter

	// HideAt is how many reports hide a comment that is not Protected. Defaults
	// to 5.
	HideAt int64

	// Refresh is for how long a process goes by what it has read of an object:
	// new Settings reach every process within it, and new shards are written to
	// after twice as long, so that it must be one in all of them. Defaults to
	// 30 s.
	Refresh time.Duration

	// Cache is for how long a segment that was read for a Window is shown to
	// others: what is sent, liked, recalled or removed meanwhile shows as late.
	// Defaults to none.
	Cache time.Duration

	// CacheSize is how many comments the Cache holds. Defaults to 100,000.
	CacheSize int

	// Consistent makes From, ByUser, Get, Reacted, Heatmap and Settings
	// strongly consistent, at twice the units; an index never is.
	Consistent bool

	// OnCorrupt is called with each damaged item that a list or a window leaves
	// out, by several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	setDefault(&o.MaxRunes, 100)
	setDefault(&o.MinSize, 12)
	setDefault(&o.MaxSize, 64)
	setDefault(&o.HideAt, 5)
	setDefault(&o.Refresh, 30*time.Second)
	setDefault(&o.CacheSize, 100_000)
	if o.Modes == nil {
		o.Modes = []Mode{Scroll, Top, Bottom, Reverse}
	}
	if o.Codec == nil {
		o.Codec = cursor.Plain()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	const most = 1000
	switch {
	case o.MaxRunes < 1 || o.MaxRunes > most:
		return invalidOption("MaxRunes", fmt.Sprintf("is %d, 1 to %d are allowed", o.MaxRunes, most))
	case o.MinSize < 1 || o.MaxSize < o.MinSize:
		return invalidOption("MinSize", fmt.Sprintf("is %d, with MaxSize %d", o.MinSize, o.MaxSize))
	case o.HideAt < 1:
		return invalidOption("HideAt", fmt.Sprintf("is %d", o.HideAt))
	case o.Refresh < 0:
		return invalidOption("Refresh", "is negative")
	case o.Cache < 0:
		return invalidOption("Cache", "is negative")
	case o.CacheSize < 1:
		return invalidOption("CacheSize", fmt.Sprintf("is %d", o.CacheSize))
	}
	if o.Limiter == nil {
		var err error
		o.Limiter, err = NewMemoryLimiter(Rate{}, &LimiterOptions{Now: o.Now})
		return err
	}
	return nil
}

func setDefault[T comparable](option *T, value T) {
	var none T
	if *option == none {
		*option = value
	}
}

func invalidOption(field, reason string) error {
	return &plaza.InvalidError{Field: "Options." + field, Reason: reason}
}
