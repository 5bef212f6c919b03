package digest

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// mark has the spans that the digests of a user's channel cover. No two digests cover
// the same time, whatever their slots.
type mark struct {
	Rev    int64  `dynamo:"rev"`   // begins as a time, so that it differs from the rev of an erased mark
	Floor  ids.ID `dynamo:"floor"` // everything below is covered
	Spans  spans  `dynamo:"spans"` // in their order
	Leases leases `dynamo:"leases"`
	TTL    int64  `dynamo:"ttl"`

	damaged error
}

// span is the ids from ≤ id < to, which the digest of the slot covers.
type span struct{ from, to, slot ids.ID }

// claim is a lease of the digest of a slot.
type claim struct {
	slot  ids.ID
	until int64  // in Unix ms
	by    uint64 // a number of its own, since two workers may take it in one millisecond
}

const (
	// maxSpans is how many spans a mark has before it joins older ones. mostSpans is how
	// many it may have.
	maxSpans  = 24
	mostSpans = 64

	// keptSlots is how many of the newest slots keep their spans apart, because their
	// digests may be tried again.
	keptSlots = 8

	// maxPending is longer than a digest may be planned ahead, which is a week, quiet hours
	// and After.
	maxPending = 9*24*time.Hour + maxAfter

	maxClaims = 32
)

// of returns what the digest of a slot covers.
func (m *mark) of(slot ids.ID) (own spans) {
	for _, s := range m.Spans {
		if s.slot == slot {
			own = append(own, s)
		}
	}
	return own
}

// assign gives the digest of a slot all uncovered time between from and slot, and
// returns it. If there are many older gaps, the digest gets one of these too.
func (m *mark) assign(from, slot ids.ID) spans {
	var free spans
	at := max(from, m.Floor)
	for _, s := range m.Spans {
		if at < s.from && at < slot {
			free = append(free, span{at, min(s.from, slot), slot})
		}
		at = max(at, s.to)
	}
	if at < slot {
		free = append(free, span{at, slot, slot})
	}
	if len(free) == 0 {
		return nil
	}
	m.add(free)
	m.shorten(slot)
	return m.of(slot)
}

// full reports whether too many digests are in progress to start another.
func (m *mark) full() bool { return len(m.Spans) > mostSpans || len(m.Leases) > maxClaims }

func (m *mark) add(more spans) {
	m.Spans = append(m.Spans, more...)
	slices.SortFunc(m.Spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
}

// shorten removes very old spans, joins others, and fills a gap.
func (m *mark) shorten(slot ids.ID) {
	old, kept := ids.At(slot.Time().Add(-maxPending)), m.kept()
	for len(m.Spans) > 1 && m.Spans[0].to < old && !kept(m.Spans[0].slot) {
		m.Floor = max(m.Floor, m.Spans[0].to)
		m.Spans = m.Spans[1:]
	}
	for i := 0; len(m.Spans) > maxSpans && i+1 < len(m.Spans); {
		a, b := m.Spans[i], m.Spans[i+1]
		if a.to == b.from && !kept(a.slot) && !kept(b.slot) {
			m.Spans = slices.Replace(m.Spans, i, i+2, span{a.from, b.to, 0})
		} else {
			i++
		}
	}
	if len(m.Spans) <= maxSpans {
		return
	}
	// A digest that is planned already may begin in a gap, so it is not forgotten.
	for i := range len(m.Spans) - 1 {
		if a, b := m.Spans[i], m.Spans[i+1]; a.to < b.from {
			m.add(spans{{a.to, b.from, slot}})
			return
		}
	}
}

// kept returns a function that reports whether the digest of a slot needs its spans in
// the mark. A digest that has failed keeps its spans itself.
func (m *mark) kept() func(ids.ID) bool {
	var slots []ids.ID
	for _, s := range m.Spans {
		slots = append(slots, s.slot)
	}
	slices.Sort(slots)
	slots = slices.Compact(slots)
	slots = slots[max(0, len(slots)-keptSlots):]
	return func(slot ids.ID) bool {
		return slot != 0 && slices.Contains(slots, slot) ||
			slices.ContainsFunc(m.Leases, func(c claim) bool { return c.slot == slot })
	}
}

// held reports whether a worker has the digest of a slot. It ignores a lease that ends later
// than a new one would: that comes from a clock that is far ahead.
func (m *mark) held(slot ids.ID, now time.Time) bool {
	return slices.ContainsFunc(m.Leases, func(c claim) bool {
		return c.slot == slot && c.until > now.UnixMilli() && c.until <= now.Add(lease+keys.MaxAhead).UnixMilli()
	})
}

// hold gives the digest of a slot a lease.
func (m *mark) hold(slot ids.ID, now time.Time) claim {
	m.release(slot, now)
	c := claim{slot, now.Add(lease).UnixMilli(), rand.Uint64()}
	m.Leases = append(m.Leases, c)
	return c
}

// release removes the lease of a slot, and expired leases.
func (m *mark) release(slot ids.ID, now time.Time) {
	over := now.Add(-keys.MaxAhead).UnixMilli()
	m.Leases = slices.DeleteFunc(m.Leases, func(c claim) bool { return c.slot == slot || c.until < over })
}

// next prepares the mark for the next write.
func (m *mark) next(now time.Time) {
	if m.Rev == 0 {
		m.Rev = now.UnixMilli()
	} else {
		m.Rev++
	}
	m.TTL = max(m.TTL, now.Add(markLife).Unix())
}

// item returns the mark as an item with its key.
func (m *mark) item(to place) (dynamo.Item, error) {
	item, err := dynamo.MarshalItem(m)
	if err != nil {
		return nil, err
	}
	key := markKey(to)
	item["pk"], item["sk"] = &types.AttributeValueMemberS{Value: key.PK}, &types.AttributeValueMemberS{Value: key.SK}
	return item, nil
}

// UnmarshalDynamoItem keeps a damaged item, which counts as none.
func (m *mark) UnmarshalDynamoItem(item dynamo.Item) error {
	err := store.UnmarshalItem(item, m)
	if err == nil && m.Rev <= 0 {
		err = fmt.Errorf("rev is %d", m.Rev)
	}
	if err = cmp.Or(err, m.Spans.check()); err != nil {
		*m = mark{damaged: err}
	}
	return nil
}

// spans are stored as leases are: as binary, three numbers each, after a byte, since
// DynamoDB Local refuses empty values.
type spans []span

const (
	listBegins = 0
	listSize   = 24
)

var errList = errors.New("a list is not as it was written")

func (l spans) check() error {
	at := ids.ID(0)
	for _, s := range l {
		if s.from < at || s.to <= s.from {
			return errList
		}
		at = s.to
	}
	return nil
}

// MarshalDynamo implements dynamo.Marshaler.
func (l spans) MarshalDynamo() (types.AttributeValue, error) {
	b := append(make([]byte, 0, 1+listSize*len(l)), listBegins)
	for _, s := range l {
		for _, id := range []ids.ID{s.from, s.to, s.slot} {
			b = binary.BigEndian.AppendUint64(b, uint64(id))
		}
	}
	return &types.AttributeValueMemberB{Value: b}, nil
}

// UnmarshalDynamo implements dynamo.Unmarshaler.
func (l *spans) UnmarshalDynamo(value types.AttributeValue) error {
	return unpack(value, func(b []byte) {
		*l = append(*l, span{id(b), id(b[8:]), id(b[16:])})
	})
}

type leases []claim

// MarshalDynamo implements dynamo.Marshaler.
func (l leases) MarshalDynamo() (types.AttributeValue, error) {
	b := append(make([]byte, 0, 1+listSize*len(l)), listBegins)
	for _, c := range l {
		b = binary.BigEndian.AppendUint64(b, uint64(c.slot))
		b = binary.BigEndian.AppendUint64(b, uint64(c.until))
		b = binary.BigEndian.AppendUint64(b, c.by)
	}
	return &types.AttributeValueMemberB{Value: b}, nil
}

// UnmarshalDynamo implements dynamo.Unmarshaler.
func (l *leases) UnmarshalDynamo(value types.AttributeValue) error {
	return unpack(value, func(b []byte) {
		*l = append(*l, claim{id(b), int64(id(b[8:])), uint64(id(b[16:]))})
	})
}

func id(b []byte) ids.ID { return ids.ID(binary.BigEndian.Uint64(b)) }

func unpack(value types.AttributeValue, add func([]byte)) error {
	b, ok := value.(*types.AttributeValueMemberB)
	if !ok || len(b.Value)%listSize != 1 {
		return errList
	}
	for part := range slices.Chunk(b.Value[1:], listSize) {
		add(part)
	}
	return nil
}
