package store

import (
	"context"
	"sort"

	"github.com/plaza-sdk/plaza/internal/parallel"
)

// maxReadsAtOnce bounds the requests of one union that run side by side.
const maxReadsAtOnce = 64

// Union reads several sources, such as the shards of a list, as one. The rows
// of each lie in one order, and so do those of the union.
type Union[R any] struct {
	Sources   int
	Ascending bool
	Gap       string // where the rows begin; empty is the start of the list

	// Read makes one request for the rows of a source that come after a gap, or
	// for its first rows where the gap is empty. Rest is the gap at which it
	// ended, "" where the source has no more rows.
	Read func(ctx context.Context, source int, gap string) (rows []R, rest string, err error)

	// Ready reports whether Read needs no request after a gap. Defaults to never.
	Ready func(source int, gap string) bool

	// Place is the gap below a row. Compare is the order of places; rows may
	// only compare equal where they lie in different sources.
	Place   func(*R) string
	Compare func(a, b *R) int

	// Join makes one row of two that compare equal. Defaults to keeping both,
	// in the order of their sources.
	Join func(a, b R) R

	// Kept has what earlier unions of these sources read. Defaults to nothing.
	Kept *Kept[R]
}

// Kept is what unions have read of their sources. Later unions may begin at any
// gap, read in either direction, and have more sources.
type Kept[R any] struct {
	Rounds  int // of requests, so far
	sources []stretches[R]
}

// Rows returns up to want rows, by at most that many rounds of one request a
// source. Rest is the gap at which they end, "" where there are no more.
func (u Union[R]) Rows(ctx context.Context, want, rounds int) (rows []R, rest string, err error) {
	if u.Kept == nil {
		u.Kept = &Kept[R]{}
	}
	if more := u.Sources - len(u.Kept.sources); more > 0 {
		u.Kept.sources = append(u.Kept.sources, make([]stretches[R], more)...)
	}
	known := make([]*stretch[R], u.Sources)
	for i := range known {
		known[i] = u.from(&u.Kept.sources[i])
	}
	rows = u.known(known, want)
	for ; rounds > 0; rounds-- {
		next := u.next(known, rows, want)
		if len(next) == 0 {
			break
		}
		u.Kept.Rounds++
		if err := u.readAll(ctx, next, known); err != nil {
			return nil, "", err
		}
		rows = u.known(known, want)
	}
	// Beyond the first gap of a source the next row may be one that it did not give yet.
	for _, s := range known {
		if !s.ended && (rest == "" || (s.rest < rest) == u.Ascending) {
			rest = s.rest
		}
	}
	if rest != "" && len(known) > 1 { // all rows of one source lie before its gap
		rows = rows[:sort.Search(len(rows), func(i int) bool { return !u.precedes(&rows[i], rest) })]
	}
	if len(rows) > want {
		rows = rows[:want]
		rest = u.Place(&rows[want-1])
		if u.Ascending {
			rest += after
		}
	}
	return rows, rest, nil
}

// next returns the sources to read: those that were not read from the gap yet, or
// else those that may have one of the first want rows.
func (u Union[R]) next(known []*stretch[R], rows []R, want int) []int {
	var unread, short []int
	var last string // the place of the last row wanted
	if len(rows) >= want {
		last = u.Place(&rows[want-1])
	}
	for i, s := range known {
		switch {
		case s.ended:
		case !s.read:
			unread = append(unread, i)
		case len(rows) < want || (last < s.rest) != u.Ascending:
			short = append(short, i)
		}
	}
	if len(unread) > 0 {
		return unread
	}
	return short
}

// readAll reads the next rows of some sources. Those that are ready take less
// than goroutines would.
func (u Union[R]) readAll(ctx context.Context, sources []int, known []*stretch[R]) error {
	requests := sources
	if u.Ready != nil {
		requests = nil
		for _, i := range sources {
			if !u.Ready(i, known[i].rest) {
				requests = append(requests, i)
			} else if err := u.read(ctx, i, known[i]); err != nil {
				return err
			}
		}
	}
	return parallel.ForEach(ctx, len(requests), maxReadsAtOnce, func(ctx context.Context, n int) error {
		return u.read(ctx, requests[n], known[requests[n]])
	})
}

func (u Union[R]) read(ctx context.Context, source int, s *stretch[R]) error {
	rows, rest, err := u.Read(ctx, source, s.rest)
	if err != nil {
		return err
	}
	if s.rows == nil {
		s.rows = rows
	} else {
		s.rows = append(s.rows, rows...)
	}
	s.rest, s.ended, s.read = rest, rest == "", true
	return nil
}

// known merges the rows that were read after the gap: those wanted and, if there
// is one, the next.
func (u Union[R]) known(sources []*stretch[R], want int) []R {
	lists, all := make([][]R, len(sources)), 0
	for i, s := range sources {
		lists[i] = s.rows[u.index(s, u.Gap):]
		all += len(lists[i])
	}
	return u.merge(lists, min(want, all)+1)
}

// precedes reports whether a row is read before a gap.
func (u Union[R]) precedes(row *R, gap string) bool {
	return (u.Place(row) < gap) == u.Ascending
}

// merge puts lists in one order, pair by pair: a stable sort of all took 1.4
// times as long. It may leave out rows beyond the first most.
func (u Union[R]) merge(lists [][]R, most int) []R {
	switch len(lists) {
	case 0:
		return nil
	case 1:
		return lists[0]
	}
	half := len(lists) / 2
	return u.pair(u.merge(lists[:half], most), u.merge(lists[half:], most), most)
}

func (u Union[R]) pair(a, b []R, most int) []R {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	rows := make([]R, 0, min(len(a)+len(b), most))
	for len(a) > 0 && len(b) > 0 && len(rows) < most {
		order := u.Compare(&a[0], &b[0])
		if !u.Ascending {
			order = -order
		}
		switch {
		case order == 0 && u.Join != nil:
			rows, a, b = append(rows, u.Join(a[0], b[0])), a[1:], b[1:]
		case order <= 0:
			rows, a = append(rows, a[0]), a[1:]
		default:
			rows, b = append(rows, b[0]), b[1:]
		}
	}
	rows = append(rows, a[:min(len(a), most-len(rows))]...)
	return append(rows, b[:min(len(b), most-len(rows))]...)
}
