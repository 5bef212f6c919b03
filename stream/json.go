package stream

import (
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// fault is where and why JSON is not what it should be. It holds no data.
type fault struct {
	at     int
	reason string
}

func (f *fault) Error() string { return fmt.Sprintf("%s, at byte %d", f.reason, f.at) }

// scanner reads JSON from left to right. It is stricter than encoding/json:
// names are exact, text is Unicode, and nothing is converted silently.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) fault(reason string) error { return &fault{s.i, reason} }

// next skips white space and returns the byte that follows, 0 at the end.
func (s *scanner) next() byte {
	for ; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// take skips c, if it is next.
func (s *scanner) take(c byte) bool {
	if s.next() != c {
		return false
	}
	s.i++
	return true
}

// word skips text such as null, if it is next.
func (s *scanner) word(text string) bool {
	s.next()
	if len(s.b)-s.i < len(text) || string(s.b[s.i:s.i+len(text)]) != text {
		return false
	}
	s.i += len(text)
	return true
}

// end refuses anything but white space.
func (s *scanner) end() error {
	if s.next(); s.i < len(s.b) {
		return s.fault("more follows the end")
	}
	return nil
}

// object calls field with each name, at its value. Field reads the value.
func (s *scanner) object(field func(name string) error) error {
	if !s.take('{') {
		return s.fault("an object is missing")
	}
	if s.take('}') {
		return nil
	}
	for {
		name, err := s.text()
		if err != nil {
			return err
		}
		if !s.take(':') {
			return s.fault("a colon is missing")
		}
		if err := field(name); err != nil {
			return err
		}
		if s.take('}') {
			return nil
		}
		if !s.take(',') {
			return s.fault("an object does not end")
		}
	}
}

// maxNames is more than the names of any object that fields reads.
const maxNames = 64

// fields is object for an object with a fixed set of names. It refuses a name that
// occurs twice.
func (s *scanner) fields(field func(name string) error) error {
	seen := make([]string, 0, 16)
	return s.object(func(name string) error {
		switch {
		case slices.Contains(seen, name):
			return s.fault(twice)
		case len(seen) == maxNames:
			return s.fault("an object has too many names")
		}
		seen = append(seen, name)
		return field(name)
	})
}

// array calls element at each element, which it reads.
func (s *scanner) array(element func() error) error {
	if !s.take('[') {
		return s.fault("an array is missing")
	}
	if s.take(']') {
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		if s.take(']') {
			return nil
		}
		if !s.take(',') {
			return s.fault("an array does not end")
		}
	}
}

// text reads a string.
func (s *scanner) text() (string, error) {
	if !s.take('"') {
		return "", s.fault("a string is missing")
	}
	start, ascii := s.i, true
	for ; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c == '"':
			text := s.b[start:s.i]
			if !ascii && !utf8.Valid(text) {
				return "", s.fault(notUTF8)
			}
			s.i++
			return string(text), nil
		case c == '\\':
			return s.escaped(start)
		case c < ' ':
			return "", s.fault("a string holds a control character")
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return "", s.fault("a string does not end")
}

// escaped reads the rest of a string from its first backslash on.
func (s *scanner) escaped(start int) (string, error) {
	text := append(make([]byte, 0, s.i-start+64), s.b[start:s.i]...)
	for s.i < len(s.b) {
		c := s.b[s.i]
		switch {
		case c == '"':
			if !utf8.Valid(text) {
				return "", s.fault(notUTF8)
			}
			s.i++
			return string(text), nil
		case c < ' ':
			return "", s.fault("a string holds a control character")
		case c != '\\':
			text = append(text, c)
			s.i++
		default:
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			text = utf8.AppendRune(text, r)
		}
	}
	return "", s.fault("a string does not end")
}

// escape reads an escape sequence.
func (s *scanner) escape() (rune, error) {
	if s.i+1 >= len(s.b) {
		return 0, s.fault("a string does not end")
	}
	c := s.b[s.i+1]
	s.i += 2
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		r, ok := s.hex()
		if !ok {
			return 0, s.fault("an escape is malformed")
		}
		if !utf16.IsSurrogate(r) {
			return r, nil
		}
		if s.i+1 < len(s.b) && s.b[s.i] == '\\' && s.b[s.i+1] == 'u' {
			s.i += 2
			if low, ok := s.hex(); ok {
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					return r, nil
				}
			}
		}
		return 0, s.fault("half a surrogate pair stands alone")
	}
	return 0, s.fault("an escape is malformed")
}

func (s *scanner) hex() (rune, bool) {
	if s.i+4 > len(s.b) {
		return 0, false
	}
	var r rune
	for _, c := range s.b[s.i : s.i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	s.i += 4
	return r, true
}

// number reads a JSON number as it is written.
func (s *scanner) number() (string, error) {
	s.next()
	start := s.i
	for s.i < len(s.b) && (s.b[s.i] >= '0' && s.b[s.i] <= '9' || s.b[s.i] == '-' || s.b[s.i] == '+' || s.b[s.i] == '.' || s.b[s.i] == 'e' || s.b[s.i] == 'E') {
		s.i++
	}
	if _, ok := splitNumber(string(s.b[start:s.i])); !ok {
		return "", s.fault("a number is malformed")
	}
	return string(s.b[start:s.i]), nil
}

// skip reads over a value of any depth, without recursion. It accepts strings that
// text refuses, so that such a string spoils only its own record.
func (s *scanner) skip() error {
	var open []byte // the closing bytes still to come
	for {
		switch c := s.next(); {
		case c == '{':
			s.i++
			if !s.take('}') {
				open = append(open, '}')
				if err := s.skipName(); err != nil {
					return err
				}
				continue
			}
		case c == '[':
			s.i++
			if !s.take(']') {
				open = append(open, ']')
				continue
			}
		case c == '"':
			if err := s.skipText(); err != nil {
				return err
			}
		case s.word("null"), s.word("true"), s.word("false"):
		default:
			if _, err := s.number(); err != nil {
				return err
			}
		}
		for len(open) > 0 && s.take(open[len(open)-1]) {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return nil
		}
		if !s.take(',') {
			return s.fault("an object or array does not end")
		}
		if open[len(open)-1] == '}' {
			if err := s.skipName(); err != nil {
				return err
			}
		}
	}
}

func (s *scanner) skipName() error {
	if err := s.skipText(); err != nil {
		return err
	}
	if !s.take(':') {
		return s.fault("a colon is missing")
	}
	return nil
}

func (s *scanner) skipText() error {
	if !s.take('"') {
		return s.fault("a string is missing")
	}
	for ; s.i < len(s.b); s.i++ {
		switch s.b[s.i] {
		case '\\':
			s.i++
		case '"':
			s.i++
			return nil
		}
	}
	s.i = len(s.b) // a backslash at the end may have led beyond it
	return s.fault("a string does not end")
}

const hexDigits = "0123456789abcdef"

// appendText appends a string in JSON. The text is UTF-8.
func appendText(b []byte, text string) []byte {
	b = append(b, '"')
	start := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		start = i + 1
	}
	b = append(b, text[start:]...)
	return append(b, '"')
}
