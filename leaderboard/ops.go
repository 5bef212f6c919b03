package leaderboard

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza/ids"
)

const (
	maxOps    = 16 // how many operations an entry remembers
	maxFloors = 3
)

// ops are the operations that an entry remembers: the last ones, and how much it has
// forgotten. The ids of one source rise, but its clock may be behind another's. So an
// entry keeps the highest forgotten id for each of a few sources.
type ops struct {
	floor  ids.ID   // of all sources but those of floors
	floors []ids.ID // up to maxFloors
	known  []applied
}

// forgot reports whether an operation that is not known may have been forgotten.
func (o ops) forgot(op ids.ID) bool {
	i := o.source(op)
	return op <= o.floor || i >= 0 && op <= o.floors[i]
}

// source returns the index of the floor of the source that made op, or -1.
func (o ops) source(op ids.ID) int {
	const machine = 1<<14 - 1
	return slices.IndexFunc(o.floors, func(id ids.ID) bool { return id&machine == op&machine })
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
		o = o.without(o.known[0].op)
		o.known = o.known[1:]
	}
	o.known = append(o.known, a)
	return o
}

// without raises the floor of the source that made op.
func (o ops) without(op ids.ID) ops {
	o.floors = slices.Clone(o.floors)
	if i := o.source(op); i >= 0 {
		o.floors[i] = max(o.floors[i], op)
		return o
	}
	o.floors = append(o.floors, op)
	if len(o.floors) > maxFloors {
		lowest := slices.Index(o.floors, slices.Min(o.floors))
		o.floor = max(o.floor, o.floors[lowest])
		o.floors = slices.Delete(o.floors, lowest, lowest+1)
	}
	return o
}

// The stored form is floor and floors, then for each operation its id, print, flags and
// two scores. Its length says how many floors there are.
const (
	floorLen   = 8 // maxFloors of them are shorter than an operation
	appliedLen = 8 + 4 + 1 + 8 + 8

	flagExisted  = 1
	flagImproved = 2
)

func (o ops) bytes() []byte {
	b := make([]byte, 0, floorLen*(1+len(o.floors))+appliedLen*len(o.known))
	for _, floor := range append([]ids.ID{o.floor}, o.floors...) {
		b = binary.BigEndian.AppendUint64(b, uint64(floor))
	}
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
var errOps = fmt.Errorf("%w: ops are not remembered operations", errDamaged)

// parseOps reads the stored form. No bytes mean no operations.
func parseOps(b []byte) (ops, error) {
	if len(b) == 0 {
		return ops{}, nil
	}
	if len(b) < floorLen || len(b) >= floorLen+(maxOps+1)*appliedLen {
		return ops{}, errOps
	}
	o := ops{floor: ids.ID(binary.BigEndian.Uint64(b))}
	b = b[floorLen:]
	floors := len(b) % appliedLen
	if floors%floorLen != 0 {
		return ops{}, errOps
	}
	for ; floors > 0; floors -= floorLen {
		o.floors = append(o.floors, ids.ID(binary.BigEndian.Uint64(b)))
		b = b[floorLen:]
	}
	for ; len(b) > 0; b = b[appliedLen:] {
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
