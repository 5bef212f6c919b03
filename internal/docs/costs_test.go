// Package docs_test compares the documentation with the code.
package docs_test

import (
	"flag"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var write = flag.Bool("write", false, "write the tables of docs/costs.md")

const (
	root  = "../.."
	costs = "../../docs/costs.md"
)

// call is an exported function or method that takes a context.
type call struct {
	name string // "Outbox.Publish"
	cost string // the text after "Cost: ", if any
}

func TestCostsAreThoseOfTheComments(t *testing.T) {
	t.Parallel()
	packages := callsByPackage(t)
	for _, p := range packages {
		for _, c := range p.calls {
			assert.NotEmpty(t, c.cost, "%s: %s has no paragraph \"Cost: …\" at the end of its comment", p.path, c.name)
			assert.True(t, c.cost == "" || strings.HasSuffix(c.cost, "."), "%s: the cost of %s has no full stop", p.path, c.name)
		}
	}
	text, err := os.ReadFile(costs)
	require.NoError(t, err)
	head, _, _ := strings.Cut(string(text), "\n## ")
	want := strings.TrimRight(head, "\n") + "\n" + tables(packages)
	if *write {
		require.NoError(t, os.WriteFile(costs, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "go test ./internal/docs -write brings docs/costs.md up to date")
}

type documented struct {
	path  string // "feed/comment"
	calls []call
}

// callsByPackage reads every package that users import, in order.
func callsByPackage(t *testing.T) []documented {
	t.Helper()
	calls := map[string][]call{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "internal" || name == "examples" || name == "testdata" || name == "livetest" || name == ".git"):
			return fs.SkipDir
		case d.IsDir(), !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && exported(fn) && takesContext(fn) {
				calls[filepath.ToSlash(dir)] = append(calls[filepath.ToSlash(dir)], call{nameOf(fn), costOf(fn.Doc.Text())})
			}
		}
		return nil
	})
	require.NoError(t, err)
	var packages []documented
	for dir, in := range calls {
		slices.SortFunc(in, func(a, b call) int { return strings.Compare(a.name, b.name) })
		packages = append(packages, documented{dir, in})
	}
	slices.SortFunc(packages, func(a, b documented) int { return strings.Compare(a.path, b.path) })
	return packages
}

func exported(fn *ast.FuncDecl) bool {
	return fn.Name.IsExported() && (fn.Recv == nil || ast.IsExported(receiver(fn)))
}

// receiver returns the name of a method's type.
func receiver(fn *ast.FuncDecl) string {
	of := fn.Recv.List[0].Type
	for {
		switch at := of.(type) {
		case *ast.StarExpr:
			of = at.X
		case *ast.IndexExpr:
			of = at.X
		case *ast.IndexListExpr:
			of = at.X
		case *ast.Ident:
			return at.Name
		default:
			return ""
		}
	}
}

func takesContext(fn *ast.FuncDecl) bool {
	params := fn.Type.Params.List
	if len(params) == 0 {
		return false
	}
	of, ok := params[0].Type.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "Context"
}

func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	return receiver(fn) + "." + fn.Name.Name
}

// costOf returns the paragraph of a comment that begins with "Cost: ", on one line.
func costOf(text string) string {
	var p comment.Parser
	for _, block := range p.Parse(text).Content {
		paragraph, ok := block.(*comment.Paragraph)
		if !ok {
			continue
		}
		var words strings.Builder
		for _, part := range paragraph.Text {
			switch part := part.(type) {
			case comment.Plain:
				words.WriteString(string(part))
			case comment.Italic:
				words.WriteString(string(part))
			case *comment.DocLink:
				for _, name := range part.Text {
					if name, ok := name.(comment.Plain); ok {
						words.WriteString(string(name))
					}
				}
			}
		}
		if cost, ok := strings.CutPrefix(words.String(), "Cost: "); ok {
			return strings.Join(strings.Fields(cost), " ")
		}
	}
	return ""
}

func tables(packages []documented) string {
	var b strings.Builder
	for _, p := range packages {
		b.WriteString("\n## " + p.path + "\n\n| call | cost |\n|---|---|\n")
		for _, c := range p.calls {
			b.WriteString("| " + path.Base(p.path) + "." + c.name + " | " + strings.ReplaceAll(c.cost, "|", `\|`) + " |\n")
		}
	}
	return b.String()
}
