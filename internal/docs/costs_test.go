// Package docs_test compares the documentation with the code.
package docs_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls"
	"github.com/plaza-sdk/plaza/meter"
)

var write = flag.Bool("write", false, "write the tables of docs/costs.md, docs/aws.md, docs/engines.md and docs/design/adoption.md")

const (
	root  = "../.."
	costs = "../../docs/costs.md"

	costWords = 25 // the most words of a cost's sentence
)

func TestCostsAreThoseOfTheComments(t *testing.T) {
	t.Parallel()
	all, err := calls.Find(root)
	require.NoError(t, err)
	head, _, _ := strings.Cut(read(t, costs), "\n## ")
	upToDate(t, costs, strings.TrimRight(head, "\n")+"\n"+tables(all))
}

// upToDate compares a page with what is generated of it, or writes it.
func upToDate(t *testing.T, page, want string) {
	t.Helper()
	if *write {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
	}
	require.Equal(t, want, read(t, page), "go test ./internal/docs -write brings it up to date")
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
		for _, row := range c.Rows {
			b.WriteString("| · " + row.Case + " | " + row.Text + " |\n")
		}
	}
	return b.String()
}

// The sentence states the usual case, which is the first row, and no amount that no row
// has.
func TestTheSentenceOfACostAgreesWithItsRows(t *testing.T) {
	t.Parallel()
	all, err := calls.Find(root)
	require.NoError(t, err)
	for _, c := range all {
		if !assert.NotEmpty(t, c.Cost, "%s has no paragraph \"Cost: …\" at the end of its comment", c.Operation()) {
			continue
		}
		assert.True(t, strings.HasSuffix(c.Cost, "."), "the cost of %s has no full stop", c.Operation())
		assert.LessOrEqual(t, len(strings.Fields(c.Cost)), costWords, "the words of the cost of %s: state the rest in rows //plaza:cost", c.Operation())
		if len(c.Rows) == 0 {
			continue
		}
		said, err := calls.Amounts(c.Cost)
		require.NoError(t, err, c.Operation())
		var listed []meter.Cost
		for i, row := range c.Rows {
			amounts, err := calls.Amounts(row.Text)
			require.NoError(t, err, c.Operation())
			if i == 0 {
				assert.Subset(t, said, amounts, "the sentence of %s lacks what its first row has", c.Operation())
			}
			listed = append(listed, amounts...)
		}
		assert.Subset(t, listed, said, "the sentence of %s has what no row has", c.Operation())
	}
}

// A row is measured if some test names the call and the case in one call or literal.
func TestEachRowOfACostIsMeasured(t *testing.T) {
	t.Parallel()
	all, err := calls.Find(root)
	require.NoError(t, err)
	named := map[string]map[[2]string]bool{}
	for _, c := range all {
		if len(c.Rows) > 0 && named[c.Package] == nil {
			named[c.Package] = pairsOf(t, filepath.Join(root, c.Package))
		}
		for _, row := range c.Rows {
			if !strings.HasPrefix(row.Text, "as ") {
				assert.True(t, named[c.Package][[2]string{c.Name, row.Case}], "no test measures %s, %q", c.Operation(), row.Case)
			}
		}
	}
}

// pairsOf returns all pairs of strings that stand beside each other in a call or a literal
// of a folder's tests.
func pairsOf(t *testing.T, folder string) map[[2]string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	pairs := map[[2]string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			var parts []ast.Expr
			switch n := n.(type) {
			case *ast.CallExpr:
				parts = n.Args
			case *ast.CompositeLit:
				parts = n.Elts
			}
			var texts []string
			for _, part := range parts {
				if text, ok := part.(*ast.BasicLit); ok && text.Kind == token.STRING {
					value, err := strconv.Unquote(text.Value)
					require.NoError(t, err)
					texts = append(texts, value)
				}
			}
			for i, a := range texts {
				for _, b := range texts[i+1:] {
					pairs[[2]string{a, b}] = true
				}
			}
			return true
		})
	}
	return pairs
}
