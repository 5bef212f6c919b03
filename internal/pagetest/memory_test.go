package pagetest

import (
	"context"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

type row struct {
	sk     uint64
	hidden bool
}

// memory is a correct list, except for its bug.
type memory struct {
	bug      bug
	codec    cursor.Codec
	scope    cursor.Scope
	rows     []row // oldest first
	last     uint64
	requests int
	max      int
}

func newMemory(b bug, partition string) *memory {
	return &memory{bug: b, codec: cursor.Plain(), scope: cursor.Scope{List: "memory", Partition: partition}, max: cursor.MaxLimit}
}

func (m *memory) list(others ...Other) List[uint64] {
	return List[uint64]{
		Page:     m.page,
		ID:       func(sk uint64) string { return strconv.FormatUint(sk, 10) },
		Add:      m.add,
		Remove:   m.remove,
		Hide:     m.hide,
		Others:   others,
		Requests: func() int { return m.requests },
		MaxLimit: m.max,
	}
}

func (m *memory) add(_ context.Context, n int) []string {
	var added []string
	for range n {
		m.last += 10
		m.rows = append(m.rows, row{sk: m.last})
		added = append(added, strconv.FormatUint(m.last, 10))
	}
	return added
}

func (m *memory) find(id string) int {
	return slices.IndexFunc(m.rows, func(r row) bool { return strconv.FormatUint(r.sk, 10) == id })
}

func (m *memory) remove(_ context.Context, id string) {
	i := m.find(id)
	m.rows = slices.Delete(m.rows, i, i+1)
}

func (m *memory) hide(_ context.Context, id string) { m.rows[m.find(id)].hidden = true }

// query sends a request: the rows on one side of the gap, nearest first.
func (m *memory) query(gap uint64, up bool, limit int) []row {
	m.requests++
	var found []row
	if up {
		for _, r := range m.rows {
			if r.sk >= gap {
				found = append(found, r)
			}
		}
		if m.bug == upGivesNewestFirst && len(found) > limit {
			found = found[len(found)-limit:]
		}
	} else {
		for _, r := range slices.Backward(m.rows) {
			if r.sk < gap || m.bug == boundaryRepeated && r.sk == gap {
				found = append(found, r)
			}
		}
	}
	return found[:min(limit, len(found))]
}

func (m *memory) page(ctx context.Context, req cursor.PageRequest) (cursor.Page[uint64], error) {
	var page cursor.Page[uint64]
	if err := ctx.Err(); err != nil && m.bug != contextIgnored {
		if m.bug == itemsBesideCancel && len(m.rows) > 0 {
			page.Items = []uint64{m.rows[0].sk}
		}
		return page, err
	}
	limit, err := m.limit(req.Limit)
	if err != nil {
		return page, err
	}
	gap, up := ^uint64(0), false
	if req.Cursor != "" {
		if gap, up, err = m.decode(req.Cursor); err != nil {
			return page, err
		}
	}
	if m.bug == cursorItemNeeded && req.Cursor != "" {
		if slices.IndexFunc(m.rows, func(r row) bool { return r.sk == gap || r.sk == gap-1 }) < 0 {
			return page, plaza.ErrNotFound
		}
	}
	if m.bug == offsetPaging {
		return m.offsetPage(gap, up, limit), nil
	}

	found := m.query(gap, up, limit+1)
	more := len(found) > limit
	found = found[:min(limit, len(found))]
	if up {
		slices.Reverse(found)
		if m.bug == upAscending {
			slices.Reverse(found)
		}
	}
	if m.bug != nilItems {
		page.Items = []uint64{}
	}
	for _, r := range found {
		if !r.hidden {
			page.Items = append(page.Items, r.sk)
		}
	}
	m.ways(&page, found, gap, up, more, limit)
	return page, nil
}

// ways sets Next just below the last row, and Prev just above the first.
func (m *memory) ways(page *cursor.Page[uint64], found []row, gap uint64, up, more bool, limit int) {
	above, below := gap, gap
	if len(found) > 0 {
		above, below = found[0].sk+1, found[len(found)-1].sk
	}
	if m.bug == upAscending && up && len(found) > 0 {
		above, below = found[len(found)-1].sk+1, found[0].sk
	}
	next := up || more
	prev := len(found) > 0 || gap != ^uint64(0) // otherwise no gap is known yet
	switch m.bug {
	case itemLostAtBoundary:
		below--
		below -= below % 10
	case prevAtFirstRow:
		above--
	case prevAboveAll:
		prev = true
	case prevMissing:
		prev = false
	case prevMissingOnFirstPage:
		prev = up || gap != ^uint64(0)
	case prevMissingOnEmptyUp:
		prev = !up || len(found) > 0
	case prevForgetsGap:
		if up && len(found) == 0 {
			above = ^uint64(0)
		}
	case nextMissingOnUp:
		next = more && !up
	case nextMissingOnEmptyUp:
		next = more || up && len(found) > 0
	case nextOfUpRestarts:
		if up {
			below = ^uint64(0)
		}
	case nextAfterFullPage:
		next = up || len(found) == limit
	case endsAtShortPage:
		next = up || len(page.Items) == limit && more
	case endsAtEmptyPage:
		next = up || more && len(page.Items) > 0
	case stuckOnHidden:
		if len(page.Items) == 0 && more {
			below = gap
		}
	case stuckOnHiddenUp:
		if up && len(page.Items) == 0 {
			above = gap
		}
	case nextSkipsOneRow:
		if len(found) > 1 && !up && more {
			below -= 10
		}
	case neverEnds:
		next = true
	}
	if next {
		page.Next = m.encode(below, false)
	}
	if prev {
		page.Prev = m.encode(above, true)
	}
}

func (m *memory) limit(n int) (int, error) {
	switch {
	case n < 0 && m.bug == negativeIsDefault:
		return cursor.DefaultLimit, nil
	case n < 0:
		if m.bug == negativeIsSent {
			m.requests++
		}
		if m.bug == negativeIsOtherError {
			return 0, plaza.ErrConflict
		}
		return 0, &plaza.InvalidError{Field: "Limit", Reason: "is negative"}
	case n == 0 && m.bug == otherDefault:
		return 20, nil
	case n == 0:
		return cursor.DefaultLimit, nil
	case m.bug == noMaximum:
		return min(n, 1_000_000), nil
	case m.bug == maximumRefused && n > m.max:
		return 0, plaza.ErrInvalid
	case m.bug == oneTooMany:
		return min(n, m.max) + 1, nil
	case m.bug == oneTooFew:
		return max(1, min(n, m.max)-1), nil
	}
	return min(n, m.max), nil
}

const (
	sizeOfPos = 9
	upwards   = 1
)

func (m *memory) encode(gap uint64, up bool) cursor.Cursor {
	pos := binary.BigEndian.AppendUint64([]byte{0}, gap)
	if up {
		pos[0] = upwards
	}
	switch m.bug {
	case foreignAccepted:
		return m.codec.Encode(cursor.Scope{}, pos)
	case unauthenticated:
		return cursor.Cursor(pos)
	}
	return m.codec.Encode(m.scope, pos)
}

func (m *memory) decode(c cursor.Cursor) (gap uint64, up bool, err error) {
	scope := m.scope
	switch m.bug {
	case sentBeforeDecode:
		m.requests++
	case foreignAccepted:
		scope = cursor.Scope{}
	case textTrimmed:
		c = cursor.Cursor(strings.TrimSpace(string(c)))
	case lastBytesIgnored:
		c = c[:min(len(c), 24)]
		if pos, err := m.codec.Decode(m.scope, c); err == nil {
			return binary.BigEndian.Uint64(pos[1:]), pos[0] == upwards, nil
		}
	}
	var pos []byte
	if m.bug == unauthenticated {
		pos = []byte(c)
	} else {
		pos, err = m.codec.Decode(scope, c)
	}
	if err == nil && len(pos) != sizeOfPos {
		err = cursor.ErrInvalid
	}
	switch {
	case err != nil && m.bug == badCursorIsStart:
		return ^uint64(0), false, nil
	case err != nil && m.bug == badCursorIsOtherError:
		return 0, false, plaza.ErrInvalid
	case err != nil:
		return 0, false, err
	}
	return binary.BigEndian.Uint64(pos[1:]), pos[0] == upwards, nil
}

// offsetPage counts rows from the front, as LIMIT and OFFSET do.
func (m *memory) offsetPage(offset uint64, up bool, limit int) cursor.Page[uint64] {
	m.requests++
	if offset == ^uint64(0) {
		offset = 0
	}
	end := min(int(offset)+limit, len(m.rows))
	start := min(int(offset), len(m.rows))
	if up {
		start, end = max(0, start-limit), start
	}
	var page cursor.Page[uint64]
	newest := slices.Clone(m.rows)
	slices.Reverse(newest)
	for _, r := range newest[start:end] {
		if !r.hidden {
			page.Items = append(page.Items, r.sk)
		}
	}
	if end < len(m.rows) {
		page.Next = m.encode(uint64(end), false)
	}
	page.Prev = m.encode(uint64(start), true)
	return page
}
