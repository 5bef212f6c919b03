package feed

import "time"

// parseAS2Time reads the standard's date-time: RFC 3339's with an upper-case
// T and Z, whose seconds may be missing. Of a fraction it keeps nanoseconds.
// Package time takes more, and neither leap seconds nor missing ones.
func parseAS2Time(text []byte) (time.Time, bool) {
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
		return time.Time{}, false // it has no such day, or there is no such month
	}
	at = at.Add(-offset)
	if second == 60 {
		if at.Hour() != 23 || at.Minute() != 59 {
			return time.Time{}, false // no leap second is there
		}
		at = at.Add(time.Second)
	}
	return at, true
}

// timeFraction reads nanoseconds where they begin with a point.
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

// hasShape reports whether text is shape with other digits for its zeros.
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
