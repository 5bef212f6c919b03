package fold

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// leaf is a group of neighbouring keys.
type leaf struct {
	from []byte // its separator: no key is smaller; nil for the set's first leaf
	data []byte // the keys in order, each after its length as a uvarint
	last int    // where the last key begins in data
	n    int
}

// place is where a key is in a leaf's data, or where it would be.
type place struct {
	at, end int // equal if the key is not there
	before  int // where the key before it begins
	above   int // how many keys are smaller
}

// isAfter reports whether key belongs before the leaf.
func (l *leaf) isAfter(key []byte) bool { return bytes.Compare(l.from, key) > 0 }

func (l *leaf) find(key []byte) (p place) {
	if l.n > 0 && bytes.Compare(l.key(l.last), key) < 0 { // keys in order come here
		return place{at: len(l.data), end: len(l.data), before: l.last, above: l.n}
	}
	for p.at < len(l.data) {
		from, to := keyAt(l.data, p.at)
		switch bytes.Compare(l.data[from:to], key) {
		case 0:
			p.end = to
			return p
		case 1:
			p.end = p.at
			return p
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
		l.last = was
	} else {
		l.last += more
	}
	return true
}

func (l *leaf) remove(key []byte) bool {
	p := l.find(key)
	if p.end == p.at {
		return false
	}
	if p.at == l.last {
		l.last = p.before
	} else {
		l.last -= p.end - p.at
	}
	l.data = append(l.data[:p.at], l.data[p.end:]...)
	l.n--
	if cap(l.data)-len(l.data) > len(l.data)/4+64 {
		l.data = pack(l.data, 0)
	}
	return true
}

// key returns the key that begins there.
func (l *leaf) key(at int) []byte {
	from, to := keyAt(l.data, at)
	return l.data[from:to]
}

// keyAt returns where the key that begins at at, with its length, has its bytes.
func keyAt(data []byte, at int) (from, to int) {
	if size := int(data[at]); size < 1<<7 {
		return at + 1, at + 1 + size
	}
	size, head := binary.Uvarint(data[at:])
	return at + head, at + head + int(size)
}

// pack returns a copy of data with room for more bytes and a sixteenth. Most memory
// is keys, so leaves do not double.
func pack(data []byte, more int) []byte {
	return append(slices.Grow([]byte(nil), len(data)+more+len(data)/16), data...)
}

// regroupLeaves returns the keys of old in one or two leaves.
func regroupLeaves(old []leaf, parts int) []leaf {
	var data []byte
	n, last := 0, 0
	for _, l := range old {
		last = len(data) + l.last
		data = append(data, l.data...)
		n += l.n
	}
	if parts == 1 {
		return []leaf{{from: old[0].from, data: pack(data, 0), last: last, n: n}}
	}
	before, half := 0, 0
	for range n / 2 {
		_, to := keyAt(data, half)
		before, half = half, to
	}
	left := leaf{from: old[0].from, data: pack(data[:half], 0), last: before, n: n / 2}
	right := leaf{data: pack(data[half:], 0), last: last - half, n: n - n/2}
	right.from = separator(left.key(left.last), right.key(0))
	return []leaf{left, right}
}

// separator returns the shortest prefix of first that is larger than last, the key
// before it.
func separator(last, first []byte) []byte {
	return bytes.Clone(first[:shared(last, first)+1])
}

// shared returns how many bytes a and b begin with alike.
func shared(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
