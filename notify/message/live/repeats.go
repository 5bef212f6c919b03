package live

import (
	"hash/maphash"
	"math"
	"time"
)

// maxRepeats bounds the events of one generation of repeats.
const maxRepeats = 1 << 10

// repeats remembers how far each thing in a room has come: a message, what a user has
// read. It keeps this generation and the one before, so it forgets none of the last
// maxRepeats.
type repeats struct {
	seed        maphash.Seed
	now, before map[uint64]int64
}

func newRepeats() *repeats { return &repeats{seed: maphash.MakeSeed()} }

// thing is what an event is about. Its hash is kept, since names are long.
type thing struct {
	kind         Kind // the first of those that are about it
	conversation string
	user         string
	seq          int64
}

// isNew reports whether e is neither a repeat, nor older than what was shown of the same
// thing, nor typing that has ended.
func (r *repeats) isNew(e Event) bool {
	about := thing{kind: e.Kind, conversation: e.Conversation, user: e.User}
	state, toggles := e.Seq, false
	switch e.Kind {
	case Sent, Edited, Recalled:
		about.kind, about.user, about.seq = Sent, "", e.Seq
		state = revision(e)
	case Joined, Left:
		about.kind, toggles = Joined, true
	case Blocked, Unblocked:
		about.kind, toggles = Blocked, true
	case Typing:
		if !time.Now().Before(e.Until) {
			return false
		}
		state = e.Until.UnixMilli()
	}
	if toggles {
		state = 1
		if e.Kind != about.kind {
			state = 2
		}
	}
	return r.advance(maphash.Comparable(r.seed, about), state, toggles)
}

// revision orders what becomes of a message.
func revision(e Event) int64 {
	switch {
	case e.Kind == Recalled:
		return math.MaxInt64
	case e.Message != nil && !e.Message.Edited.IsZero():
		return e.Message.Edited.UnixNano()
	}
	return 1
}

// advance reports whether a thing comes further by state or, if it toggles, to another
// state.
func (r *repeats) advance(key uint64, state int64, toggles bool) bool {
	before, known := r.now[key]
	if !known {
		before = r.before[key]
	}
	fresh := state > before || toggles && state != before
	if fresh {
		before = state
	}
	if r.now == nil || !known && len(r.now) >= maxRepeats {
		r.now, r.before = map[uint64]int64{}, r.now
	}
	r.now[key] = before
	return fresh
}
