// Package axe checks pages of the examples by the rules of axe-core, which are those of
// WCAG that a program can check.
package axe

import (
	"embed"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

//go:embed *.js*
var files embed.FS

// violation is a rule that a page breaks, and where.
type violation struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// Check fails the test if the page in a window breaks a rule whose impact is serious or
// critical, has two landmarks of one name, or no h1. Without axe-core, which fetch.sh fetches, it skips the test, except in CI.
func Check(t *testing.T, w browsertest.Window) {
	t.Helper()
	report(t, violations(t, w, `{}`))
}

// CheckColors is Check of the rule about contrast alone, for another theme of a page.
func CheckColors(t *testing.T, w browsertest.Window) {
	t.Helper()
	report(t, violations(t, w, `{ runOnly: ["color-contrast"] }`))
}

func report(t *testing.T, found []violation) {
	t.Helper()
	for _, v := range found {
		var where strings.Builder
		for _, node := range v.Nodes {
			fmt.Fprintf(&where, "\n%s\n%s", node.HTML, node.Summary)
		}
		t.Errorf("%s: %s: %s%s", v.Impact, v.ID, v.Help, where.String())
	}
}

// violations runs axe-core with options of its run.
func violations(t *testing.T, w browsertest.Window, options string) []violation {
	t.Helper()
	script, err := files.ReadFile("axe.min.js")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "no axe-core: sh examples/internal/axe/fetch.sh")
		t.Skip("no axe-core: sh examples/internal/axe/fetch.sh")
	}
	w.Do(string(script))
	return browsertest.Eval[[]violation](w, `axe.run(document, { resultTypes: ["violations"], ...`+options+` })
		.then((found) => found.violations.filter((v) => ["serious", "critical"].includes(v.impact) || ["landmark-unique", "page-has-heading-one"].includes(v.id)))`)
}
