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

// pos is the id and a hash of the room's key, because another room may have an entry
// with the same id.
func (p position) pos(key string) live.Pos {
	hash := fnv.New32a()
	hash.Write([]byte(key))
	return live.Pos(p.String() + "." + strconv.FormatUint(uint64(hash.Sum32()), 36))
}

// parsePos reads the text of pos, if it is of the same room.
func parsePos(pos live.Pos, key string) (position, bool) {
	id, _, _ := strings.Cut(string(pos), ".")
	p, ok := parse(id)
	return p, ok && p.pos(key) == pos
}

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.ms, q.ms), cmp.Compare(p.n, q.n))
}
