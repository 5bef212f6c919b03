package as2

import (
	"bytes"
	"strings"
	"time"
)

// isIRI reports whether text is an absolute IRI. It checks the scheme and the
// characters of RFC 3987.
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

// isLanguage reports whether a tag is well-formed by RFC 5646.
func isLanguage(tag string) bool {
	tag = strings.ToLower(tag)
	switch tag { // the irregular grandfathered tags
	case "en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux", "i-mingo",
		"i-navajo", "i-pwn", "i-tao", "i-tay", "i-tsu", "sgn-be-fr", "sgn-be-nl", "sgn-ch-de":
		return true
	}
	rest := strings.Split(tag, "-")
	for _, sub := range rest {
		if !isSubtag(sub, 1, 8, isDigit, isLetter) {
			return false
		}
	}
	// take drops up to n leading subtags that fit.
	take := func(n int, fits func(string) bool) (taken int) {
		for taken < n && len(rest) > 0 && fits(rest[0]) {
			rest, taken = rest[1:], taken+1
		}
		return taken
	}
	letters := func(low, high int) func(string) bool {
		return func(sub string) bool { return isSubtag(sub, low, high, isLetter) }
	}
	atLeast := func(low int) func(string) bool {
		return func(sub string) bool { return len(sub) >= low }
	}
	if rest[0] != "x" {
		if short := take(1, letters(2, 3)) == 1; short {
			take(3, letters(3, 3)) // extended languages
		} else if take(1, letters(4, 8)) == 0 {
			return false
		}
		take(1, letters(4, 4)) // script
		if take(1, letters(2, 2)) == 0 {
			take(1, func(sub string) bool { return isSubtag(sub, 3, 3, isDigit) }) // region
		}
		take(len(rest), func(variant string) bool {
			return len(variant) >= 5 || len(variant) == 4 && isDigit(variant[0])
		})
		for len(rest) > 0 && len(rest[0]) == 1 && rest[0] != "x" { // extensions
			rest = rest[1:]
			if take(len(rest), atLeast(2)) == 0 {
				return false
			}
		}
	}
	if take(1, func(sub string) bool { return sub == "x" }) == 1 { // private use
		return take(len(rest), atLeast(1)) > 0
	}
	return len(rest) == 0
}

func isSubtag(sub string, low, high int, classes ...func(byte) bool) bool {
	if len(sub) < low || len(sub) > high {
		return false
	}
	for i := range len(sub) {
		ok := false
		for _, in := range classes {
			ok = ok || in(sub[i])
		}
		if !ok {
			return false
		}
	}
	return true
}

// parseTime parses the standard's date-time: that of RFC 3339 with an
// upper-case T and Z, where the seconds are optional. It truncates fractions to
// nanoseconds. Package time accepts other forms too, and refuses leap seconds
// and missing ones.
func parseTime(text []byte) (time.Time, bool) {
	const minutes = "0000-00-00T00:00"
	if len(text) <= len(minutes) || !hasShape(text[:len(minutes)], minutes) {
		return time.Time{}, false
	}
	year, month, day := timeDigits(text[:4]), timeDigits(text[5:7]), timeDigits(text[8:10])
	hour, minute, second := timeDigits(text[11:13]), timeDigits(text[14:16]), 0
	rest := text[len(minutes):]
	if len(rest) >= 3 && hasShape(rest[:3], ":00") {
		second, rest = timeDigits(rest[1:3]), rest[3:]
	}
	nanosecond, rest, ok := timeFraction(rest)
	offset, isOffset := timeOffset(rest)
	if !ok || !isOffset || hour > 23 || minute > 59 || second > 60 {
		return time.Time{}, false
	}
	at := time.Date(year, time.Month(month), day, hour, minute, min(second, 59), nanosecond, time.UTC)
	if at.Month() != time.Month(month) {
		return time.Time{}, false // no such day or month
	}
	at = at.Add(-offset)
	if second == 60 {
		if at.Hour() != 23 || at.Minute() != 59 {
			return time.Time{}, false // no leap second at this time
		}
		at = at.Add(time.Second)
	}
	return at, true
}

// timeFraction parses an optional fraction, which begins with a point.
func timeFraction(text []byte) (nanoseconds int, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '.' {
		return 0, text, true
	}
	n, unit := 1, int(100*time.Millisecond)
	for ; n < len(text) && isDigit(text[n]); n++ {
		nanoseconds += int(text[n]-'0') * unit
		unit /= 10
	}
	return nanoseconds, text[n:], n > 1
}

func timeOffset(text []byte) (time.Duration, bool) {
	if string(text) == "Z" {
		return 0, true
	}
	if !hasShape(text, "+00:00") && !hasShape(text, "-00:00") {
		return 0, false
	}
	hours, minutes := timeDigits(text[1:3]), timeDigits(text[4:])
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if text[0] == '-' {
		offset = -offset
	}
	return offset, hours <= 23 && minutes <= 59
}

// hasShape reports whether text equals shape with any digits for its zeros.
func hasShape(text []byte, shape string) bool {
	if len(text) != len(shape) {
		return false
	}
	for i, c := range text {
		if c != shape[i] && (shape[i] != '0' || !isDigit(c)) {
			return false
		}
	}
	return true
}

func timeDigits(digits []byte) (n int) {
	for _, c := range digits {
		n = 10*n + int(c-'0')
	}
	return n
}

// publishedText is the time as the standard writes it.
func publishedText(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}
