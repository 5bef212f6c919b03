package danmu

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// FilterRules are what a viewer does not want to see: a comment that matches any
// rule is blocked. There may be 1,000 of each kind.
type FilterRules struct {
	Words    []string // anywhere in the text, whatever the case
	Patterns []string // of package regexp, anywhere in the text
	Users    []string
	Modes    []Mode
	Colors   []Color // the zero Color matches comments without one
}

const (
	maxRules = 1000
	maxRule  = 1024 // bytes of a word or pattern
)

// Filter is compiled FilterRules. A nil Filter blocks nothing. It is safe for
// concurrent use.
type Filter struct {
	words    []string // in lower case
	patterns []*regexp.Regexp
	users    map[string]bool
	modes    map[Mode]bool
	colors   map[Color]bool
}

// NewFilter compiles rules. A pattern that is not a regular expression is a
// plaza.InvalidError that names it.
func NewFilter(rules FilterRules) (*Filter, error) {
	for _, kind := range []struct {
		field string
		rules int
	}{
		{"Words", len(rules.Words)},
		{"Patterns", len(rules.Patterns)},
		{"Users", len(rules.Users)},
		{"Modes", len(rules.Modes)},
		{"Colors", len(rules.Colors)},
	} {
		if err := args.Count(kind.field, kind.rules, "rules", maxRules); err != nil {
			return nil, err
		}
	}
	f := &Filter{users: setOf(rules.Users), modes: setOf(rules.Modes), colors: setOf(rules.Colors)}
	for i, word := range rules.Words {
		if err := checkRule("Words", i, word); err != nil {
			return nil, err
		}
		f.words = append(f.words, strings.ToLower(word))
	}
	for i, pattern := range rules.Patterns {
		if err := checkRule("Patterns", i, pattern); err != nil {
			return nil, err
		}
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return nil, &plaza.InvalidError{Field: fmt.Sprintf("Patterns[%d]", i), Reason: patternReason(err)}
		}
		f.patterns = append(f.patterns, compiled)
	}
	if err := keys.CheckNames("Users", rules.Users); err != nil {
		return nil, err
	}
	return f, nil
}

func checkRule(field string, i int, rule string) error {
	field = fmt.Sprintf("%s[%d]", field, i)
	switch {
	case rule == "":
		return &plaza.InvalidError{Field: field, Reason: "is empty"}
	case !utf8.ValidString(rule):
		return &plaza.InvalidError{Field: field, Reason: "is not UTF-8"}
	}
	return args.Count(field, len(rule), "bytes", maxRule)
}

// patternReason describes the mistake in a pattern without showing its text.
func patternReason(err error) string {
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		return "is not a regular expression: " + wrong.Code.String()
	}
	return "is not a regular expression"
}

func setOf[T comparable](values []T) map[T]bool {
	set := make(map[T]bool, len(values))
	for _, v := range values {
		set[v] = true
	}
	return set
}

// Blocks reports whether a rule matches c.
func (f *Filter) Blocks(c Comment) bool {
	switch {
	case f == nil:
		return false
	case f.modes[c.Mode], f.colors[c.Color], c.User != "" && f.users[c.User]:
		return true
	}
	if len(f.words) > 0 {
		text := strings.ToLower(c.Text)
		for _, word := range f.words {
			if strings.Contains(text, word) {
				return true
			}
		}
	}
	for _, pattern := range f.patterns {
		if pattern.MatchString(c.Text) {
			return true
		}
	}
	return false
}
