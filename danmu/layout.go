package danmu

import (
	"cmp"
	"slices"
	"time"
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
