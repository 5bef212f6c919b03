package docs_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// An arrow is a file that names what another file of its package declares. Of the orders
// in which one can read a package's files, there is one in which few arrows point to a file
// that comes later. Run with -v, the test prints that order.
func TestFilesNeedThoseBeforeThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pkg  string
		most float64 // percent of arrows that point to a later file
	}{
		{"leaderboard", 5},
		{"internal/folder", 10},
		{"internal/fold", 10},
		{"internal/edge", 10},
		{"feed", 13},
		{"danmu", 13},
		{"danmu/format", 15},
	} {
		p := newProgram()
		_, err := p.Import(module + c.pkg)
		require.NoError(t, err)
		order, arrows, later := readingOrder(p.arrows(module + c.pkg))
		share := 100 * float64(later) / float64(arrows)
		t.Logf("%s: %d of %d arrows, %.1f %%, point to a later file: %v", c.pkg, later, arrows, share, order)
		require.LessOrEqual(t, share, c.most, c.pkg)
	}
}

// arrows are the other files of its package that each file needs.
func (p *program) arrows(path string) map[string]map[string]bool {
	needs := map[string]map[string]bool{}
	for name, used := range p.info.Uses {
		file := p.files.Position(name.Pos()).Filename
		if used.Pkg() == nil || used.Pkg().Path() != path || filepath.Dir(file) != filepath.Join(root, path[len(module):]) {
			continue
		}
		if needs[file] == nil {
			needs[file] = map[string]bool{}
		}
		if declared := p.files.Position(used.Pos()).Filename; declared != file {
			needs[file][declared] = true
		}
	}
	return needs
}

// readingOrder moves one file at a time to where fewer arrows point to a later file,
// until none can be moved.
func readingOrder(needs map[string]map[string]bool) (order []string, arrows, later int) {
	for file, needed := range needs {
		order = append(order, file)
		arrows += len(needed)
	}
	slices.Sort(order)
	count := func(order []string) (n int) {
		read := map[string]bool{}
		for _, file := range order {
			for needed := range needs[file] {
				if !read[needed] {
					n++
				}
			}
			read[file] = true
		}
		return n
	}
	later = count(order)
	for moved := true; moved; {
		moved = false
		for _, file := range slices.Clone(order) {
			rest := slices.DeleteFunc(slices.Clone(order), func(f string) bool { return f == file })
			for i := range order {
				next := slices.Insert(slices.Clone(rest), i, file)
				if n := count(next); n < later {
					order, later, moved = next, n, true
				}
			}
		}
	}
	for i, file := range order {
		order[i] = filepath.Base(file)
	}
	return order, arrows, later
}

func newProgram() *program {
	return &program{
		files: token.NewFileSet(), packages: map[string]*types.Package{},
		info:  types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}},
		decls: map[*types.Func]*ast.FuncDecl{}, counted: map[*types.Func]int{},
	}
}
