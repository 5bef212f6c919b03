package docs_test

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls"
)

const module = "github.com/plaza-sdk/plaza/"

// docs/design/store.md names each loop that tries again because a condition refused its write.
func TestLoopsOverRefusedWritesAreThoseOfTheList(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(read(t, design+"store.md"), "\n## Loops outside Change and Merge\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var listed, found []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(.+)` \\| .+ \\|$").FindAllStringSubmatch(table, -1) {
		listed = append(listed, row[1])
	}
	all, err := calls.Find(root)
	require.NoError(t, err)
	p := newProgram()
	for _, c := range all {
		_, err := p.Import(module + c.Package)
		require.NoError(t, err)
	}
	for _, f := range p.funcs {
		if inStore(f, "Run", "Merge") {
			continue
		}
		file := strings.TrimPrefix(f.Pkg().Path(), module) + "/" + filepath.Base(p.files.Position(f.Pos()).Filename)
		for range p.loops(f) {
			found = append(found, file+": "+f.Name())
		}
	}
	require.LessOrEqual(t, len(found), 24)
	require.ElementsMatch(t, found, listed, "list A is that of the code, list B that of the page")
}

// program is the packages that users import, and those of Plaza that these import.
type program struct {
	files    *token.FileSet
	packages map[string]*types.Package
	info     types.Info
	funcs    []*types.Func
	decls    map[*types.Func]*ast.FuncDecl
	counted  map[*types.Func]int // what loops returned
}

// Import reads a package of Plaza. Others stay unknown: they know no refused writes.
func (p *program) Import(path string) (*types.Package, error) {
	dir, ok := strings.CutPrefix(path, module)
	if !ok {
		return nil, errors.New("it is not Plaza's")
	}
	if p.packages[path] != nil {
		return p.packages[path], nil
	}
	source, err := build.ImportDir(filepath.Join(root, dir), 0)
	if err != nil {
		return nil, err
	}
	files := make([]*ast.File, len(source.GoFiles))
	for i, name := range source.GoFiles {
		if files[i], err = parser.ParseFile(p.files, filepath.Join(source.Dir, name), nil, parser.SkipObjectResolution); err != nil {
			return nil, err
		}
	}
	unknown := func(error) {} // of packages that are not Plaza's
	p.packages[path], _ = (&types.Config{Importer: p, Error: unknown}).Check(path, p.files, files, &p.info)
	for _, file := range files {
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil {
				f := p.info.Defs[decl.Name].(*types.Func)
				p.funcs, p.decls[f] = append(p.funcs, f), decl
			}
		}
	}
	return p.packages[path], nil
}

// loops counts the loops of a function that may try a refused write again. One that has
// no bound must itself ask whether a write was refused: otherwise it reads pages, or
// serves until its context ends. One over a list tries each element once.
func (p *program) loops(f *types.Func) (n int) {
	if n, ok := p.counted[f]; ok {
		return n
	}
	p.counted[f] = 0 // where f calls itself
	ast.Inspect(p.decls[f], func(node ast.Node) bool {
		var again bool
		switch loop := node.(type) {
		case *ast.RangeStmt:
			again = (loop.Key == nil || p.constant(loop.X)) && p.asks(loop.Body, map[*types.Func]bool{f: true})
		case *ast.ForStmt:
			cond, ok := loop.Cond.(*ast.BinaryExpr)
			bounded := ok && loop.Post != nil && (p.constant(cond.X) || p.constant(cond.Y))
			again = p.asks(loop.Body, nil) || bounded && p.asks(loop.Body, map[*types.Func]bool{f: true})
		}
		if again {
			n++
		}
		return true
	})
	p.counted[f] = n
	return n
}

func (p *program) constant(e ast.Expr) bool { return p.info.Types[e].Value != nil }

// asks reports whether a body asks whether a write was refused. Unless seen is nil, it
// follows the functions that the body names, but for those that try again themselves.
func (p *program) asks(body ast.Node, seen map[*types.Func]bool) (found bool) {
	ast.Inspect(body, func(node ast.Node) bool {
		name, _ := node.(*ast.Ident)
		if f, ok := p.info.Uses[name].(*types.Func); ok && !found {
			f = f.Origin()
			switch decl := p.decls[f]; {
			case decl == nil:
			case inStore(f, "AsRefused", "At", "Doubtful"):
				found = true
			case seen != nil && !seen[f]:
				seen[f] = true
				found = p.loops(f) == 0 && p.asks(decl.Body, seen)
			}
		}
		return !found
	})
	return found
}

func inStore(f *types.Func, names ...string) bool {
	return f.Pkg().Path() == module+"internal/store" && slices.Contains(names, f.Name())
}
