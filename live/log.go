package live

import (
	"slices"
	"sort"
)

// log holds the latest batches of a room. A place in it is a number of events, lost ones
// included, so that a viewer's loss is the difference of two places.
type log[E any] struct {
	batches []held[E] // oldest first
	bytes   int
	end     uint64
	reset   uint64 // the place after the newest Reset that was dropped

	// marks are the positions from which a viewer can continue, oldest first.
	marks []mark
}

// held is a batch and the place of its first event. A Reset counts as one event.
type held[E any] struct {
	Batch[E]
	start uint64
	size  int
}

func (h *held[E]) places() uint64 {
	if h.Reset {
		return 1
	}
	return uint64(len(h.Events))
}

// mark is the place of a position of the backplane.
type mark struct {
	pos Pos
	at  uint64
}

// maxMarks bounds the marks even if positions arrive without events.
const maxMarks = 1 << 16

// mark adds a position at the log's end.
func (l *log[E]) mark(pos Pos) {
	if len(l.marks) == maxMarks {
		l.marks = l.marks[1:]
	}
	l.marks = append(l.marks, mark{pos, l.end})
}

// last is the newest position.
func (l *log[E]) last() Pos { return l.marks[len(l.marks)-1].pos }

// pos returns the newest position that is not after a place.
func (l *log[E]) pos(at uint64) Pos {
	after := sort.Search(len(l.marks), func(i int) bool { return l.marks[i].at > at })
	return l.marks[max(after-1, 0)].pos
}

// find returns the place of a position.
func (l *log[E]) find(pos Pos) (uint64, bool) {
	for _, m := range slices.Backward(l.marks) { // most were here a moment ago
		if m.pos == pos {
			return m.at, true
		}
	}
	return 0, false
}

// add appends b, and drops the oldest batches beyond the bounds. The newest one stays.
func (l *log[E]) add(b held[E], batches, bytes int) {
	l.batches = append(l.batches, b)
	l.bytes += b.size
	for len(l.batches) > 1 && (len(l.batches) > batches || l.bytes > bytes) {
		l.bytes -= l.batches[0].size
		if l.batches[0].Reset {
			l.reset = l.batches[0].start + 1
		}
		l.batches[0] = held[E]{}
		l.batches = l.batches[1:]
	}
	first := l.batches[0].start
	old := sort.Search(len(l.marks)-1, func(i int) bool { return l.marks[i].at >= first })
	l.marks = l.marks[old:]
}

// read sets b to the first batch that ends after the place seen, and returns the place
// where it ends. If a Reset was dropped since, b is a Reset. If seen is inside the batch, b
// has only the events from there on, and cut is true.
func (l *log[E]) read(seen uint64, b *Batch[E]) (next uint64, cut, ok bool) {
	if seen < l.reset {
		first := l.batches[0].start
		*b = Batch[E]{Pos: l.marks[0].pos, Dropped: int(first - seen), Reset: true}
		return first, false, true
	}
	i := l.firstAfter(seen)
	if i == len(l.batches) {
		return seen, false, false
	}
	h := &l.batches[i]
	*b, next = h.Batch, h.start+h.places()
	if seen <= h.start {
		b.Dropped = int(h.start - seen)
		return next, false, true
	}
	b.Events = b.Events[seen-h.start:]
	return next, true, true
}

// firstAfter returns the index of the first batch that ends after a place. For most viewers
// that is the newest.
func (l *log[E]) firstAfter(seen uint64) int {
	newest := len(l.batches) - 1
	if newest >= 0 && l.batches[newest].start <= seen {
		if seen < l.batches[newest].start+l.batches[newest].places() {
			return newest
		}
		return newest + 1
	}
	return sort.Search(len(l.batches), func(i int) bool {
		h := &l.batches[i]
		return h.start+h.places() > seen
	})
}
