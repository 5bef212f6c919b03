package danmu

import (
	"cmp"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

const (
	hashBits   = 5
	uniqueBits = 63
	charBits   = 5

	textLen  = (32 + uniqueBits + hashBits) / charBits
	alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's base32

	maxUnique = 1<<uniqueBits - 1
)

// ErrInvalidID is returned for a text that is not an ID. It unwraps to
// plaza.ErrInvalid.
var ErrInvalidID error = &plaza.InvalidError{
	Field:  "ID",
	Reason: "is not 20 upper-case characters of Crockford base32 with the right check bits",
}

// ID identifies a comment of an object. IDs, and their texts, sort in playing
// order: by Progress, and in a fixed order where that is equal. The zero ID means
// none; its text is empty, so that JSON and DynamoDB can omit it.
type ID struct {
	progress uint32 // ms
	rest     uint64 // unique within an object
}

var (
	_ encoding.TextMarshaler   = ID{}
	_ encoding.TextUnmarshaler = (*ID)(nil)
)

// at returns the smallest ID of a millisecond. No comment has it.
func at(ms uint32) ID { return ID{progress: ms} }

func newID(progress time.Duration, unique uint64) ID {
	return ID{progress: uint32(progress / time.Millisecond), rest: unique}
}

// keyed returns the ID that follows from the User and the Key. IDs are stored: a change
// of the hash stores repeats across an upgrade again.
func (c Comment) keyed() ID {
	sum := sha256.Sum256([]byte(keys.Join(c.Object, c.User, c.Key)))
	return newID(c.Progress, binary.BigEndian.Uint64(sum[:])&maxUnique)
}

// ParseID reads what String wrote. Anything else is ErrInvalidID. Twenty zeros
// are the zero ID.
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
	const restHigh = uniqueBits + hashBits - 64 // bits of rest that are in hi
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

// Progress returns the playing time of the comment.
func (id ID) Progress() time.Duration { return time.Duration(id.progress) * time.Millisecond }

// Compare returns a negative number if id plays before other, and a positive one
// if it plays after other.
func (id ID) Compare(other ID) int {
	return cmp.Or(cmp.Compare(id.progress, other.progress), cmp.Compare(id.rest, other.rest))
}

// String returns 20 characters that sort like the IDs.
func (id ID) String() string {
	var b [textLen]byte
	id.put(&b)
	return string(b[:])
}

// MarshalText returns the text of String, or an empty one for the zero ID.
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

// hash returns 0 to 31, evenly spread even among neighbours. It chooses the shard of a
// comment and the samples that contain it, so it must never change.
func (id ID) hash() int {
	x := id.rest
	x = (x ^ x>>33) * 0xFF51AFD7ED558CCD
	x = (x ^ x>>33) * 0xC4CEB9FE1A85EC53
	return int((x ^ x>>33) & (1<<hashBits - 1))
}
