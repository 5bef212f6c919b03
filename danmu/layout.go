package danmu

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/share"
	"github.com/plaza-sdk/plaza/internal/store"
)

// layout describes where the comments of an object lie. Its history and its segments
// only grow, and once there are segments their length is fixed. So a cached layout can
// only lack what was added since.
type layout struct {
	object   string
	owner    string
	duration time.Duration
	segment  time.Duration
	history  []growth // at least one, each of more shards than the one before
	segments []int    // segments with comments, in order
	stored   []byte   // segments as they were stored when the item was read
	read     time.Time
}

// span is the playing time [from, to).
type span struct{ from, to time.Duration }

func newLayout(object string, i objectItem) *layout {
	segments, _ := i.segments() // the item was checked
	return &layout{
		object: object, owner: i.Owner,
		duration: cmp.Or(time.Duration(i.Duration)*time.Millisecond, MaxProgress),
		segment:  i.length(),
		history:  i.history(),
		segments: segments,
		stored:   i.Segments,
	}
}

func (i objectItem) history() []growth {
	if len(i.Shards) == 0 {
		return []growth{{N: 1}}
	}
	return i.Shards
}

// join adds the history and segments of an earlier layout.
func (l *layout) join(earlier *layout) *layout {
	both := *l
	if len(earlier.history) > len(both.history) {
		both.history = earlier.history
	}
	both.segments = union(l.segments, earlier.segments)
	return &both
}

func union(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// storedSegment returns the length of segments as it is stored. 0 is the default.
func (l *layout) storedSegment() int64 {
	if l.segment == defaultSegment {
		return 0
	}
	return l.segment.Milliseconds()
}

func (l *layout) segmentOf(progress time.Duration) int { return int(progress / l.segment) }

func (l *layout) span(segment int) span {
	from := time.Duration(min(int64(segment), int64(MaxProgress/l.segment)+1)) * l.segment
	return span{from, from + l.segment}
}

func (l *layout) has(segment int) bool {
	_, ok := slices.BinarySearch(l.segments, segment)
	return ok
}

// shards returns how many shards are read.
func (l *layout) shards() int { return l.history[len(l.history)-1].N }

// place returns where a comment that is sent now is stored.
func (l *layout) place(id ID, now time.Time) place {
	n := l.history[0].N
	for _, g := range l.history {
		if g.From <= now.UnixMilli() {
			n = g.N
		}
	}
	return l.in(id, n)
}

// places returns all places that can hold the comment, the oldest first.
func (l *layout) places(id ID) []place {
	var all []place
	for _, g := range l.history {
		if p := l.in(id, g.N); !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

func (l *layout) in(id ID, shards int) place {
	return place{l.object, l.segmentOf(id.Progress()), id.hash() % shards}
}

// layout returns the layout of an object. Unless it must be current, it may come from
// the cache and be up to Options.Refresh old. It is read strongly consistent, since
// writes rely on it. An object without comments is read each time, because everything
// about it may still change.
func (r *Repository) layout(ctx context.Context, object string, current bool) (*layout, error) {
	if current {
		return r.readLayout(ctx, object, true)
	}
	if l, fresh := r.remembered(object); fresh {
		return l, nil
	}
	return r.layouts.Do(ctx, object, func(ctx context.Context) (*layout, error) {
		return r.readLayout(ctx, object, true)
	})
}

// readLayout reads the layout of an object. An eventually consistent one is not cached,
// because it may be too old for writes.
func (r *Repository) readLayout(ctx context.Context, object string, consistent bool) (*layout, error) {
	before, _ := r.objects.Peek(object)
	var item objectItem
	err := r.table.Get(ctx, objectKey(object), consistent, &item)
	if err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return nil, err
	}
	if !consistent {
		return r.joinRemembered(newLayout(object, item)), nil
	}
	return r.remember(newLayout(object, item), before), nil
}

func (r *Repository) remembered(object string) (l *layout, fresh bool) {
	l, ok := r.objects.Get(object)
	return l, ok && share.Fresh(l.read, r.opts.Now(), r.opts.Refresh)
}

// joinRemembered joins l with the cached layout.
func (r *Repository) joinRemembered(l *layout) *layout {
	if earlier, ok := r.objects.Get(l.object); ok {
		return l.join(earlier)
	}
	return l
}

// remember caches the layout that was read, joined with what other calls have cached
// since the read began. before is the layout that was cached when the read began;
// segments that only it has were erased.
func (r *Repository) remember(l, before *layout) *layout {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now, _ := r.objects.Peek(l.object); now != before {
		l = r.joinRemembered(l)
	}
	if len(l.segments) == 0 {
		r.objects.Remove(l.object)
		return l
	}
	l.read = r.opts.Now()
	r.objects.Add(l.object, l)
	return l
}

// layoutFor returns the layout of an object with the segment of a moment, which it adds if
// it is missing.
func (r *Repository) layoutFor(ctx context.Context, object string, moment time.Duration) (*layout, error) {
	l, fresh := r.remembered(object)
	switch {
	case fresh:
	case l != nil:
		var err error
		if l, err = r.layout(ctx, object, false); err != nil {
			return nil, err
		}
	default:
		l = newLayout(object, objectItem{}) // the write returns the stored layout
	}
	if l.has(l.segmentOf(moment)) {
		return l, checkProgress(moment, l.duration)
	}
	return r.addSegments(ctx, l, moment, func(l *layout) []int { return []int{l.segmentOf(moment)} })
}

// addSegments stores the segments of comments before the first of them is written, so
// that readers find them. of returns them for a layout, with repeats. A latest beyond
// the object's duration is refused. It returns the stored layout, or l if that has
// them.
func (r *Repository) addSegments(ctx context.Context, l *layout, latest time.Duration, of func(*layout) []int) (*layout, error) {
	before, _ := r.objects.Peek(l.object)
	var item objectItem
	write := func(l *layout) (store.Write, error) {
		if err := checkProgress(latest, l.duration); err != nil {
			return nil, err
		}
		missing := slices.DeleteFunc(of(l), l.has)
		if len(missing) == 0 {
			return nil, store.ErrSame
		}
		known, err := unpackSegments(l.stored, int(MaxProgress/l.segment))
		if err != nil {
			return nil, err
		}
		update := r.table.Update(objectKey(l.object)).
			Set("segs", packSegments(union(known, missing))).
			If("attribute_not_exists(durationMs) OR durationMs >= ?", latest.Milliseconds())
		if l.stored != nil {
			update.If("segs = ?", l.stored)
		} else if err := r.begin(ctx, update.If("attribute_not_exists(segs)")); err != nil {
			return nil, err
		}
		ifSegment(update, l.storedSegment())
		return store.Returning{Update: update, Out: &item}, nil
	}
	first, err := write(l)
	if errors.Is(err, store.ErrSame) {
		return l, nil
	}
	if err == nil {
		_, err = store.Merge(ctx, r.table, objectKey(l.object), first, func(seen *objectItem) (store.Write, error) {
			item = *seen
			return write(newLayout(l.object, *seen))
		})
	}
	if err != nil {
		return nil, err
	}
	return r.remember(newLayout(l.object, item), before), nil
}

// begin gives the object's life an id, so that a Configure of an earlier life is not applied to
// this one.
func (r *Repository) begin(ctx context.Context, update *store.Update) error {
	call, err := r.gen.Next(ctx)
	update.SetExpr("$ = if_not_exists($, ?)", settingsPart, settingsPart, store.Mark{Op: call, Call: call})
	return err
}

// ifSegment adds the condition that the stored length of segments is ms; 0 means none.
func ifSegment(update *store.Update, ms int64) {
	if ms == 0 {
		update.If("attribute_not_exists(segmentMs)")
	} else {
		update.If("segmentMs = ?", ms)
	}
}
