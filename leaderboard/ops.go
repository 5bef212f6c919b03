package leaderboard

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza/ids"
)

// maxOps is how many operations an entry remembers.
const maxOps = 16

// ops are the operations that an entry remembers: the last ones, and the highest id
// of the forgotten ones. An unknown id is new only if it is above that.
type ops struct {
	floor ids.ID
	known []applied
}

// applied is one operation and its answer.
type applied struct {
	op       ids.ID
	print    uint32
	existed  bool
	improved bool
	old, new uint64 // the bits of the scores
}

func (o ops) find(op ids.ID) (applied, bool) {
	i := slices.IndexFunc(o.known, func(a applied) bool { return a.op == op })
	if i < 0 {
		return applied{}, false
	}
	return o.known[i], true
}

// with adds an operation, and drops the oldest if there are too many. So an operation
// is remembered for the next maxOps writes, whatever its id.
func (o ops) with(a applied) ops {
	if len(o.known) == maxOps {
		o.floor = max(o.floor, o.known[0].op)
		o.known = o.known[1:]
	}
	o.known = append(o.known, a)
	return o
}

// The stored form is the highest forgotten id, then for each operation its id, print,
// flags and two scores.
const (
	floorLen   = 8
	appliedLen = 8 + 4 + 1 + 8 + 8

	flagExisted  = 1
	flagImproved = 2
)

func (o ops) bytes() []byte {
	b := make([]byte, 0, floorLen+appliedLen*len(o.known))
	b = binary.BigEndian.AppendUint64(b, uint64(o.floor))
	for _, a := range o.known {
		var flags byte
		if a.existed {
			flags |= flagExisted
		}
		if a.improved {
			flags |= flagImproved
		}
		b = binary.BigEndian.AppendUint64(b, uint64(a.op))
		b = binary.BigEndian.AppendUint32(b, a.print)
		b = append(b, flags)
		b = binary.BigEndian.AppendUint64(b, a.old)
		b = binary.BigEndian.AppendUint64(b, a.new)
	}
	return b
}

// errOps is returned for bytes that ops did not write.
var errOps = fmt.Errorf("%w: ops are no remembered operations", errDamaged)

// parseOps reads the stored form. No bytes mean no operations.
func parseOps(b []byte) (ops, error) {
	if len(b) == 0 {
		return ops{}, nil
	}
	if len(b) < floorLen || (len(b)-floorLen)%appliedLen != 0 || len(b) > floorLen+maxOps*appliedLen {
		return ops{}, errOps
	}
	o := ops{floor: ids.ID(binary.BigEndian.Uint64(b))}
	for b = b[floorLen:]; len(b) > 0; b = b[appliedLen:] {
		if b[12] > flagExisted|flagImproved {
			return ops{}, errOps
		}
		o.known = append(o.known, applied{
			op:       ids.ID(binary.BigEndian.Uint64(b)),
			print:    binary.BigEndian.Uint32(b[8:]),
			existed:  b[12]&flagExisted != 0,
			improved: b[12]&flagImproved != 0,
			old:      binary.BigEndian.Uint64(b[13:]),
			new:      binary.BigEndian.Uint64(b[21:]),
		})
	}
	return o, nil
}
