package cursor

import (
	"crypto/sha256"
	"encoding/binary"
)

// Scope says which list a cursor belongs to. It is authenticated with the
// cursor and never part of it: the same Scope must be given to read it back.
type Scope struct {
	List      string // the kind, e.g. "follow.followers"
	Partition string // whose list, e.g. a user id
	Filter    string // what it leaves out
	Order     string // how it is sorted
}

// append writes s so that no two scopes, whatever follows them, are alike.
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
