package fold

import (
	"slices"
	"sort"
)

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
