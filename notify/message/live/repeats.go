package live

import (
	"hash/maphash"
	"math"
	"time"
)

// maxRepeats bounds the events of one generation of repeats.
const maxRepeats = 1 << 10

// repeats remembers the latest state of each thing in a room, such as a message or a
// user's read position. It keeps two generations, so it remembers at least the last
// maxRepeats.
type repeats struct {
	seed        maphash.Seed
	now, before map[uint64]int64
}

func newRepeats() *repeats { return &repeats{seed: maphash.MakeSeed()} }

// thing is what an event is about. Its hash is kept, since names are long.
type thing struct {
	kind         Kind // one kind for all events about the same thing
	conversation string
	user         string
	seq          int64
}

// isNew reports false for a repeat, for a state older than one that was shown, and for
// typing that has ended.
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

// revision orders the states of a message.
func revision(e Event) int64 {
	switch {
	case e.Kind == Recalled:
		return math.MaxInt64
	case e.Message != nil && !e.Message.Edited.IsZero():
		return e.Message.Edited.UnixNano()
	}
	return 1
}

// advance stores the state of a thing and reports whether it is later or, if the thing
// toggles, different.
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
