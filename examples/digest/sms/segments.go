package sms

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"
)

// The alphabet of GSM 03.38: a character takes one septet, one of the extension two. A
// text with any other character is sent in UCS-2, and less than half as much fits.
const (
	basic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
		"¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	extension = "\f^{}\\[~]|€"
)

// encoding is how much fits into a message, in septets or UTF-16 units.
type encoding struct {
	single, part int // room in a message of one segment, and in each segment of several
	ellipsis     string
	size         func(rune) int
}

var (
	gsm7 = encoding{160, 153, "...", func(r rune) int {
		if strings.ContainsRune(extension, r) {
			return 2
		}
		return 1
	}}
	ucs2 = encoding{70, 67, "…", utf16.RuneLen}
)

func encodingOf(text string) encoding {
	for _, r := range text {
		if !strings.ContainsRune(basic+extension, r) {
			return ucs2
		}
	}
	return gsm7
}

// Segments returns how many segments a text takes.
func Segments(text string) int {
	e := encodingOf(text)
	total, parts, room := 0, 1, e.part
	for _, r := range text {
		size := e.size(r)
		total += size
		if size > room { // no character is split
			parts, room = parts+1, e.part
		}
		room -= size
	}
	if total <= e.single {
		return 1
	}
	return parts
}

// fit cuts a text so that it has at most n segments.
func fit(text string, n int) string {
	runes := []rune(text)
	if most := n * gsm7.single; len(runes) > most { // in any encoding
		runes = runes[:most]
	} else if Segments(text) <= n {
		return text
	}
	end := sort.Search(len(runes), func(i int) bool { return Segments(cut(runes[:i+1])) > n })
	return cut(runes[:end])
}

// cut marks a text that does not end here.
func cut(runes []rune) string {
	kept := strings.TrimRightFunc(string(runes), joins)
	return kept + encodingOf(kept).ellipsis
}

// joins reports whether a character needs the next one.
func joins(r rune) bool { return unicode.IsSpace(r) || r == '\u200d' || r == '\ufe0f' }

// clean removes control characters except line breaks, including those that change the
// direction of text.
func clean(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(text, "?")))
}
