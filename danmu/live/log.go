package live

import (
	"slices"
	"sort"
)

// log is what a room was told lately. Places in it are counted in events, and
// lost ones count: what a viewer lost is a subtraction.
type log struct {
	batches []held // oldest first
	bytes   int
	end     uint64
	reset   uint64 // the place after the newest Reset that was forgotten

	// marks are the positions that a viewer can go on from, oldest first.
	marks []mark
}

// held is a batch and the place of its first event. A Reset takes a place.
type held struct {
	Batch
	start uint64
	size  int
}

func (h *held) places() uint64 {
	if h.Reset {
		return 1
	}
	return uint64(len(h.Events))
}

// mark says how many events had come at a position of the backplane.
type mark struct {
	pos Pos
	at  uint64
}

// maxMarks bounds the marks also where positions come without events.
const maxMarks = 1 << 16

// mark notes a position at the log's end.
func (l *log) mark(pos Pos) {
	if len(l.marks) == maxMarks {
		l.marks = l.marks[1:]
	}
	l.marks = append(l.marks, mark{pos, l.end})
}

// last is the newest position.
func (l *log) last() Pos { return l.marks[len(l.marks)-1].pos }

// find gives the place of a position.
func (l *log) find(pos Pos) (uint64, bool) {
	for _, m := range slices.Backward(l.marks) { // who comes back was here lately
		if m.pos == pos {
			return m.at, true
		}
	}
	return 0, false
}

// add appends b, whose first event is at start, and forgets the oldest batches
// beyond these bounds. The newest one stays.
func (l *log) add(b held, batches, bytes int) {
	l.batches = append(l.batches, b)
	l.bytes += b.size
	for len(l.batches) > 1 && (len(l.batches) > batches || l.bytes > bytes) {
		l.bytes -= l.batches[0].size
		if l.batches[0].Reset {
			l.reset = l.batches[0].start + 1
		}
		l.batches[0] = held{}
		l.batches = l.batches[1:]
	}
	first := l.batches[0].start
	old := sort.Search(len(l.marks)-1, func(i int) bool { return l.marks[i].at >= first })
	l.marks = l.marks[old:]
}

// read gives the first batch behind the place seen, as far as it lies behind,
// and the place after it: a Reset, where one was forgotten since. It is cut when
// the batch begins before seen.
func (l *log) read(seen uint64, b *Batch) (next uint64, cut, ok bool) {
	if seen < l.reset {
		first := l.batches[0].start
		*b = Batch{Pos: l.marks[0].pos, Dropped: int(first - seen), Reset: true}
		return first, false, true
	}
	i := sort.Search(len(l.batches), func(i int) bool {
		h := &l.batches[i]
		return h.start+h.places() > seen
	})
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
