package as2

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
)

// jsonText is a JSON text without white space, and all its values in their
// order. The first value is the whole; number 0 never is a part of another.
type jsonText struct {
	text   []byte
	values []jsonValue
	depth  int // of the deepest object or array
}

// jsonValue is where a value lies in its text.
type jsonValue struct {
	key, keyEnd int32 // of a member, with the quotes
	start, end  int32
	next        int32 // the value that follows its last descendant
}

func (t *jsonText) repeats(object int) bool {
	const few = 16 // fewer are compared faster than hashed
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

// is reports whether a value begins like an object '{', an array '[', a
// string '"' or null 'n'.
func (t *jsonText) is(value int, begin byte) bool { return t.text[t.values[value].start] == begin }

// raw is a value's own bytes.
func (t *jsonText) raw(value int) []byte { return t.text[t.values[value].start:t.values[value].end] }

// rawKey is a member's name as it is written.
func (t *jsonText) rawKey(member int) []byte {
	return t.text[t.values[member].key:t.values[member].keyEnd]
}

func (t *jsonText) key(member int) []byte { return unquote(t.rawKey(member)) }

// string is what a string says, and empty for what is none.
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
	_ = json.Unmarshal(raw, &s) // it was found valid
	return []byte(s)
}

// children gives the range of an object's members or an array's elements, to
// be walked with next. Another value has none.
func (t *jsonText) children(value int) (first, end int) {
	return value + 1, t.next(value)
}

func (t *jsonText) next(value int) int { return int(t.values[value].next) }

// each gives the elements of an array, another value itself, and nothing for
// null: the standard writes one value without its array.
func (t *jsonText) each(value int) (first, end int) {
	switch {
	case t.is(value, '['):
		return t.children(value)
	case t.is(value, 'n'):
		return value, value
	}
	return value, value + 1
}

// member finds an object's member; 0 is none.
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

// only finds the member of an object that has no other; 0 is none.
func (t *jsonText) only(object int, name string) int {
	member := t.member(object, name)
	if member == 0 || t.next(object) != t.next(object+1) {
		return 0
	}
	return member
}

// digest is the same for values that differ in the order of members, or in
// how strings are escaped.
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
			escaped, _ := json.Marshal(s) // a string always can be
			return append(text, escaped...)
		}
	}
	return append(append(append(text, '"'), s...), '"')
}
