package redisstream

import (
	"cmp"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/plaza-sdk/plaza/live"
)

// position is the id of an entry: milliseconds, and a number within the millisecond.
type position struct{ ms, n uint64 }

// parse reads an id as Redis writes it, and nothing else.
func parse(id string) (position, bool) {
	ms, n, _ := strings.Cut(id, "-")
	var p position
	var err1, err2 error
	p.ms, err1 = strconv.ParseUint(ms, 10, 64)
	p.n, err2 = strconv.ParseUint(n, 10, 64)
	return p, err1 == nil && err2 == nil && p.String() == id
}

func (p position) String() string {
	return strconv.FormatUint(p.ms, 10) + "-" + strconv.FormatUint(p.n, 10)
}

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.ms, q.ms), cmp.Compare(p.n, q.n))
}

// place is a stream, and the room that entries name there. Where each room has a stream of
// its own they name none.
type place struct{ key, room string }

// pos is the id and a hash of the place, because another room may have an entry with the
// same id.
func (at place) pos(id position) live.Pos {
	return live.Pos(id.String() + "." + strconv.FormatUint(uint64(hash(at.key, at.room)), 36))
}

// parse reads what pos wrote for the same place.
func (at place) parse(pos live.Pos) (position, bool) {
	id, _, _ := strings.Cut(string(pos), ".")
	p, ok := parse(id)
	return p, ok && at.pos(p) == pos
}

func hash(texts ...string) uint32 {
	h := fnv.New32a()
	for _, text := range texts {
		h.Write([]byte(text))
	}
	return h.Sum32()
}
