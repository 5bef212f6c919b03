package fold

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// leaf is a group of neighbouring keys.
type leaf struct {
	from  []byte // its separator: no key is smaller; nil for the set's first leaf
	data  []byte // the keys in order, each after its length as a uvarint
	n     int
	marks [8]mark // in order; the last is of the last key
}

// mark is where a key of a leaf begins in its data. Zero is the first key. A search
// begins at a mark, so that it need not pass all keys.
type mark struct {
	at    int32
	above int32 // how many keys are before it
}

// place is where a key is in a leaf's data, or where it would be.
type place struct {
	at, end int // equal if the key is not there
	above   int // how many keys are smaller
	before  int // where the key before it begins
}

// isAfter reports whether key belongs before the leaf.
func (l *leaf) isAfter(key []byte) bool { return bytes.Compare(l.from, key) > 0 }

func (l *leaf) find(key []byte) (p place) {
	for i := len(l.marks) - 1; i >= 0 && l.n > 0; i-- {
		m := l.marks[i]
		from, to := keyAt(l.data, int(m.at))
		if bytes.Compare(l.data[from:to], key) < 0 {
			p = place{at: to, above: int(m.above) + 1, before: int(m.at)}
			break
		}
	}
	for p.at < len(l.data) {
		from, to := keyAt(l.data, p.at)
		order := bytes.Compare(l.data[from:to], key)
		if order == 0 {
			p.end = to
			return p
		}
		if order > 0 {
			break
		}
		p.before, p.at = p.at, to
		p.above++
	}
	p.end = p.at
	return p
}

func (l *leaf) add(key []byte) bool {
	p := l.find(key)
	if p.end > p.at {
		return false
	}
	was := len(l.data)
	var size [binary.MaxVarintLen64]byte
	head := binary.PutUvarint(size[:], uint64(len(key)))
	more := head + len(key)
	if was+more > cap(l.data) {
		l.data = pack(l.data, more)
	}
	l.data = l.data[:was+more]
	copy(l.data[p.at+more:], l.data[p.at:was])
	copy(l.data[p.at:], size[:head])
	copy(l.data[p.at+head:], key)
	l.n++
	if p.at == was {
		l.marks[len(l.marks)-1] = mark{int32(p.at), int32(p.above)}
		return true
	}
	for i := range l.marks {
		if m := &l.marks[i]; int(m.at) >= p.at {
			m.at += int32(more)
			m.above++
		}
	}
	return true
}

func (l *leaf) remove(key []byte) bool {
	p := l.find(key)
	if p.end == p.at {
		return false
	}
	isLast := p.end == len(l.data)
	for i := range l.marks {
		switch m := &l.marks[i]; {
		case int(m.at) > p.at:
			m.at -= int32(p.end - p.at)
			m.above--
		case int(m.at) == p.at && isLast: // otherwise it is the next key's
			*m = mark{int32(p.before), int32(max(p.above-1, 0))}
		}
	}
	l.data = append(l.data[:p.at], l.data[p.end:]...)
	l.n--
	if cap(l.data)-len(l.data) > len(l.data)/4+64 {
		l.data = pack(l.data, 0)
	}
	return true
}

// keyAt returns where the bytes of the key that begins there start and end. Its
// length has at most two bytes; binary.Uvarint takes longer than the comparison.
func keyAt(data []byte, at int) (from, to int) {
	size := int(data[at])
	at++
	if size >= 1<<7 {
		size += (int(data[at]) - 1) << 7
		at++
	}
	return at, at + size
}

// keyOf returns the key that begins at at.
func keyOf(data []byte, at int) []byte {
	from, to := keyAt(data, at)
	return data[from:to]
}

// pack returns a copy of data with room for more bytes and a sixteenth on top. It
// does not double the room, because most memory is keys.
func pack(data []byte, more int) []byte {
	return append(slices.Grow([]byte(nil), len(data)+more+len(data)/16), data...)
}

// regroupLeaves returns the keys of old in one or two leaves.
func regroupLeaves(old []leaf, parts int) []leaf {
	var data []byte
	n := 0
	for _, l := range old {
		data = append(data, l.data...)
		n += l.n
	}
	if parts == 1 {
		return []leaf{newLeaf(old[0].from, data, n)}
	}
	last, half := 0, 0
	for range n / 2 {
		_, to := keyAt(data, half)
		last, half = half, to
	}
	return []leaf{
		newLeaf(old[0].from, data[:half], n/2),
		newLeaf(separator(keyOf(data, last), keyOf(data, half)), data[half:], n-n/2),
	}
}

// newLeaf returns a leaf of the n keys in data, which it copies.
func newLeaf(from, data []byte, n int) leaf {
	l := leaf{from: from, data: pack(data, 0), n: n}
	at := 0
	for i := range n {
		l.marks[i*len(l.marks)/n] = mark{int32(at), int32(i)} // the last of each part stays
		_, at = keyAt(data, at)
	}
	return l
}

// separator returns the shortest prefix of first that is larger than last, the key
// before it.
func separator(last, first []byte) []byte {
	return bytes.Clone(first[:shared(last, first)+1])
}

// shared returns the length of what a and b have in common at their beginning.
func shared(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
