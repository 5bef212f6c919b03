package fold

import (
	"encoding/binary"
	"errors"
)

// Block is a published block: the separators of its leaves, except for the first, which
// is in the root. It is safe for concurrent use.
type Block struct {
	from [][]byte
}

// ParseBlock reads a StoredBlock's Data. Anything that a Snapshot would not write is an
// error.
func ParseBlock(data []byte) (*Block, error) {
	p := parser{rest: data}
	p.version()
	b := new(Block)
	var before []byte
	for len(p.rest) > 0 && len(b.from) < 2*minBlock-2 {
		same := p.number(uint64(len(before)))
		more := p.bytes(p.number(MaxKey - same))
		// A separator is larger than the one before, and what is shared is all that
		// they share.
		if p.failed || len(more) == 0 || int(same) < len(before) && more[0] <= before[same] {
			return nil, errBlock
		}
		from := make([]byte, 0, int(same)+len(more))
		before = append(append(from, before[:same]...), more...)
		b.from = append(b.from, before)
	}
	if p.failed || len(p.rest) > 0 || len(b.from) == 0 {
		return nil, errBlock
	}
	return b, nil
}

// parser takes values from the start of rest. After a failure all are zero.
type parser struct {
	rest   []byte
	failed bool
}

func (p *parser) fail() {
	p.rest, p.failed = nil, true
}

func (p *parser) version() {
	if b := p.bytes(1); len(b) == 0 || b[0] != version {
		p.fail()
	}
}

// number takes a uvarint up to most, in its shortest form.
func (p *parser) number(most uint64) uint64 {
	v, n := binary.Uvarint(p.rest)
	if n <= 0 || v > most || n > 1 && p.rest[n-1] == 0 {
		p.fail()
		return 0
	}
	p.rest = p.rest[n:]
	return v
}

func (p *parser) bytes(n uint64) []byte {
	if n > uint64(len(p.rest)) {
		p.fail()
		return nil
	}
	b := p.rest[:n:n]
	p.rest = p.rest[n:]
	return b
}

var (
	errRoot  = errors.New("fold: damaged root")
	errBlock = errors.New("fold: damaged block")
	errOther = errors.New("fold: the block is not the root's")
)
