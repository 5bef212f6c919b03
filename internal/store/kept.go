package store

import (
	"slices"
	"sort"
)

// stretch is what was read of a source in one direction: all its rows between
// two gaps, in the order in which they were read.
type stretch[R any] struct {
	from  string
	rows  []R
	rest  string
	read  bool // whether there was a request
	ended bool // there are no rows beyond it; rest is empty then
}

// stretches are those of a source downwards and upwards.
type stretches[R any] [2]stretch[R]

// from returns what is known of a source from the union's gap on.
func (u Union[R]) from(of *stretches[R]) *stretch[R] {
	own, other := &of[0], &of[1]
	if u.Ascending {
		own, other = other, own
	}
	back := u
	back.Ascending = !u.Ascending
	switch {
	case u.covers(own, u.Gap):
	case own.read && u.reaches(own.from, u.Gap) && back.covers(other, own.from) && back.covers(other, u.Gap):
		// The other direction has read what lies in between.
		between := slices.Clone(other.rows[back.index(other, own.from):back.index(other, u.Gap)])
		slices.Reverse(between)
		own.from, own.rows = u.Gap, append(between, own.rows...)
	default:
		*own = stretch[R]{from: u.Gap, rest: u.Gap}
	}
	return own
}

// covers reports whether a gap lies between those of the stretch.
func (u Union[R]) covers(s *stretch[R], gap string) bool {
	return s.read && u.reaches(gap, s.from) && (s.ended || u.reaches(s.rest, gap))
}

// reaches reports whether the gap at is the other gap or comes after it.
func (u Union[R]) reaches(at, gap string) bool {
	switch {
	case u.Ascending:
		return at >= gap
	case at == "" || gap == "": // the start is above all
		return gap == ""
	}
	return at <= gap
}

// index is the number of rows before a gap.
func (u Union[R]) index(s *stretch[R], gap string) int {
	if gap == s.from {
		return 0
	}
	return sort.Search(len(s.rows), func(i int) bool { return !u.precedes(&s.rows[i], gap) })
}
