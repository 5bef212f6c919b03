package as2

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"

	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// jsonText is a JSON text without white space, and all its values in order.
// Value 0 is the whole text, so as a part 0 means none.
type jsonText struct {
	text   []byte
	values []jsonValue
	depth  int // of the deepest object or array
}

// jsonValue is the position of a value in the text.
type jsonValue struct {
	key, keyEnd int32 // of a member's name, with the quotes
	start, end  int32
	next        int32 // the value that follows its last descendant
}

func (t *jsonText) repeats(object int) bool {
	const few = 16 // comparing so few is faster than hashing
	var first [few][]byte
	var seen map[string]struct{}
	n := 0
	for member, end := t.children(object); member < end; member = t.next(member) {
		key := t.key(member)
		switch {
		case n < few:
			for _, other := range first[:n] {
				if bytes.Equal(other, key) {
					return true
				}
			}
			first[n] = key
		case n == few:
			seen = make(map[string]struct{}, 2*few)
			for _, other := range first {
				seen[string(other)] = struct{}{}
			}
			fallthrough
		default:
			if _, again := seen[string(key)]; again {
				return true
			}
			seen[string(key)] = struct{}{}
		}
		n++
	}
	return false
}

// is reports whether a value begins with this byte: '{' for an object, '[' for
// an array, '"' for a string, 'n' for null.
func (t *jsonText) is(value int, begin byte) bool { return t.text[t.values[value].start] == begin }

// raw returns a value's bytes.
func (t *jsonText) raw(value int) []byte { return t.text[t.values[value].start:t.values[value].end] }

// rawKey returns a member's name as it is written.
func (t *jsonText) rawKey(member int) []byte {
	return t.text[t.values[member].key:t.values[member].keyEnd]
}

func (t *jsonText) key(member int) []byte { return unquote(t.rawKey(member)) }

// string decodes a string. It is empty for other values.
func (t *jsonText) string(value int) string { return string(t.bytes(value)) }

// bytes is string without a copy.
func (t *jsonText) bytes(value int) []byte {
	if !t.is(value, '"') {
		return nil
	}
	return unquote(t.raw(value))
}

func unquote(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	_ = jsontext.Unmarshal(raw, &s) // it is valid
	return []byte(s)
}

// children returns the range of an object's members or an array's elements, for
// a loop with next. It is empty for other values.
func (t *jsonText) children(value int) (first, end int) {
	return value + 1, t.next(value)
}

func (t *jsonText) next(value int) int { return int(t.values[value].next) }

// each returns the range of an array's elements, nothing for null, and the
// value itself for others: in the standard a single value needs no array.
func (t *jsonText) each(value int) (first, end int) {
	switch {
	case t.is(value, '['):
		return t.children(value)
	case t.is(value, 'n'):
		return value, value
	}
	return value, value + 1
}

// member returns the object's member with the name, 0 if there is none.
func (t *jsonText) member(object int, name string) int {
	if t.is(object, '{') {
		for member, end := t.children(object); member < end; member = t.next(member) {
			if string(t.key(member)) == name {
				return member
			}
		}
	}
	return 0
}

// only is member for an object that has no other members; 0 if it has.
func (t *jsonText) only(object int, name string) int {
	member := t.member(object, name)
	if member == 0 || t.next(object) != t.next(object+1) {
		return 0
	}
	return member
}

// digest does not depend on the order of members or on how strings are escaped. The
// activities that name objects by it are stored: after a change a repeat is another
// activity. testdata holds digests.
func (t *jsonText) digest(value int) [sha256.Size]byte {
	begin := t.text[t.values[value].start]
	if begin != '{' && begin != '[' {
		if begin == '"' {
			return digestString(t.bytes(value))
		}
		return sha256.Sum256(t.raw(value))
	}
	var parts [][sha256.Size]byte
	for child, end := t.children(value); child < end; child = t.next(child) {
		part := t.digest(child)
		if begin == '{' {
			key := sha256.Sum256(t.key(child))
			part = sha256.Sum256(append(key[:], part[:]...))
		}
		parts = append(parts, part)
	}
	if begin == '{' {
		slices.SortFunc(parts, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	}
	all := []byte{begin}
	for _, part := range parts {
		all = append(all, part[:]...)
	}
	return sha256.Sum256(all)
}

func digestString(s []byte) [sha256.Size]byte { return sha256.Sum256(append([]byte{'"'}, s...)) }

// appendString writes a string of valid UTF-8, without escaping for HTML.
func appendString(text []byte, s string) []byte {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == '"' || s[i] == '\\' {
			escaped, _ := json.Marshal(s) // never fails for a string
			return append(text, escaped...)
		}
	}
	return append(append(append(text, '"'), s...), '"')
}
