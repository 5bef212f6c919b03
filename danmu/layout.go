package danmu

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// layout is what a process knows of an object. Its history and its segments
// only grow, and once there are segments their length stands: old knowledge
// misses at most what is about to begin.
type layout struct {
	object   string
	owner    string
	duration time.Duration
	segment  time.Duration
	history  []growth // at least one, each of more shards than the one before
	segments []int    // in order
	stored   []byte   // segments as they stood when the object was read
	until    time.Time
}

// span is playing time from a moment on and before another.
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

// join adds what was known earlier.
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

// storedSegment is the length of segments as it is stored: 0 is the default.
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

// shards is how many there are to read.
func (l *layout) shards() int { return l.history[len(l.history)-1].N }

// place is where a comment that is sent now goes.
func (l *layout) place(id ID, now time.Time) place {
	n := l.history[0].N
	for _, g := range l.history {
		if g.From <= now.UnixMilli() {
			n = g.N
		}
	}
	return l.in(id, n)
}

// places are all where the comment can be, one for each shard.
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

// known gives the layout of an object as this process has known it for up to
// Options.Refresh, else as it is read, strongly consistent: writes rest on it.
// An object that nobody sent to is read each time: until then everything about
// it may change at once. Anew, it is as it stands now.
func (r *Repository) known(ctx context.Context, object string, anew bool) (*layout, error) {
	if anew {
		return r.readLayout(ctx, object, true)
	}
	if l, fresh := r.remembered(object); fresh {
		return l, nil
	}
	return r.layouts.do(ctx, object, func(ctx context.Context) (*layout, error) {
		return r.readLayout(ctx, object, true)
	})
}

// readLayout reads the layout of an object. What an eventually consistent read
// tells is not remembered: it may be older than anybody should go by.
func (r *Repository) readLayout(ctx context.Context, object string, consistent bool) (*layout, error) {
	before, _ := r.objects.Peek(object)
	var item objectItem
	err := r.table.Get(ctx, objectKey(object), consistent, &item)
	if err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return nil, err
	}
	if !consistent {
		return r.together(newLayout(object, item)), nil
	}
	return r.remember(newLayout(object, item), before), nil
}

func (r *Repository) remembered(object string) (l *layout, fresh bool) {
	l, ok := r.objects.Get(object)
	return l, ok && r.opts.Now().Before(l.until)
}

// together adds what was known before to what was read.
func (r *Repository) together(l *layout) *layout {
	if earlier, ok := r.objects.Get(l.object); ok {
		return l.join(earlier)
	}
	return l
}

// remember keeps what was read and what others have read since: before is what
// was remembered when the read began. What that knew more of has been erased.
func (r *Repository) remember(l, before *layout) *layout {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now, _ := r.objects.Peek(l.object); now != before {
		l = r.together(l)
	}
	if len(l.segments) == 0 {
		r.objects.Remove(l.object)
		return l
	}
	l.until = r.opts.Now().Add(r.opts.Refresh)
	r.objects.Add(l.object, l)
	return l
}

// begin lets readers know of segments before the first comment is put into
// them, if the object plays on until latest. It returns the layout that stands:
// by its length of segments they may be others, and where it lacks them,
// nothing was written.
func (r *Repository) begin(ctx context.Context, l *layout, segments []int, latest int64) (*layout, error) {
	standing, err := unpackSegments(l.stored, int(MaxProgress/l.segment))
	if err != nil {
		return nil, err
	}
	update := r.table.Update(objectKey(l.object)).
		Set("segs", packSegments(union(standing, segments))).
		If("attribute_not_exists(durationMs) OR durationMs >= ?", latest)
	if l.stored == nil {
		update.If("attribute_not_exists(segs)")
	} else {
		update.If("segs = ?", l.stored)
	}
	ifSegment(update, l.storedSegment())
	before, _ := r.objects.Peek(l.object)
	var found dynamo.Item
	err = r.table.Run(ctx, store.Returning{Update: update, Out: &found})
	if refused, ok := store.AsRefused(err); ok {
		found, _ = refused.At(0)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	var item objectItem
	if err := r.table.Decode(found, &item); err != nil {
		return nil, err
	}
	return r.remember(newLayout(l.object, item), before), nil
}

// ifSegment lets the update be while that is the length of segments, 0 for none
// stored.
func ifSegment(update *dynamo.Update, ms int64) {
	if ms == 0 {
		update.If("attribute_not_exists(segmentMs)")
	} else {
		update.If("segmentMs = ?", ms)
	}
}
