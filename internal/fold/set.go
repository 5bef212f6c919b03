// Package fold keeps the order keys of a board's period in memory, and publishes a root
// and blocks. In them a reader finds how many keys are before a leaf. A leaf has a few
// hundred keys, which the reader counts itself.
//
// A Set groups its keys into leaves of 256 to 511, and the leaves into blocks of 128
// to 255. A leaf has a separator: its keys are at least that, and smaller than the next
// leaf's. A separator stays while keys come and go, until the leaf is divided or
// joined. A block has the separators alone, so that it seldom changes. The counts are
// in the root.
package fold

import (
	"slices"
	"sort"
)

const (
	minLeaf  = 256 // keys, unless the set has one leaf
	minBlock = 128 // leaves, unless the set has one block
)

// MaxKey is the length of the longest key, in bytes, as of a DynamoDB index.
const MaxKey = 1024

// Set is a sorted set of keys. The zero Set is empty. It is not safe for concurrent
// use.
type Set struct {
	blocks []*block
	n      int

	taken   int       // the number of the last snapshot
	retired []retired // ids that the stored root may still refer to
}

// Len returns the number of keys.
func (s *Set) Len() int { return s.n }

// Add adds a copy of key, which has 1 to MaxKey bytes, and reports whether it was
// new.
func (s *Set) Add(key []byte) (added bool) {
	if len(s.blocks) == 0 {
		s.blocks = []*block{{leaves: make([]leaf, 1)}}
	}
	i := s.find(key)
	if !s.blocks[i].add(key) {
		return false
	}
	s.n++
	s.settle(i)
	return true
}

// Remove removes key and reports whether it was there.
func (s *Set) Remove(key []byte) (removed bool) {
	if len(s.blocks) == 0 {
		return false
	}
	i := s.find(key)
	if !s.blocks[i].remove(key) {
		return false
	}
	s.n--
	s.settle(i)
	return true
}

// Above returns the number of keys that are smaller than key.
func (s *Set) Above(key []byte) int {
	if len(s.blocks) == 0 {
		return 0
	}
	above, i := 0, s.find(key)
	for _, b := range s.blocks[:i] {
		above += b.n
	}
	return above + s.blocks[i].above(key)
}

// find returns the block where key belongs.
func (s *Set) find(key []byte) int {
	return sort.Search(len(s.blocks)-1, func(i int) bool { return s.blocks[i+1].leaves[0].isAfter(key) })
}

func (s *Set) settle(i int) {
	lo, hi, parts := settle(i, len(s.blocks), minBlock, func(i int) int { return len(s.blocks[i].leaves) })
	if parts == 0 {
		return
	}
	for _, b := range s.blocks[lo:hi] {
		s.retire(b)
	}
	s.blocks = slices.Replace(s.blocks, lo, hi, regroupBlocks(s.blocks[lo:hi], parts)...)
}

// settle returns what to do after the i-th of n parts has grown or shrunk by one:
// divide what is in parts lo up to hi into that many parts of equal size, 0 if all is
// well. A part has least to 2*least-1, a lone one 0 to 2*least-1. A full part shares
// with a neighbour that is less than three quarters full: then keys in order do not
// leave all parts half full, and neither of the two is soon full again.
func settle(i, n, least int, size func(int) int) (lo, hi, parts int) {
	full, short := size(i) >= 2*least, size(i) < least && n > 1
	if !full && !short {
		return 0, 0, 0
	}
	other := i // the smaller neighbour if it is to take some, otherwise the larger
	for _, j := range []int{i - 1, i + 1} {
		if j >= 0 && j < n && (other == i || full == (size(j) < size(other))) {
			other = j
		}
	}
	lo, hi = min(i, other), max(i, other)+1
	switch {
	case full && (other == i || size(other) >= least*3/2):
		return i, i + 1, 2
	case short && size(i)+size(other) < 2*least:
		return lo, hi, 1
	}
	return lo, hi, 2
}
