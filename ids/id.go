// Package ids makes the identifiers by which everything in Plaza is sorted. They
// are unique without coordination, and ordered by time both as numbers and as
// text.
//
// An id consists of 41 bits of milliseconds since 2000-01-01 UTC, which last to
// 2069, 8 bits of sequence and 14 bits of machine number. No two processes may
// share a machine number: New takes one from configuration; the package lease
// leases one from a table.
package ids

import (
	"encoding"
	"time"

	"github.com/plaza-sdk/plaza"
)

const (
	sequenceBits = 8
	machineBits  = 14
	timeShift    = sequenceBits + machineBits

	maxID       = ID(1<<63 - 1)
	maxSequence = 1<<sequenceBits - 1
	maxMachine  = 1<<machineBits - 1

	epochMilli = 946684800000 // 2000-01-01 UTC

	textLen  = 13
	alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's base32
)

// ErrInvalid is returned for text that is not an id. It unwraps to
// plaza.ErrInvalid.
var ErrInvalid error = &plaza.InvalidError{
	Field:  "ID",
	Reason: "is not 13 upper-case characters of Crockford base32 within 63 bits",
}

// ID identifies something and says when it happened. Newer ids are greater. The
// zero ID means none: its text is empty, so that JSON and DynamoDB can omit it.
type ID uint64

var (
	_ encoding.TextMarshaler   = ID(0)
	_ encoding.TextUnmarshaler = (*ID)(nil)
)

// Parse returns the id that String wrote. All other text is ErrInvalid,
// including lower case, look-alikes and more than 63 bits. Thirteen zeros are
// the zero ID.
func Parse(s string) (ID, error) {
	return parse(s)
}

func parse[T string | []byte](s T) (ID, error) {
	// A first character above 7 would carry into a 64th bit.
	if len(s) != textLen || s[0] > '7' {
		return 0, ErrInvalid
	}
	var id ID
	for i := range textLen {
		v := digits[s[i]]
		if v < 0 {
			return 0, ErrInvalid
		}
		id = id<<5 | ID(v)
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

// At returns the smallest id of t's millisecond, as a bound of ranges. It is zero
// before 2000 and the greatest id after 2069.
func At(t time.Time) ID {
	switch {
	case t.Before(time.UnixMilli(epochMilli)):
		return 0
	case t.After(maxID.Time()):
		// The rest of the last millisecond is clamped too: nobody will
		// miss the last id of 2069.
		return maxID
	}
	return ID(t.UnixMilli()-epochMilli) << timeShift
}

// Time returns when the id was made, in UTC, to the millisecond.
func (id ID) Time() time.Time {
	return time.UnixMilli(int64(id>>timeShift) + epochMilli).UTC()
}

// String returns 13 characters that sort as the ids do.
func (id ID) String() string {
	var b [textLen]byte
	id.put(&b)
	return string(b[:])
}

// MarshalText returns String, or no text for the zero ID. More than 63 bits are
// ErrInvalid.
func (id ID) MarshalText() ([]byte, error) {
	switch {
	case id == 0:
		return []byte{}, nil
	case id > maxID:
		return nil, ErrInvalid
	}
	b := new([textLen]byte)
	id.put(b)
	return b[:], nil
}

// UnmarshalText parses the text that MarshalText wrote.
func (id *ID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = 0
		return nil
	}
	v, err := parse(text)
	if err != nil {
		return err
	}
	*id = v
	return nil
}

func (id ID) put(b *[textLen]byte) {
	for i := textLen - 1; i >= 0; i-- {
		b[i] = alphabet[id&31]
		id >>= 5
	}
}
