package fold

import (
	"bytes"
	"iter"
	"math"
	"slices"
	"sort"
)

// Root is a published set: how many keys are in each leaf. It is safe for concurrent
// use.
type Root struct {
	n      int64
	ids    []BlockID
	blocks []counts
}

// counts is what a root has about a block.
type counts struct {
	from  []byte // its first separator; nil for the first block
	above int64  // the keys of the blocks before
	extra []byte // the number of keys of each leaf, less minLeaf
}

// Leaf is a group of neighbouring keys: those that are at least From and below the
// next leaf's From.
type Leaf struct {
	From  []byte // nil for the first leaf: all
	Above int64  // how many keys are before it
	N     int
}

// ParseRoot reads a Snapshot's Root and keeps data. Anything that a Snapshot would not
// write is an error.
func ParseRoot(data []byte) (*Root, error) {
	p := parser{rest: data}
	p.version()
	root := &Root{n: int64(p.number(math.MaxInt64))}
	blocks := int(p.number(uint64(len(p.rest)/minBlock) + 1)) // so that a forged number reserves little
	if blocks == 0 {
		if p.failed || len(p.rest) > 0 || root.n >= 2*minLeaf {
			return nil, errRoot
		}
		return root, nil
	}
	least := uint64(minBlock)
	if blocks == 1 {
		least = 2
	}
	leaves := make([]int, blocks)
	root.ids, root.blocks = make([]BlockID, blocks), make([]counts, blocks)
	for i := range root.blocks {
		root.ids[i] = BlockID{p.number(math.MaxUint64), p.number(math.MaxUint64)}
		n := p.number(2*minBlock - 1)
		if n < least {
			return nil, errRoot
		}
		leaves[i] = int(n)
		if i > 0 {
			from := p.bytes(p.number(MaxKey))
			if bytes.Compare(root.blocks[i-1].from, from) >= 0 {
				return nil, errRoot
			}
			root.blocks[i].from = from
		}
	}
	above := int64(0)
	for i := range root.blocks {
		b := &root.blocks[i]
		b.above, b.extra = above, p.bytes(uint64(leaves[i]))
		for _, extra := range b.extra {
			above += minLeaf + int64(extra)
		}
	}
	if p.failed || len(p.rest) > 0 || above != root.n {
		return nil, errRoot
	}
	return root, nil
}

// Len returns the number of keys.
func (r *Root) Len() int64 { return r.n }

// Blocks returns the ids of the blocks in order, none if the set is one leaf. The
// caller must not change it.
func (r *Root) Blocks() []BlockID { return r.ids }

// Block returns the index in Blocks of the block where key belongs; 0 if there is
// none.
func (r *Root) Block(key []byte) int {
	return r.last(func(b counts) bool { return bytes.Compare(b.from, key) > 0 })
}

// BlockAt returns the index in Blocks of the block of the key that has this many keys
// before it, or of the nearest block; 0 if there is none.
func (r *Root) BlockAt(above int64) int {
	return r.last(func(b counts) bool { return b.above > above })
}

// last returns the last block for which after is false, or the first block.
func (r *Root) last(after func(counts) bool) int {
	return sort.Search(max(len(r.blocks)-1, 0), func(i int) bool { return after(r.blocks[i+1]) })
}

// Leaf returns the leaf where key belongs, or the nearest one in b. b is block i of
// Blocks, or nil if there are no blocks. A block of another root is an error.
func (r *Root) Leaf(i int, b *Block, key []byte) (Leaf, error) {
	return r.find(i, b, func(l Leaf) bool { return bytes.Compare(l.From, key) > 0 })
}

// LeafAt is Leaf for the key that has this many keys before it.
func (r *Root) LeafAt(i int, b *Block, above int64) (Leaf, error) {
	return r.find(i, b, func(l Leaf) bool { return l.Above > above })
}

// Leaves returns the leaves of block i in order.
func (r *Root) Leaves(i int, b *Block) ([]Leaf, error) {
	if !r.has(i, b) {
		return nil, errOther
	}
	return slices.Collect(r.leaves(i, b)), nil
}

// find returns the last leaf for which after is false, or the first leaf.
func (r *Root) find(i int, b *Block, after func(Leaf) bool) (found Leaf, err error) {
	if !r.has(i, b) {
		return Leaf{}, errOther
	}
	for l := range r.leaves(i, b) {
		if found.N > 0 && after(l) {
			break
		}
		found = l
	}
	return found, nil
}

// has reports whether b can be block i.
func (r *Root) has(i int, b *Block) bool {
	if len(r.blocks) == 0 || b == nil {
		return len(r.blocks) == 0
	}
	c, last := r.blocks[i], len(b.from)-1
	return len(b.from) == len(c.extra)-1 && bytes.Compare(c.from, b.from[0]) < 0 &&
		(i == len(r.blocks)-1 || bytes.Compare(b.from[last], r.blocks[i+1].from) < 0)
}

// leaves yields the leaves of block i in order.
func (r *Root) leaves(i int, b *Block) iter.Seq[Leaf] {
	return func(yield func(Leaf) bool) {
		if len(r.blocks) == 0 {
			yield(Leaf{N: int(r.n)})
			return
		}
		next := Leaf{From: r.blocks[i].from, Above: r.blocks[i].above}
		for j, extra := range r.blocks[i].extra {
			if j > 0 {
				next.From = b.from[j-1]
			}
			next.N = minLeaf + int(extra)
			if !yield(next) {
				return
			}
			next.Above += int64(next.N)
		}
	}
}
