package store

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
)

// maxReads bounds the reads of one page. Where rows are hidden, each read asks
// for twice as many rows as the one before.
const maxReads = 6

// Reach is what a list reads next: the rows below Gap or, going up, those above
// it, nearest first. Where the list is oldest first it is the other way round.
// The empty Gap is the start of the list.
type Reach struct {
	Gap   string
	Up    bool
	Limit int

	oldest bool
	depth  int // how many items are above the gap, if the list has a Depth
}

// Ascending reports whether rows are read in ascending order.
func (r Reach) Ascending() bool { return r.Up != r.oldest }

// Span is the reach in the partition pk.
func (r Reach) Span(pk string) Span {
	s := Span{PK: pk, Ascending: r.Ascending(), Limit: r.Limit}
	if s.Ascending {
		s.From = r.Gap
	} else {
		s.To = r.Gap
	}
	return s
}

// farther returns the later of the reach's gap and another, in reading order.
func (r Reach) farther(gap string) string {
	if r.Gap == "" || (gap > r.Gap) == r.Ascending() {
		return gap
	}
	return r.Gap
}

// Covers reports whether a row lies in the reach. It ignores the limit.
func (r Reach) Covers(sk string) bool {
	if r.Ascending() {
		return sk >= r.Gap
	}
	return r.Gap == "" || sk < r.Gap
}

// Order names the gaps between the rows of a list.
type Order[R any] struct {
	// Below and Above are the gaps on the two sides of a row.
	Below, Above func(R) string
	// Valid reports whether a gap can be one of such a list.
	Valid func(gap string) bool
}

// Rest is the second result of a List's Read for sources where a full answer
// means that there may be more rows.
func (o Order[R]) Rest(reach Reach, rows []R) string {
	switch {
	case len(rows) < reach.Limit:
		return ""
	case reach.Ascending():
		return o.Above(rows[len(rows)-1])
	}
	return o.Below(rows[len(rows)-1])
}

// MaxID is the greatest id.
const MaxID = ids.ID(1<<63 - 1)

// aboveAll is the gap above the greatest id.
var aboveAll = (MaxID + 1).String()

// FirstID is the least id whose text is not less than s, MaxID + 1 if there is
// none.
func FirstID(s string) ids.ID {
	low, high := ids.ID(0), MaxID+1
	for low < high {
		if middle := low + (high-low)/2; middle.String() >= s {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// ByID is the order of rows whose sort keys begin with an id.
func ByID[R any](id func(R) ids.ID) Order[R] {
	return Order[R]{
		Below: func(row R) string { return id(row).String() },
		Above: func(row R) string { return (id(row) + 1).String() },
		Valid: func(gap string) bool {
			_, err := ids.Parse(strings.TrimSuffix(gap, after))
			return err == nil || gap == aboveAll
		},
	}
}

// List turns rows that lie in one order, newest first, into pages of items.
type List[R, T any] struct {
	Codec  cursor.Codec
	Scope  cursor.Scope
	Oldest bool // oldest first; the Scope says so too

	// Read returns rows of a reach by one read, and the gap at which it ended,
	// "" if there are no more. The page may change the rows. It makes at most six
	// reads. The gap may lie within the last row; if that row shows, the rest of
	// it is skipped.
	Read  func(context.Context, Reach) (rows []R, rest string, err error)
	Order Order[R]
	Depth int // how many items can be paged through; 0 means all

	// Show drops hidden rows and keeps the order. Nil drops none.
	Show func(context.Context, []R) ([]R, error)
	// Item makes the page's item of a row.
	Item func(R) T

	// Note is a bit that the list's cursors carry. Page sets it if the request's
	// cursor has it, and writes its final value into the page's cursors. If it is
	// nil or false, cursors are the same as without it.
	Note *bool
}

// Page reads one page. It reads one row more than fits, to know whether there
// are more.
func (l List[R, T]) Page(ctx context.Context, req cursor.PageRequest) (cursor.Page[T], error) {
	limit, err := Limit(req.Limit, cursor.DefaultLimit, cursor.MaxLimit)
	if err != nil {
		return cursor.Page[T]{}, err
	}
	start := Reach{oldest: l.Oldest}
	if req.Cursor != "" {
		if start, err = l.decode(req.Cursor); err != nil {
			return cursor.Page[T]{}, err
		}
	}

	if l.Depth > 0 && !start.Up {
		if limit = min(limit, l.Depth-start.depth); limit <= 0 {
			return l.page(nil, start, start, true), nil
		}
	}
	at := start
	at.Limit = limit + 1
	var shown []R
	ended := false
	for range maxReads {
		rows, rest, err := l.Read(ctx, at)
		if err != nil {
			return cursor.Page[T]{}, err
		}
		ended = rest == ""
		switch {
		case !ended && l.Order.Valid(rest): // otherwise a damaged row is there
			at.Gap = rest
		case len(rows) > 0:
			at.Gap = l.beyond(rows[len(rows)-1], at.Up)
		}
		if l.Show != nil {
			if rows, err = l.Show(ctx, rows); err != nil {
				return cursor.Page[T]{}, err
			}
		}
		if shown == nil {
			shown = rows[:len(rows):len(rows)] // most often they are the page
		} else {
			shown = append(shown, rows...)
		}
		if ended || len(shown) > limit {
			break
		}
		if len(rows) > 0 {
			at.Gap = at.farther(l.beyond(rows[len(rows)-1], at.Up))
		}
		at.Limit *= 2
	}
	if len(shown) > limit {
		ended = false
		shown = shown[:limit]
		at.Gap = l.beyond(shown[limit-1], at.Up)
	}
	return l.page(shown, start, at, ended), nil
}

// page sets Next and Prev. Going down, their gaps are beside the rows shown, so that rows
// written there later are found on the way back. Going up, Prev continues from the last
// row read, so that polling never reads hidden rows again.
func (l List[R, T]) page(rows []R, start, end Reach, ended bool) cursor.Page[T] {
	prev, next := start, end
	switch {
	case start.Up:
		slices.Reverse(rows)
		prev, next = end, start
		prev.depth = max(0, start.depth-len(rows))
		if len(rows) > 0 {
			next.Gap = l.beyond(rows[len(rows)-1], false)
		}
	case len(rows) > 0:
		prev.Gap = l.beyond(rows[0], true)
		next.depth += len(rows)
		ended = ended || l.Depth > 0 && next.depth >= l.Depth
	}
	prev.Up, next.Up = true, false
	page := cursor.Page[T]{Items: make([]T, len(rows))}
	for i, row := range rows {
		page.Items[i] = l.Item(row)
	}
	if start.Up || !ended {
		page.Next = l.encode(next)
	}
	if prev.Gap != "" {
		page.Prev = l.encode(prev)
	}
	return page
}

// beyond returns the gap on the far side of a row.
func (l List[R, T]) beyond(row R, up bool) string {
	return l.Order.Rest(Reach{Up: up, oldest: l.Oldest, Limit: 1}, []R{row})
}

// The direction of a position. A capital letter means that Note is set.
const (
	down      = 'd'
	up        = 'u'
	notedDown = 'D'
	notedUp   = 'U'
)

// A position is the direction, the depth if the list has one, and the gap.
func (l List[R, T]) encode(at Reach) cursor.Cursor {
	pos := []byte{down}
	switch noted := l.Note != nil && *l.Note; {
	case noted && at.Up:
		pos[0] = notedUp
	case noted:
		pos[0] = notedDown
	case at.Up:
		pos[0] = up
	}
	if l.Depth > 0 {
		pos = binary.AppendUvarint(pos, uint64(at.depth))
	}
	return l.Codec.Encode(l.Scope, append(pos, at.Gap...))
}

func (l List[R, T]) decode(c cursor.Cursor) (Reach, error) {
	pos, err := l.Codec.Decode(l.Scope, c)
	if err != nil {
		return Reach{}, err
	}
	if len(pos) < 2 {
		return Reach{}, cursor.ErrInvalid
	}
	at, rest := Reach{oldest: l.Oldest}, pos[1:]
	noted := false
	switch pos[0] {
	case down:
	case up:
		at.Up = true
	case notedDown:
		noted = true
	case notedUp:
		at.Up, noted = true, true
	default:
		return Reach{}, cursor.ErrInvalid
	}
	if noted && l.Note == nil {
		return Reach{}, cursor.ErrInvalid
	}
	if l.Depth > 0 {
		depth, n := binary.Uvarint(rest)
		if n <= 0 || depth > math.MaxInt32 {
			return Reach{}, cursor.ErrInvalid
		}
		at.depth, rest = int(depth), rest[n:]
	}
	if at.Gap = string(rest); !l.Order.Valid(at.Gap) {
		return Reach{}, cursor.ErrInvalid
	}
	if noted {
		*l.Note = true
	}
	return at, nil
}

// Limit returns the page size for a request of n. 0 gives otherwise, the default, and a
// number above most gives most.
func Limit(n, otherwise, most int) (int, error) {
	err := args.DefaultAtLeast("Limit", &n, otherwise, 0)
	return min(n, most), err
}
