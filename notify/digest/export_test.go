package digest

import (
	"time"

	"github.com/plaza-sdk/plaza/ids"
)

// SlotOf returns the slot of a time.
func SlotOf(s Schedule, t time.Time) (from, to time.Time, err error) {
	p, err := newPlan(s)
	if err != nil {
		return time.Time{}, time.Time{}, err
	}
	from, to = p.slot(t)
	return from, to, nil
}

// SlotOfID returns the slot of an id, and when its digest is due.
func SlotOfID(s Schedule, id ids.ID) (from, to, due ids.ID, err error) {
	p, err := newPlan(s)
	if err != nil {
		return 0, 0, 0, err
	}
	from, to = p.slotOf(id)
	return from, to, dueOf(to), nil
}

// Mark is a mark without a table.
type Mark struct{ mark }

// Assign returns what the digest of a slot covers, as pairs of ids.
func (m *Mark) Assign(from, slot ids.ID) [][2]ids.ID { return pairs(m.assign(from, slot)) }

// Of returns what Assign did.
func (m *Mark) Of(slot ids.ID) [][2]ids.ID { return pairs(m.of(slot)) }

func pairs(own spans) (covered [][2]ids.ID) {
	for _, s := range own {
		covered = append(covered, [2]ids.ID{s.from, s.to})
	}
	return covered
}

// Len is how many spans it keeps apart.
func (m *Mark) Len() int { return len(m.Spans) }

// Check refuses what would not be read.
func (m *Mark) Check() error { return m.Spans.check() }

const (
	MaxSpans   = maxSpans
	MostSpans  = mostSpans
	KeptSlots  = keptSlots
	MaxPending = maxPending
	SendTime   = sendTime
)
