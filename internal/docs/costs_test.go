// Package docs_test compares the documentation with the code.
package docs_test

import (
	"flag"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls"
)

var write = flag.Bool("write", false, "write the tables of docs/costs.md and docs/aws.md")

const (
	root  = "../.."
	costs = "../../docs/costs.md"
)

func TestCostsAreThoseOfTheComments(t *testing.T) {
	t.Parallel()
	all, err := calls.Find(root)
	require.NoError(t, err)
	for _, c := range all {
		assert.NotEmpty(t, c.Cost, "%s has no paragraph \"Cost: …\" at the end of its comment", c.Operation())
		assert.True(t, c.Cost == "" || strings.HasSuffix(c.Cost, "."), "the cost of %s has no full stop", c.Operation())
	}
	text, err := os.ReadFile(costs)
	require.NoError(t, err)
	head, _, _ := strings.Cut(string(text), "\n## ")
	want := strings.TrimRight(head, "\n") + "\n" + tables(all)
	if *write {
		require.NoError(t, os.WriteFile(costs, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "go test ./internal/docs -write brings docs/costs.md up to date")
}

func tables(all []calls.Call) string {
	var b strings.Builder
	before := ""
	for _, c := range all {
		if c.Package != before {
			before = c.Package
			b.WriteString("\n## " + c.Package + "\n\n| call | cost |\n|---|---|\n")
		}
		b.WriteString("| " + path.Base(c.Package) + "." + c.Name + " | " + strings.ReplaceAll(c.Cost, "|", `\|`) + " |\n")
	}
	return b.String()
}
