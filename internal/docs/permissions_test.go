package docs_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/grants"
)

const (
	permissions = "../../docs/aws.md"
	tableOfThem = "| feature | role | its calls | its actions |\n|---|---|---|---|\n"
)

func TestPermissionsAreThoseOfTheList(t *testing.T) {
	t.Parallel()
	before, rest, ok := strings.Cut(read(t, permissions), tableOfThem)
	require.True(t, ok, "docs/aws.md has no table of permissions")
	_, after, _ := strings.Cut(rest, "\n\n")
	upToDate(t, permissions, before+tableOfThem+roles()+"\n"+after)
}

// roles has a row for each role of each feature.
func roles() string {
	var b strings.Builder
	for _, feature := range grants.Features() {
		for _, role := range grants.Roles() {
			of := grants.Of(feature, role)
			if of == nil {
				continue
			}
			b.WriteString("| " + strings.Join([]string{feature, string(role), namesOf(feature, role), actionsOf(feature, of)}, " | ") + " |\n")
		}
	}
	return b.String()
}

// namesOf returns the calls that a role adds.
func namesOf(feature string, role grants.Role) string {
	var names []string
	for operation, c := range grants.Calls() {
		if c.Feature != feature || c.Role != role {
			continue
		}
		in, name, _ := strings.Cut(operation, ".")
		name = strings.TrimPrefix(name, "Repository.")
		if path.Base(in) != feature {
			name = path.Base(in) + "." + name
		}
		if !strings.HasSuffix(name, "Verify") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	switch text := strings.Join(names, ", "); {
	case role != grants.Service || grants.Of(feature, grants.Reader) == nil:
		return text
	default:
		return "the reader's, " + text
	}
}

// actionsOf leaves out what Verify needs of each table.
func actionsOf(feature string, of []grants.Grant) string {
	var parts []string
	for _, g := range of {
		actions := slices.DeleteFunc(slices.Clone(g.Actions), func(a string) bool { return strings.HasPrefix(a, "DescribeT") })
		text := "`" + strings.Join(actions, "`, `") + "`"
		switch {
		case g.Feature == grants.EachStream:
			text = "on each stream: " + text
		case g.Stream:
			text = "on its stream: " + text
		case g.Feature != feature:
			text = "on the table of " + g.Feature + ": " + text
		case g.Index != "":
			text = "on `index/" + g.Index + "`: " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
