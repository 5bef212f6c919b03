package danmu

import (
	"cmp"
	"encoding"
	"math"
	"time"

	"github.com/plaza-sdk/plaza"
)

const (
	hashBits   = 5
	uniqueBits = 63
	charBits   = 5

	textLen  = (32 + uniqueBits + hashBits) / charBits
	alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's base32

	maxUnique = 1<<uniqueBits - 1
)

// MaxProgress is the last moment that a comment can have, some 49 days.
const MaxProgress = math.MaxUint32 * time.Millisecond

// ErrInvalidID is returned for text that is no ID. It unwraps to
// plaza.ErrInvalid.
var ErrInvalidID error = &plaza.InvalidError{
	Field:  "ID",
	Reason: "is not 20 upper-case characters of Crockford base32 that belong together",
}

// ID identifies a comment of an object. Its order, as text too, is playback
// order: by Progress, to the millisecond, and always the same among equals. The
// zero ID is none: its text form is empty, so that JSON and DynamoDB can omit
// it.
type ID struct {
	progress uint32 // ms
	rest     uint64 // unique among those of an object
}

var (
	_ encoding.TextMarshaler   = ID{}
	_ encoding.TextUnmarshaler = (*ID)(nil)
)

// at is the smallest ID of a millisecond, which no comment has.
func at(ms uint32) ID { return ID{progress: ms} }

// ParseID reads what String wrote and refuses everything else with
// ErrInvalidID. Twenty zeros are the zero ID.
func ParseID(s string) (ID, error) { return parseID(s) }

func parseID[T string | []byte](s T) (ID, error) {
	if len(s) != textLen {
		return ID{}, ErrInvalidID
	}
	var hi, lo uint64 // 100 bits
	for i := range textLen {
		v := digits[s[i]]
		if v < 0 {
			return ID{}, ErrInvalidID
		}
		hi = hi<<charBits | lo>>(64-charBits)
		lo = lo<<charBits | uint64(v)
	}
	const restHigh = uniqueBits + hashBits - 64 // bits of rest that lie in hi
	id := ID{
		progress: uint32(hi >> restHigh),
		rest:     (hi<<(64-hashBits) | lo>>hashBits) & maxUnique,
	}
	if uint64(id.hash()) != lo&(1<<hashBits-1) {
		return ID{}, ErrInvalidID
	}
	return id, nil
}

var digits = func() (d [256]int8) {
	for i := range d {
		d[i] = -1
	}
	for i := range len(alphabet) {
		d[alphabet[i]] = int8(i)
	}
	return d
}()

// Progress is the playing time of the comment.
func (id ID) Progress() time.Duration { return time.Duration(id.progress) * time.Millisecond }

// Compare is negative where id plays before other, positive where it plays
// after it.
func (id ID) Compare(other ID) int {
	return cmp.Or(cmp.Compare(id.progress, other.progress), cmp.Compare(id.rest, other.rest))
}

// String returns 20 characters whose order is the order of the IDs.
func (id ID) String() string {
	var b [textLen]byte
	id.put(&b)
	return string(b[:])
}

// MarshalText returns the text of String, and none for the zero ID.
func (id ID) MarshalText() ([]byte, error) {
	if id == (ID{}) {
		return []byte{}, nil
	}
	b := new([textLen]byte)
	id.put(b)
	return b[:], nil
}

// UnmarshalText reads what MarshalText wrote.
func (id *ID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = ID{}
		return nil
	}
	v, err := parseID(text)
	if err != nil {
		return err
	}
	*id = v
	return nil
}

func (id ID) put(b *[textLen]byte) {
	hi := uint64(id.progress)<<(uniqueBits+hashBits-64) | id.rest>>(64-hashBits)
	lo := id.rest<<hashBits | uint64(id.hash())
	for i := textLen - 1; i >= 0; i-- {
		b[i] = alphabet[lo&(1<<charBits-1)]
		lo = lo>>charBits | hi<<(64-charBits)
		hi >>= charBits
	}
}

func (id ID) unique() uint64 { return id.rest }

// hash places an ID among the shards, and in the shares of a window: 0 to 31,
// evenly for neighbours too. It never changes.
func (id ID) hash() int {
	x := id.rest
	x = (x ^ x>>33) * 0xFF51AFD7ED558CCD
	x = (x ^ x>>33) * 0xC4CEB9FE1A85EC53
	return int((x ^ x>>33) & (1<<hashBits - 1))
}
