package format

import (
	"bytes"
	"unicode/utf8"
)

// clean gives b without control characters and with U+FFFD for what is no
// UTF-8, and how many bytes that concerned. b itself stays as it is.
func clean(b []byte) ([]byte, int64) {
	if sound(b) {
		return b, 0
	}
	var n int64
	cleaned := bytes.Map(func(r rune) rune {
		if control(r) {
			n++
			return -1
		}
		return r
	}, b)
	for rest := b; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			n++
		}
		rest = rest[size:]
	}
	return cleaned, n
}

// sound tells whether clean changes nothing.
func sound(b []byte) bool {
	for _, c := range b {
		if c < ' ' && control(rune(c)) {
			return false
		}
	}
	return utf8.Valid(b)
}

func control(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }
