// Package jsontext checks JSON as bytes. encoding/json replaces what is not Unicode by
// U+FFFD and says nothing, so that two names could become one.
package jsontext

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
)

// Unicode reports whether encoding/json keeps all characters of a JSON text: it is UTF-8,
// and no escape is half of a surrogate pair.
func Unicode(text []byte) bool {
	if !utf8.Valid(text) {
		return false
	}
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 || at+1 == len(text) {
			return true
		}
		unit, ok := escape(text[at:])
		if !ok {
			text = text[at+2:]
			continue
		}
		text = text[at+6:]
		if !utf16.IsSurrogate(unit) {
			continue
		}
		low, ok := escape(text)
		if !ok || utf16.DecodeRune(unit, low) == utf8.RuneError {
			return false
		}
		text = text[6:]
	}
}

// escape reads a \uXXXX at the beginning of text.
func escape(text []byte) (unit rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}

// Valid reports whether text is JSON and Unicode.
func Valid(text []byte) bool { return Unicode(text) && json.Valid(text) }

// Unmarshal is json.Unmarshal of a text that is Unicode. Any other is plaza.ErrInvalid.
func Unmarshal(text []byte, v any) error {
	if !Unicode(text) {
		return &plaza.InvalidError{Field: "JSON", Reason: "is not Unicode"}
	}
	return json.Unmarshal(text, v)
}
