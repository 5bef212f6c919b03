package format

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// xmlText decodes text between tags or in quotes, and counts the bytes that are not XML.
// These stay as they are, except for characters that XML does not allow, which are
// dropped.
func xmlText(b []byte) (string, int64) {
	if plain(b) {
		return string(b), 0
	}
	var text strings.Builder
	var repaired int64
	cdata, note := opened{enclosure: cdata}, opened{enclosure: note}
	for s := string(b); ; {
		n := strings.IndexAny(s, "&<\r\uFFFE\uFFFF")
		if n < 0 {
			text.WriteString(s)
			return text.String(), repaired
		}
		text.WriteString(s[:n])
		s = s[n:]
		if inside, behind, ok := cdata.cut(s); ok {
			s = behind
			for _, r := range inside {
				if xmlChar(r) {
					text.WriteRune(r)
				} else {
					repaired += int64(utf8.RuneLen(r))
				}
			}
			continue
		}
		if _, behind, ok := note.cut(s); ok {
			s = behind
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		stray := true
		switch r {
		case '&':
			if ref, n := reference(s); n > 0 {
				r, size, stray = ref, n, !xmlChar(ref)
			}
		case '\r': // an end of line is "\n"
			if stray = false; strings.HasPrefix(s, "\r\n") {
				size = 2
			}
			r = '\n'
		}
		if stray {
			repaired += int64(size)
		}
		if xmlChar(r) {
			text.WriteRune(r)
		}
		s = s[size:]
	}
}

// plain reports whether b is the same when decoded.
func plain(b []byte) bool {
	return bytes.IndexByte(b, '&') < 0 && bytes.IndexByte(b, '<') < 0 && bytes.IndexByte(b, '\r') < 0 &&
		(bytes.IndexByte(b, "\uFFFE"[0]) < 0 || !bytes.Contains(b, []byte("\uFFFE")) && !bytes.Contains(b, []byte("\uFFFF")))
}

// reference decodes the entity or character reference at the beginning of s. It also
// returns its length, or 0 if there is none.
func reference(s string) (rune, int) {
	name, _, ok := strings.Cut(s[1:min(len(s), 12)], ";")
	if !ok {
		return 0, 0
	}
	size := len(name) + 2
	switch name {
	case "lt":
		return '<', size
	case "gt":
		return '>', size
	case "amp":
		return '&', size
	case "quot":
		return '"', size
	case "apos":
		return '\'', size
	}
	digits, ok := strings.CutPrefix(name, "#")
	base := 10
	if hex, is := strings.CutPrefix(digits, "x"); is {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if !ok || err != nil {
		return 0, 0
	}
	return rune(min(n, utf8.MaxRune+1)), size
}

// xmlChar reports whether XML allows the character.
func xmlChar(r rune) bool {
	return !control(r) && r != 0xFFFE && r != 0xFFFF && utf8.ValidRune(r)
}

// appendText writes text between tags, without characters that XML does not allow.
func appendText(dst []byte, text string) []byte {
	for _, r := range text {
		switch {
		case r == '&':
			dst = append(dst, "&amp;"...)
		case r == '<':
			dst = append(dst, "&lt;"...)
		case r == '>':
			dst = append(dst, "&gt;"...)
		case r == '\r': // unescaped, it would be read as "\n"
			dst = append(dst, "&#13;"...)
		case xmlChar(r):
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// appendQuoted is appendText for text in double quotes.
func appendQuoted(dst []byte, text string) []byte {
	for i := strings.IndexAny(text, "\"\n\t"); i >= 0; i = strings.IndexAny(text, "\"\n\t") {
		dst = appendText(dst, text[:i])
		dst = append(strconv.AppendInt(append(dst, "&#"...), int64(text[i]), 10), ';')
		text = text[i+1:]
	}
	return appendText(dst, text)
}
