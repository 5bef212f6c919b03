// Package slug makes parts of addresses from names.
package slug

import (
	"strings"
	"unicode"
)

// Of returns a name's letters and digits, of any script, with hyphens between words. Without
// any it is "".
func Of(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }), "-")
}
