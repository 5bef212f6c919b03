package as2

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// notJSON is the reason for refusing what encoding/json also refuses.
const notJSON = "is not JSON"

// readJSON refuses text that is not JSON and Unicode, repeats a name in an object
// or is nested deeper than limit. Its errors name field. encoding/json reports
// neither repeated names nor the order of members nor the bytes of a value, and
// has another limit of depth.
func readJSON(field string, src []byte, limit int) (*jsonText, error) {
	if !jsontext.Unicode(src) {
		return nil, refuse(field, "is not Unicode")
	}
	s := jsonScanner{
		jsonText: &jsonText{text: make([]byte, 0, len(src)), values: make([]jsonValue, 0, 8+len(src)/32)},
		src:      src, field: field, limit: limit,
	}
	if err := s.value(1); err != nil {
		return nil, err
	}
	if s.space(); s.at != len(src) {
		return nil, s.refuse()
	}
	return s.jsonText, nil
}

// jsonScanner reads src from at on and copies it without white space.
type jsonScanner struct {
	*jsonText
	src   []byte
	at    int
	field string
	limit int
}

func (s *jsonScanner) refuse() error { return refuse(s.field, notJSON) }

func tooDeep(field string) error {
	return refuse(field, fmt.Sprintf("is nested more than %d deep as a document", MaxDepth))
}

func (s *jsonScanner) value(depth int) error {
	s.space()
	value := len(s.values)
	s.values = append(s.values, jsonValue{start: int32(len(s.text))})
	var err error
	switch c := s.peek(); c {
	case '{', '[':
		if depth > s.limit {
			return tooDeep(s.field)
		}
		s.depth = max(s.depth, depth)
		err = s.composite(c == '{', depth)
	default:
		err = s.scalar(c)
	}
	if err != nil {
		return err
	}
	s.values[value].end, s.values[value].next = int32(len(s.text)), int32(len(s.values))
	if s.is(value, '{') && s.repeats(value) {
		return refuse(s.field, "has a name twice in one object")
	}
	return nil
}

func (s *jsonScanner) composite(object bool, depth int) error {
	end := byte(']')
	if object {
		end = '}'
	}
	s.copy(1)
	if s.space(); s.peek() == end {
		s.copy(1)
		return nil
	}
	for {
		var key, keyEnd int
		if object {
			s.space()
			key = len(s.text)
			n := stringLength(s.src[s.at:])
			s.copy(n)
			keyEnd = len(s.text)
			if s.space(); n == 0 || s.peek() != ':' {
				return s.refuse()
			}
			s.copy(1)
		}
		child := len(s.values)
		if err := s.value(depth + 1); err != nil {
			return err
		}
		s.values[child].key, s.values[child].keyEnd = int32(key), int32(keyEnd)
		s.space()
		switch s.peek() {
		case end:
			s.copy(1)
			return nil
		case ',':
			s.copy(1)
		default:
			return s.refuse()
		}
	}
}

func (s *jsonScanner) scalar(begin byte) error {
	n, rest := 0, s.src[s.at:]
	switch begin {
	case '"':
		n = stringLength(rest)
	case 't', 'f', 'n':
		for _, literal := range []string{"true", "false", "null"} {
			if bytes.HasPrefix(rest, []byte(literal)) {
				n = len(literal)
			}
		}
	default:
		n = numberLength(rest)
	}
	if n == 0 {
		return s.refuse()
	}
	s.copy(n)
	return nil
}

// peek returns the next byte, 0 at the end. A zero byte is never valid there.
func (s *jsonScanner) peek() byte {
	if s.at == len(s.src) {
		return 0
	}
	return s.src[s.at]
}

func (s *jsonScanner) copy(n int) {
	s.text = append(s.text, s.src[s.at:s.at+n]...)
	s.at += n
}

func (s *jsonScanner) space() {
	for s.at < len(s.src) && (s.src[s.at] == ' ' || s.src[s.at] == '\n' || s.src[s.at] == '\t' || s.src[s.at] == '\r') {
		s.at++
	}
}

// stringLength is the length of the string that src begins with, including its
// quotes; 0 if there is none.
func stringLength(src []byte) int {
	if len(src) == 0 || src[0] != '"' {
		return 0
	}
	for i := 1; i < len(src); i++ {
		switch c := src[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return 0
		case c == '\\':
			n := escapeLength(src[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		}
	}
	return 0
}

func escapeLength(src []byte) int {
	if len(src) < 2 {
		return 0
	}
	switch src[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		for i := 2; i < 6; i++ {
			if i == len(src) || !isDigit(src[i]) && (src[i]|0x20 < 'a' || src[i]|0x20 > 'f') {
				return 0
			}
		}
		return 6
	}
	return 0
}

func numberLength(src []byte) int {
	i := 0
	digits := func() bool {
		start := i
		for i < len(src) && isDigit(src[i]) {
			i++
		}
		return i > start
	}
	next := func(oneOf string) bool {
		if i < len(src) && strings.IndexByte(oneOf, src[i]) >= 0 {
			i++
			return true
		}
		return false
	}
	next("-")
	if !next("0") && !digits() {
		return 0
	}
	if next(".") && !digits() {
		return 0
	}
	if next("eE") {
		if next("+-"); !digits() {
			return 0
		}
	}
	return i
}
