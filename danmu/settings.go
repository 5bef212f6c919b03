package danmu

import (
	"context"
	"fmt"
	"math/bits"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

const (
	defaultSegment = 6 * time.Minute
	minSegment     = time.Minute
	maxSegment     = 24 * time.Hour
	maxShards      = 1 << hashBits
)

// Settings of an object. An object that nobody configured has the zero
// Settings.
type Settings struct {
	// Owner is whose comments survive any Cap. Defaults to nobody.
	Owner string

	// Duration is the last moment that a comment may have. Defaults to
	// MaxProgress.
	Duration time.Duration

	// Segment is how much playing time is read as one, 1 min to 24 h. The
	// first comment fixes it. Defaults to 6 min.
	Segment time.Duration

	// Shards is over how many partitions each segment is spread: 1, 2, 4, 8, 16
	// or 32, one for each 1,000 writes or 3,000 reads a second. They only grow;
	// fewer than there are changes nothing. Defaults to 1.
	Shards int
}

func (s Settings) check() error {
	if s.Owner != "" {
		if err := keys.CheckName("Owner", s.Owner); err != nil {
			return err
		}
	}
	switch {
	case s.Duration < 0 || s.Duration > MaxProgress:
		return &plaza.InvalidError{Field: "Duration", Reason: fmt.Sprintf("is %v, 0 to %v are allowed", s.Duration, MaxProgress)}
	case s.Duration%time.Millisecond != 0:
		return &plaza.InvalidError{Field: "Duration", Reason: "is not whole milliseconds"}
	case s.Segment != 0 && (s.Segment < minSegment || s.Segment > maxSegment):
		return &plaza.InvalidError{Field: "Segment", Reason: fmt.Sprintf("is %v, %v to %v are allowed", s.Segment, minSegment, maxSegment)}
	case s.Segment%time.Millisecond != 0:
		return &plaza.InvalidError{Field: "Segment", Reason: "is not whole milliseconds"}
	case s.Shards < 0 || s.Shards > maxShards || bits.OnesCount(uint(s.Shards)) > 1:
		return &plaza.InvalidError{Field: "Shards", Reason: fmt.Sprintf("is %d, a power of two up to %d is allowed", s.Shards, maxShards)}
	}
	return nil
}

// Settings gives those of an object, with the defaults spelled out. Shards are
// counted from the moment they are configured.
//
// One read: 0.5 RCU, eventually consistent.
func (r *Repository) Settings(ctx context.Context, object string) (Settings, error) {
	if err := keys.CheckName("Object", object); err != nil {
		return Settings{}, err
	}
	l, err := r.readLayout(ctx, object, r.opts.Consistent)
	if err != nil {
		return Settings{}, wrap("settings of", object, err)
	}
	return Settings{Owner: l.owner, Duration: l.duration, Segment: l.segment, Shards: l.shards()}, nil
}
