package feed

import "strings"

// isLanguage reports whether a tag is well-formed by RFC 5646.
func isLanguage(tag string) bool {
	tag = strings.ToLower(tag)
	switch tag { // the grandfathered ones that are irregular
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
	// take drops up to n subtags in front that fit.
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
