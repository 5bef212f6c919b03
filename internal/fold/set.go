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

// retired is an id that no block has any more.
type retired struct {
	id   BlockID
	last int // the last snapshot that refers to it
}

// retire gives up b's id.
func (s *Set) retire(b *block) {
	if b.since > 0 {
		s.retired = append(s.retired, retired{b.id, s.taken})
		b.since = 0
	}
}
