package main

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
)

// visible writes characters that a terminal would obey, such as those of C1 and those that
// change the direction of text, as JSON escapes. It passes ASCII on.
type visible struct{ out io.Writer }

func (v visible) Write(b []byte) (int, error) {
	if _, err := v.out.Write(escaped(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r < unicode.MaxASCII || unicode.IsPrint(r) {
			out = append(out, string(r)...)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}
