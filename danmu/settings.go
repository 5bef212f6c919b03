package danmu

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	defaultSegment = 6 * time.Minute
	minSegment     = time.Minute
	maxSegment     = 24 * time.Hour
	maxShards      = 1 << hashBits
)

// Settings of an object. An object without settings has the zero value. In JSON,
// Duration and Segment are in milliseconds.
type Settings struct {
	// Owner is the user whose comments no Cap drops. Defaults to nobody.
	Owner string

	// Duration is the last moment that a comment may have. Defaults to
	// MaxProgress.
	Duration time.Duration

	// Segment is the playing time of the parts that are stored and read as one,
	// 1 min to 24 h. The first comment fixes it. Defaults to 6 min.
	Segment time.Duration

	// Shards is the number of partitions of each segment: 1, 2, 4, 8, 16 or 32,
	// one for each 1,000 writes or 3,000 reads a second. It only grows; a smaller
	// number changes nothing. Defaults to 1.
	Shards int
}

type settingsJSON struct {
	Owner    string `json:"owner,omitzero"`
	Duration int64  `json:"duration"`
	Segment  int64  `json:"segment"`
	Shards   int    `json:"shards"`
}

// MarshalJSON writes times in milliseconds.
func (s Settings) MarshalJSON() ([]byte, error) {
	return json.Marshal(settingsJSON{s.Owner, s.Duration.Milliseconds(), s.Segment.Milliseconds(), s.Shards})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Settings) UnmarshalJSON(data []byte) error {
	var j settingsJSON
	err := jsontext.Unmarshal(data, &j)
	if err != nil {
		return err
	}
	next := Settings{Owner: j.Owner, Shards: j.Shards}
	if next.Duration, err = parseMilliseconds("Duration", j.Duration); err != nil {
		return err
	}
	if next.Segment, err = parseMilliseconds("Segment", j.Segment); err != nil {
		return err
	}
	*s = next
	return nil
}

func (s Settings) check() error {
	if s.Owner != "" {
		if err := keys.CheckName("Owner", s.Owner); err != nil {
			return err
		}
	}
	if bits.OnesCount(uint(s.Shards)) > 1 {
		return &plaza.InvalidError{Field: "Shards", Reason: fmt.Sprintf("is %d, powers of two are allowed", s.Shards)}
	}
	if s.Segment != 0 {
		if err := args.Between("Segment", s.Segment, minSegment, maxSegment); err != nil {
			return err
		}
	}
	return cmp.Or(
		args.Between("Duration", s.Duration, 0, MaxProgress),
		args.Whole("Duration", s.Duration, time.Millisecond),
		args.Whole("Segment", s.Segment, time.Millisecond),
		args.Between("Shards", s.Shards, 0, maxShards),
	)
}

// Settings returns the settings of an object, with the defaults filled in. Shards
// counts from the moment of Configure.
//
// Cost: 1 request, 0.5 RCU; with Options.Consistent 1 request, 1 RCU.
func (r *Repository) Settings(ctx context.Context, object string) (Settings, error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Settings")
	if err := keys.CheckName("Object", object); err != nil {
		return Settings{}, err
	}
	l, err := r.readLayout(ctx, object, r.opts.Consistent)
	if err != nil {
		return Settings{}, wrap("settings of", object, err)
	}
	return Settings{Owner: l.owner, Duration: l.duration, Segment: l.segment, Shards: l.shards()}, nil
}

// Configure sets the Owner and the Duration of an object and, if given, its
// Segment and its Shards. A Segment other than that of stored comments is
// plaza.ErrConflict. New shards are written to after twice Options.Refresh, when
// every process knows them; at once if the object has no comments. changed is
// true only if this call changed something.
//
// Cost: 1 request, 1 RCU; where something changes, 1 transaction, 2 WCU more.
func (r *Repository) Configure(ctx context.Context, object string, s Settings) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Configure")
	if err := keys.CheckName("Object", object); err != nil {
		return false, err
	}
	if err := s.check(); err != nil {
		return false, err
	}
	for range maxTries {
		changed, err := r.configure(ctx, object, s)
		if _, outdated := store.AsRefused(err); !outdated {
			return changed, wrap("configure", object, err)
		}
	}
	return false, wrap("configure", object, plaza.ErrBusy)
}

func (r *Repository) configure(ctx context.Context, object string, s Settings) (changed bool, err error) {
	before, _ := r.objects.Peek(object)
	var seen objectItem
	err = r.table.Get(ctx, objectKey(object), true, &seen)
	if err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return false, err
	}
	next, err := seen.with(s, r.opts.Now().Add(2*r.opts.Refresh))
	if err != nil {
		return false, err
	}
	if changed = !reflect.DeepEqual(next, seen); changed {
		next.Rev = seen.Rev + 1
		// A transaction has a token, so an attempt whose answer was lost is not mistaken for
		// another call's write.
		if err := r.table.Run(ctx, r.table.Tx().Update(r.reconfigure(object, seen, next))); err != nil {
			return false, err
		}
	}
	r.remember(newLayout(object, next), before)
	return changed, nil
}

// with returns the item with s applied. If there may be comments already, new shards are
// written to only from the time then on.
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

// reconfigure writes next if the item is still as seen, so that a late request undoes
// nothing.
func (r *Repository) reconfigure(object string, seen, next objectItem) *store.Update {
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
