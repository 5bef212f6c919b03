package danmu

import (
	"cmp"
	"context"
	"encoding/json"
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
// true only if this call changed something. A call that finds nothing to change writes
// nothing: an earlier one that is still under way may come after it.
//
// Cost: 1 request, 1 RCU; where something changes, 1 request, 1 WCU more.
func (r *Repository) Configure(ctx context.Context, object string, s Settings) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Configure")
	if err := keys.CheckName("Object", object); err != nil {
		return false, err
	}
	if err := s.check(); err != nil {
		return false, err
	}
	changed, err = r.configure(ctx, object, s)
	return changed, wrap("configure", object, err)
}

func (r *Repository) configure(ctx context.Context, object string, s Settings) (changed bool, err error) {
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	before, _ := r.objects.Peek(object)
	stored, changed, err := store.Change[objectItem]{
		Key: objectKey(object), Call: call, Part: settingsPart, Last: (*objectItem).lastSettings,
		Absent: func(*store.Update) {}, Silent: true,
		Next: func(seen *objectItem, g store.Guard) (store.Write, error) {
			next, err := seen.with(s, r.opts.Now().Add(2*r.opts.Refresh))
			switch {
			case err != nil:
				return nil, err
			case reflect.DeepEqual(next, *seen):
				return nil, store.ErrSame
			}
			return next.settings(g.Update()), nil
		},
	}.Run(ctx, r.table)
	if err != nil {
		return false, err
	}
	r.remember(newLayout(object, stored), before)
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

// settings writes the settings of the item. If there are no comments yet, it must stay so.
func (i objectItem) settings(u *store.Update) *store.Update {
	for _, attribute := range []struct {
		name  string
		value any
		none  bool
	}{
		{"owner", i.Owner, i.Owner == ""},
		{"durationMs", i.Duration, i.Duration == 0},
		{"segmentMs", i.Segment, i.Segment == 0},
		{"shards", i.Shards, i.Shards == nil},
	} {
		if attribute.none {
			u.Remove(attribute.name)
		} else {
			u.Set(attribute.name, attribute.value)
		}
	}
	if i.Segments == nil {
		u.If("attribute_not_exists(segs)")
	}
	return u
}
