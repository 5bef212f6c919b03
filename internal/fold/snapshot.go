package fold

import (
	"encoding/binary"
)

// Snapshot is a Set as it was, for ParseRoot and ParseBlock. It does not change with
// the set.
type Snapshot struct {
	Root   []byte
	Blocks []StoredBlock // those not known to be stored

	number int
}

// StoredBlock is a block to store.
type StoredBlock struct {
	ID   BlockID
	Data []byte // at most MaxBlock bytes
}

// MaxBlock is the size of the largest block: 254 separators that share nothing.
const MaxBlock = 1 + (2*minBlock-2)*(1+2+MaxKey)

// MaxRoot is the size up to which a root fits into an item of 400 KB beside its key and
// other attributes. No root of 10 million keys is larger, and none of 50 million
// whose separators have up to 40 bytes.
const MaxRoot = 390 << 10

// Snapshot returns the set as it is now. Each new content of a block gets an id from
// next. If storing it fails, drop it: the next snapshot has its blocks again, with
// the same ids unless they changed.
//
// Store the blocks before the root. A root may be larger than MaxRoot.
func (s *Set) Snapshot(next func() BlockID) *Snapshot {
	for _, b := range s.blocks {
		if b.changed {
			s.retire(b)
		}
	}
	s.taken++
	snap := &Snapshot{number: s.taken}
	if len(s.blocks) == 0 || len(s.blocks) == 1 && len(s.blocks[0].leaves) == 1 {
		snap.Root = appendRoot(s.n, nil)
		return snap
	}
	for _, b := range s.blocks {
		if b.since == 0 {
			b.id, b.since, b.changed, b.stored = next(), s.taken, false, false
		}
		if !b.stored {
			snap.Blocks = append(snap.Blocks, StoredBlock{b.id, appendBlock(b.leaves[1:])})
		}
	}
	snap.Root = appendRoot(s.n, s.blocks)
	return snap
}

// Published notes that snap's blocks and then its root are stored. It returns the ids
// to which neither snap's root nor a later one refers: they may be deleted.
func (s *Set) Published(snap *Snapshot) (replaced []BlockID) {
	for _, b := range s.blocks {
		if b.since > 0 && b.since <= snap.number {
			b.stored = true
		}
	}
	kept := s.retired[:0]
	for _, r := range s.retired {
		if r.last < snap.number {
			replaced = append(replaced, r.id)
		} else {
			kept = append(kept, r)
		}
	}
	s.retired = kept
	return replaced
}

// version is the first byte of a root and of a block.
const version = 1

// appendRoot returns the root of a set of n keys: the version, n and the number of
// blocks; each block's id, number of leaves and, but for the first, first separator;
// and the number of keys of each leaf, less minLeaf, as a byte. Other numbers are
// uvarints.
func appendRoot(n int, blocks []*block) []byte {
	data := binary.AppendUvarint([]byte{version}, uint64(n))
	data = binary.AppendUvarint(data, uint64(len(blocks)))
	for i, b := range blocks {
		data = binary.AppendUvarint(data, b.id.Gen)
		data = binary.AppendUvarint(data, b.id.N)
		data = binary.AppendUvarint(data, uint64(len(b.leaves)))
		if i > 0 {
			data = binary.AppendUvarint(data, uint64(len(b.leaves[0].from)))
			data = append(data, b.leaves[0].from...)
		}
	}
	for _, b := range blocks {
		for _, l := range b.leaves {
			data = append(data, byte(l.n-minLeaf))
		}
	}
	return data
}

// appendBlock returns the block of the separators of leaves: the version and, for each,
// how many bytes it shares with the one before, how many follow, and those.
func appendBlock(leaves []leaf) []byte {
	data := []byte{version}
	var before []byte
	for _, l := range leaves {
		same := shared(before, l.from)
		data = binary.AppendUvarint(data, uint64(same))
		data = binary.AppendUvarint(data, uint64(len(l.from)-same))
		data = append(data, l.from[same:]...)
		before = l.from
	}
	return data
}
