package format

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza/danmu"
)

// text is a text from a file: bytes of the input, or a copy.
type text interface{ string | []byte }

// named returns a name from a file, where "0" means none.
func named(s string) string {
	if s == "0" {
		return ""
	}
	return s
}

const maxSent = 253402300799 // the last second of the year 9999

// parseProgress reads a playing time in the unit, to the nearest millisecond.
func parseProgress[T text](s T, unit time.Duration) (time.Duration, error) {
	const field = "Progress"
	perUnit := int64(unit / time.Millisecond)
	if n, scale, ok := parseDecimal(s); ok && n < 1e12 {
		ms := (n*perUnit + scale/2) / scale
		if ms > int64(danmu.MaxProgress/time.Millisecond) {
			return 0, refuse(field, "is too late")
		}
		return time.Duration(ms) * time.Millisecond, nil
	}
	if strings.ContainsFunc(string(s), func(r rune) bool { return !strings.ContainsRune("0123456789+-.eE", r) }) {
		return 0, refuse(field, "is not a number") // nor are "inf" and hexadecimal
	}
	f, err := strconv.ParseFloat(string(s), 64)
	if err != nil {
		return 0, refuse(field, "is not a number")
	}
	ms := math.Round(f * float64(perUnit))
	if f < 0 || ms > float64(danmu.MaxProgress/time.Millisecond) {
		return 0, refuse(field, "is negative or too late")
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// parseDecimal reads "1068.76000", as files most often have it, as n/scale.
func parseDecimal[T text](s T) (n, scale int64, ok bool) {
	if len(s) > 18 {
		return 0, 0, false
	}
	point := len(s)
	scale = 1
	for i := range len(s) {
		digit := s[i] - '0'
		switch {
		case digit <= 9:
			n = 10*n + int64(digit)
			if i > point {
				scale *= 10
			}
		case s[i] == '.' && i > 0 && point == len(s):
			point = i
		default:
			return 0, 0, false
		}
	}
	return n, scale, len(s) > 0 && point != len(s)-1
}

// appendSeconds writes a playing time in seconds, with only the decimals that it needs.
func appendSeconds(dst []byte, d time.Duration) []byte {
	ms := d.Milliseconds()
	dst = strconv.AppendInt(dst, ms/1000, 10)
	if ms %= 1000; ms == 0 {
		return dst
	}
	decimals := strconv.Itoa(int(1000 + ms))[1:]
	return append(append(dst, '.'), strings.TrimRight(decimals, "0")...)
}

// parseInt reads a whole number of at most 31 bits. Its guess of "25.0" is 25.
func parseInt[T text](s T) (int, bool) {
	digits, sign := s, 1
	if len(s) > 0 && s[0] == '-' {
		digits, sign = s[1:], -1
	}
	n, ok := parseWhole(digits)
	if n < 0 || n > math.MaxInt32 {
		return 0, false
	}
	return sign * int(n), ok
}

// parseNatural is parseInt for a number that is not negative.
func parseNatural[T text](s T) (int, bool) {
	n, ok := parseInt(s)
	return max(0, n), ok && n >= 0
}

// parseWhole is parseDigits with a guess, or with -1 if there is none.
func parseWhole[T text](s T) (n int64, ok bool) {
	if n, ok = parseDigits(s); ok {
		return n, true
	}
	whole, fraction, _ := strings.Cut(string(s), ".")
	if n, ok = parseDigits(whole); ok && strings.Trim(fraction, "0") == "" {
		return n, false
	}
	return -1, false
}

// parseDigits reads a whole number of at most 18 digits.
func parseDigits[T text](s T) (n int64, ok bool) {
	if len(s) == 0 || len(s) > 18 {
		return 0, false
	}
	for i := range len(s) {
		digit := s[i] - '0'
		if digit > 9 {
			return 0, false
		}
		n = 10*n + int64(digit)
	}
	return n, true
}

// parseSent reads seconds since 1970. 0 means unknown.
func parseSent[T text](s T) (time.Time, bool) {
	switch n, ok := parseWhole(s); {
	case n < 0 || n > maxSent:
		return time.Time{}, false
	case n == 0:
		return time.Time{}, ok
	default:
		return time.Unix(n, 0).UTC(), ok
	}
}

// parseRFC3339 reads a time of the years 1970 to 9999.
func parseRFC3339(s string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || t.Unix() < 0 || t.Unix() > maxSent {
		return time.Time{}, false
	}
	return t.UTC().Truncate(time.Millisecond), true
}

// unixSeconds is the inverse of parseSent.
func unixSeconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// clean returns b without control characters and with U+FFFD for invalid UTF-8, and the
// number of these bytes. It does not change b.
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

// sound reports whether clean would change nothing.
func sound(b []byte) bool {
	for _, c := range b {
		if c < ' ' && control(rune(c)) {
			return false
		}
	}
	return utf8.Valid(b)
}

func control(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }
