package store

import (
	"context"
	"sort"

	"github.com/plaza-sdk/plaza/internal/parallel"
)

// maxReadsAtOnce bounds the requests of one merge that run side by side.
const maxReadsAtOnce = 64

// Merge reads several sources, such as the shards of a list, as one. The rows
// of each lie in one order, and so do those of the merge.
type Merge[R any] struct {
	Sources   int
	Ascending bool

	// Read makes one request for the rows of a source that come after a gap, or
	// for its first rows where the gap is empty. Rest is the gap at which it
	// ended, "" where the source has no more rows.
	Read func(ctx context.Context, source int, gap string) (rows []R, rest string, err error)

	// Place is the gap below a row. Compare is the order of places; rows may
	// only compare equal where they lie in different sources.
	Place   func(*R) string
	Compare func(a, b *R) int

	// Join makes one row of two that compare equal. Defaults to keeping both,
	// in the order of their sources.
	Join func(a, b R) R
}

// Rows returns up to want rows, by at most that many rounds of one request a
// source. Rest is the gap at which they end, "" where there are no more.
func (m Merge[R]) Rows(ctx context.Context, want, rounds int) (rows []R, rest string, err error) {
	read := make([][]R, m.Sources)
	rests := make([]string, m.Sources)
	next := make([]int, 0, m.Sources) // the sources to read in this round
	for i := range m.Sources {
		next = append(next, i)
	}
	for ; rounds > 0 && len(next) > 0; rounds-- {
		if err := m.readAll(ctx, next, read, rests); err != nil {
			return nil, "", err
		}
		rows = m.merge(read)
		next = next[:0]
		for i, rest := range rests {
			if rest != "" && (len(rows) < want || !m.precedes(&rows[want-1], rest)) {
				next = append(next, i)
			}
		}
	}
	// Beyond the first gap of a source the next row may be one that it did not give yet.
	for _, gap := range rests {
		if gap != "" && (rest == "" || (gap < rest) == m.Ascending) {
			rest = gap
		}
	}
	if rest != "" {
		rows = rows[:sort.Search(len(rows), func(i int) bool { return !m.precedes(&rows[i], rest) })]
	}
	if len(rows) > want {
		rows = rows[:want]
		rest = m.Place(&rows[want-1])
		if m.Ascending {
			rest += after
		}
	}
	return rows, rest, nil
}

// readAll reads the next rows of some sources.
func (m Merge[R]) readAll(ctx context.Context, sources []int, read [][]R, rests []string) error {
	return parallel.ForEach(ctx, len(sources), maxReadsAtOnce, func(ctx context.Context, n int) error {
		i := sources[n]
		rows, rest, err := m.Read(ctx, i, rests[i])
		if read[i] == nil {
			read[i] = rows
		} else {
			read[i] = append(read[i], rows...)
		}
		rests[i] = rest
		return err
	})
}

// precedes reports whether a row is read before a gap.
func (m Merge[R]) precedes(row *R, gap string) bool {
	return (m.Place(row) < gap) == m.Ascending
}

// merge puts lists in one order, pair by pair: a stable sort of all took 1.4
// times as long.
func (m Merge[R]) merge(lists [][]R) []R {
	if len(lists) == 1 {
		return lists[0]
	}
	half := len(lists) / 2
	return m.pair(m.merge(lists[:half]), m.merge(lists[half:]))
}

func (m Merge[R]) pair(a, b []R) []R {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	rows := make([]R, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		order := m.Compare(&a[0], &b[0])
		if !m.Ascending {
			order = -order
		}
		switch {
		case order == 0 && m.Join != nil:
			rows, a, b = append(rows, m.Join(a[0], b[0])), a[1:], b[1:]
		case order <= 0:
			rows, a = append(rows, a[0]), a[1:]
		default:
			rows, b = append(rows, b[0]), b[1:]
		}
	}
	return append(append(rows, a...), b...)
}
