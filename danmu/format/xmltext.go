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
func (r *Reader) xmlText(b []byte) string {
	if plain(b) {
		return string(b)
	}
	text, repaired := decodeXML(string(b))
	r.stats.Repaired += repaired
	return text
}

func decodeXML(s string) (decoded string, repaired int64) {
	var text strings.Builder
	cdata, note := opened{enclosure: cdata}, opened{enclosure: note}
	for {
		n := strings.IndexAny(s, "&<\r\uFFFE\uFFFF")
		if n < 0 {
			text.WriteString(s)
			return text.String(), repaired
		}
		text.WriteString(s[:n])
		s = s[n:]
		if inside, rest, ok := cdata.cut(s); ok {
			s = rest
			for _, r := range inside {
				if xmlChar(r) {
					text.WriteRune(r)
				} else {
					repaired += int64(utf8.RuneLen(r))
				}
			}
			continue
		}
		if _, rest, ok := note.cut(s); ok {
			s = rest
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

// appendContent writes the text of a record and its end tag.
func appendContent(dst []byte, text, end string) ([]byte, error) {
	begin := len(dst)
	if dst = appendText(dst, text); len(dst) == begin {
		return nil, refuse("Text", "has no character that XML has")
	}
	return append(append(dst, end...), '\n'), nil
}

// eachAttribute calls visit for each attribute. The values are not decoded.
func eachAttribute(b []byte, visit func(name, value []byte) error) error {
	for {
		name, value, rest, err := nextAttribute(b)
		if err != nil || name == nil {
			return err
		}
		if err := visit(name, value); err != nil {
			return err
		}
		b = rest
	}
}

// nextAttribute returns the first attribute. name is nil if there is none.
func nextAttribute(b []byte) (name, value, rest []byte, err error) {
	const field = "Attributes"
	for len(b) > 0 && (space(b[0]) || b[0] == '/') {
		b = b[1:]
	}
	if len(b) == 0 {
		return nil, nil, nil, nil
	}
	n := bytes.IndexByte(b, '=')
	if n < 0 {
		return nil, nil, nil, refuse(field, "have one without a value")
	}
	name = bytes.TrimSpace(b[:n])
	if !isName(name) {
		return nil, nil, nil, refuse(field, "have one without a name")
	}
	b = bytes.TrimSpace(b[n+1:])
	if len(b) == 0 || b[0] != '"' && b[0] != '\'' {
		return nil, nil, nil, refuse(field, "have one without quotes")
	}
	value, rest, ok := bytes.Cut(b[1:], b[:1])
	if !ok {
		return nil, nil, nil, refuse(field, "have one without an end")
	}
	return name, value, rest, nil
}

func isName[T text](s T) bool {
	if len(s) == 0 || !nameStart(s[0]) {
		return false
	}
	for i := range len(s) {
		if !nameByte(s[i]) {
			return false
		}
	}
	return true
}
