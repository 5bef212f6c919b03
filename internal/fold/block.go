package fold

import (
	"slices"
	"sort"
)

const (
	minLeaf  = 256 // keys, unless the set has one leaf
	minBlock = 128 // leaves, unless the set has one block
)

// BlockID names a stored block. No two contents have the same one.
type BlockID struct {
	Gen uint64 // the folder's lease
	N   uint64 // unique within Gen
}

// block is a group of neighbouring leaves.
type block struct {
	leaves []leaf
	n      int // keys

	id      BlockID
	since   int  // the first snapshot that refers to id; 0 if there is no id
	changed bool // the separators after the first are not those of id
	stored  bool // id is known to be stored
}

func (b *block) add(key []byte) bool {
	j := b.find(key)
	if !b.leaves[j].add(key) {
		return false
	}
	b.n++
	b.settle(j)
	return true
}

func (b *block) remove(key []byte) bool {
	j := b.find(key)
	if !b.leaves[j].remove(key) {
		return false
	}
	b.n--
	b.settle(j)
	return true
}

// above returns the number of its keys that are smaller than key.
func (b *block) above(key []byte) int {
	above, j := 0, b.find(key)
	for _, l := range b.leaves[:j] {
		above += l.n
	}
	return above + b.leaves[j].find(key).above
}

// find returns the leaf where key belongs.
func (b *block) find(key []byte) int {
	return sort.Search(len(b.leaves)-1, func(j int) bool { return b.leaves[j+1].isAfter(key) })
}

func (b *block) settle(j int) {
	lo, hi, parts := settle(j, len(b.leaves), minLeaf, func(j int) int { return b.leaves[j].n })
	if parts == 0 {
		return
	}
	b.leaves = slices.Replace(b.leaves, lo, hi, regroupLeaves(b.leaves[lo:hi], parts)...)
	b.changed = true
}

// regroupBlocks returns the leaves of old in that many blocks.
func regroupBlocks(old []*block, parts int) []*block {
	var leaves []leaf
	for _, b := range old {
		leaves = append(leaves, b.leaves...)
	}
	blocks := make([]*block, parts)
	for i := range blocks {
		b := &block{leaves: slices.Clone(leaves[i*len(leaves)/parts : (i+1)*len(leaves)/parts])}
		for _, l := range b.leaves {
			b.n += l.n
		}
		blocks[i] = b
	}
	return blocks
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
