package danmu

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
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

// Configure sets the Owner and the Duration of an object and, where they are
// given, its Segment and its Shards. Another Segment than that of comments
// which are stored is plaza.ErrConflict. More shards are written to after
// twice Options.Refresh, when every process knows of them; at once where
// nothing was sent yet. Repeating it is harmless.
//
// One consistent read, and one write where something changes: 1 RCU and 1
// WCU.
func (r *Repository) Configure(ctx context.Context, object string, s Settings) error {
	if err := keys.CheckName("Object", object); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	for range turns {
		err := r.configure(ctx, object, s)
		if _, changed := store.AsRefused(err); !changed {
			return wrap("configure", object, err)
		}
	}
	return wrap("configure", object, plaza.ErrBusy)
}

func (r *Repository) configure(ctx context.Context, object string, s Settings) error {
	before, _ := r.objects.Peek(object)
	var seen objectItem
	err := r.table.Get(ctx, objectKey(object), true, &seen)
	if err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return err
	}
	next, err := seen.with(s, r.opts.Now().Add(2*r.opts.Refresh))
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(next, seen) {
		next.Rev = seen.Rev + 1
		if err := r.table.Run(ctx, r.reconfigure(object, seen, next)); err != nil {
			return err
		}
	}
	r.remember(newLayout(object, next), before)
	return nil
}

// with is what s makes of the item; more shards begin then, if comments may be
// there already.
func (i objectItem) with(s Settings, then time.Time) (objectItem, error) {
	next := i
	next.Owner, next.Duration = s.Owner, s.Duration.Milliseconds()
	if s.Duration == MaxProgress {
		next.Duration = 0
	}
	segment := s.Segment.Milliseconds()
	if s.Segment == defaultSegment {
		segment = 0
	}
	used := i.Segments != nil
	if s.Segment != 0 && segment != i.Segment {
		if used {
			return i, plaza.ErrConflict
		}
		next.Segment = segment
	}
	history := i.history()
	switch {
	case s.Shards <= history[len(history)-1].N:
	case used:
		next.Shards = append(slices.Clone(history), growth{s.Shards, then.UnixMilli()})
	default:
		next.Shards = []growth{{N: s.Shards}}
	}
	return next, nil
}

// reconfigure writes next while what it follows from is as it was seen: one that
// comes late undoes nothing.
func (r *Repository) reconfigure(object string, seen, next objectItem) *dynamo.Update {
	update := r.table.Update(objectKey(object))
	for _, attribute := range []struct {
		name  string
		value any
		none  bool
	}{
		{"owner", next.Owner, next.Owner == ""},
		{"durationMs", next.Duration, next.Duration == 0},
		{"segmentMs", next.Segment, next.Segment == 0},
		{"shards", next.Shards, next.Shards == nil},
		{"rev", next.Rev, false},
	} {
		if attribute.none {
			update.Remove(attribute.name)
		} else {
			update.Set(attribute.name, attribute.value)
		}
	}
	if seen.Segments == nil {
		update.If("attribute_not_exists(segs)")
	}
	if seen.Rev == 0 {
		update.If("attribute_not_exists(rev)")
	} else {
		update.If("rev = ?", seen.Rev)
	}
	return update
}
