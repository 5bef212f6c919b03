// Package keys joins the parts of a table key so that different parts never make
// the same key, and checks the opaque names in them.
package keys

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
)

// MaxName is the longest user id, object id or board name, in bytes.
const MaxName = 256

var escape = strings.NewReplacer(`\`, `\\`, `#`, `\#`)

// Join joins parts with '#' and escapes it inside them, so that it is injective. A
// key is at most twice as long as its parts, plus one byte for each.
func Join(parts ...string) string {
	size := len(parts)
	for _, part := range parts {
		size += len(part)
	}
	var b strings.Builder
	b.Grow(size)
	for i, part := range parts {
		if i > 0 {
			b.WriteByte('#')
		}
		if strings.IndexByte(part, '\\') >= 0 || strings.IndexByte(part, '#') >= 0 { // ContainsAny takes longer
			part = escape.Replace(part)
		}
		b.WriteString(part)
	}
	return b.String()
}

// Split undoes Join.
func Split(key string) []string {
	if !strings.ContainsRune(key, '\\') {
		return strings.Split(key, "#")
	}
	var parts []string
	var part strings.Builder
	for i := 0; i < len(key); i++ {
		switch {
		case key[i] == '#':
			parts = append(parts, part.String())
			part.Reset()
			continue
		case key[i] == '\\' && i+1 < len(key):
			i++
		}
		part.WriteByte(key[i])
	}
	return append(parts, part.String())
}

// CheckName returns a *plaza.InvalidError for field unless name is 1 to
// MaxName bytes of UTF-8.
func CheckName(field, name string) error {
	if reason := flaw(name); reason != "" {
		return &plaza.InvalidError{Field: field, Reason: reason}
	}
	return nil
}

// CheckPart is CheckName for a part of a field, as in "Actor.Kind". The field's text
// is made only for an error; it would take longer than the check.
func CheckPart(field, part, name string) error {
	if reason := flaw(name); reason != "" {
		return &plaza.InvalidError{Field: field + "." + part, Reason: reason}
	}
	return nil
}

// CheckNames is CheckName for each of names, as in "Users[2]".
func CheckNames(field string, names []string) error {
	for i, name := range names {
		if reason := flaw(name); reason != "" {
			return &plaza.InvalidError{Field: fmt.Sprintf("%s[%d]", field, i), Reason: reason}
		}
	}
	return nil
}

// CheckSet is CheckNames, and also refuses duplicates.
func CheckSet(field string, names []string) error {
	if err := CheckNames(field, names); err != nil {
		return err
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return &plaza.InvalidError{Field: fmt.Sprintf("%s[%d]", field, i), Reason: "is there twice"}
		}
	}
	return nil
}

// flaw says why something is not a name.
func flaw(name string) (reason string) {
	switch {
	case name == "":
		return "is empty"
	case len(name) > MaxName:
		return fmt.Sprintf("has %d bytes, at most %d are allowed", len(name), MaxName)
	case !utf8.ValidString(name):
		return "is not UTF-8"
	}
	return ""
}
