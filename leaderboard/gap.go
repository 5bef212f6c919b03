package leaderboard

import (
	"encoding/binary"
	"math"
)

// gap is a place between two rows.
type gap struct {
	above int64  // how many rows are above
	tie   int64  // the competition rank of those tied with key
	last  int64  // where the list ends, as in topList
	key   []byte // what is above is smaller
}

// String is the form in a cursor: three varints and the key.
func (g gap) String() string {
	var b []byte
	for _, n := range []int64{g.above, g.tie, g.last} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return string(append(b, g.key...))
}

// parseGap reads what String wrote. What else it takes harms nobody but who
// forged it.
func parseGap(text string) (gap, bool) {
	b := []byte(text)
	var g gap
	for _, n := range []*int64{&g.above, &g.tie, &g.last} {
		v, size := binary.Uvarint(b)
		if size <= 0 || v > math.MaxInt64/2 {
			return gap{}, false
		}
		*n, b = int64(v), b[size:]
	}
	g.key = b
	ok := g.tie >= 1 && g.tie <= g.above+1 && len(b) > 0 && len(b) <= longest
	return g, ok
}
