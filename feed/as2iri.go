package feed

import "bytes"

// isIRI reports whether text is an absolute IRI, as far as the characters of
// RFC 3987 and the scheme tell.
func isIRI(text []byte) bool {
	colon := bytes.IndexByte(text, ':')
	if colon <= 0 || colon == len(text)-1 || !isLetter(text[0]) {
		return false
	}
	for _, c := range text[:colon] {
		if !isLetter(c) && !isDigit(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return hasIRICharacters(text[colon:])
}

// isReference reports whether text is an IRI or a relative reference.
func isReference(text []byte) bool {
	if isIRI(text) {
		return true
	}
	segment := text
	if end := bytes.IndexAny(text, "/?#"); end >= 0 {
		segment = text[:end]
	}
	return len(text) > 0 && bytes.IndexByte(segment, ':') < 0 && hasIRICharacters(text)
}

func hasIRICharacters(text []byte) bool {
	for _, r := range string(text) {
		switch {
		case r <= ' ', r >= 0x7f && r < 0xa0, r >= 0xfff0 && r <= 0xffff:
			return false
		case r == '<', r == '>', r == '"', r == '{', r == '}', r == '|', r == '\\', r == '^', r == '`':
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
