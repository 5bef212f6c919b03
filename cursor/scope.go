package cursor

import (
	"crypto/sha256"
	"encoding/binary"
)

// Scope is the list that a cursor belongs to. A cursor is authenticated with its
// Scope but does not contain it: decode it with the Scope it was encoded with.
type Scope struct {
	List      string // the kind of list, e.g. "follow.followers"
	Partition string // whose list, e.g. a user id
	Filter    string // which items it leaves out
	Order     string // how it is sorted
}

// append writes s so that no two scopes are equal, whatever follows them.
func (s Scope) append(b []byte) []byte {
	for _, field := range [...]string{s.List, s.Partition, s.Filter, s.Order} {
		b = binary.AppendUvarint(b, uint64(len(field)))
		b = append(b, field...)
	}
	return b
}

func (s Scope) hash() [sha256.Size]byte {
	var buf [256]byte
	return sha256.Sum256(s.append(buf[:0]))
}
