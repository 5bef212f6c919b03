package live

import (
	"time"

	"github.com/plaza-sdk/plaza/danmu"
)

// maxRecent bounds the comments of a generation, but for its last flush.
const maxRecent = 1 << 14

// recent knows which comments a room was told of, and which of them are gone.
// It forgets none of the last maxRecent for as long as settled: those of this
// generation and of the one before are known.
type recent struct {
	now, before map[danmu.ID]bool // gone
	begun       time.Time
}

// turn begins a generation where the last one has had its time, or is full.
func (r *recent) turn(now time.Time) {
	if now.Sub(r.begun) >= settled || len(r.now) >= maxRecent {
		r.now, r.before, r.begun = map[danmu.ID]bool{}, r.now, now
	}
}

// isNew tells whether e is no repeat: of a comment that was shown, of one that
// is gone, or of its going.
func (r *recent) isNew(e Event) bool {
	gone, known := r.now[e.ID]
	if !known {
		gone, known = r.before[e.ID]
	}
	switch e.Kind {
	case Sent:
		r.now[e.ID] = gone
		return !known
	case Recalled, Removed:
		r.now[e.ID] = true
		return !gone
	}
	return true
}
