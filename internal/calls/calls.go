// Package calls finds the calls of Plaza that take a context, in its source, for tests
// that check all of them.
package calls

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Call is an exported function or method whose first parameter is a context.
type Call struct {
	Package string // "feed/comment"
	Name    string // "Repository.Add"
	Cost    string // the text after "Cost: " at the end of its comment, if any
	Rows    []Row  // the exact costs below it
	Decl    *ast.FuncDecl
	Pos     token.Position
}

// Operation is the name that the call gives its requests: "feed/comment.Repository.Add".
func (c Call) Operation() string { return c.Package + "." + c.Name }

// delegating are calls that send no requests themselves: they run what their caller gave
// them, or calls of several features, which name themselves.
var delegating = map[string]bool{
	"cursor.All":               true,
	"danmu/live.Hub.Join":      true,
	"danmu/live.Hub.Publish":   true,
	"feed/like.Likes.Handle":   true,
	"feed/like.Likes.React":    true,
	"feed/like.Likes.Unreact":  true,
	"kit.Kit.Close":            true,
	"kit.Kit.Deliver":          true,
	"kit.Kit.Erase":            true,
	"kit.Kit.Init":             true,
	"kit.Kit.Run":              true,
	"kit.Kit.Verify":           true,
	"live.Hub.Join":            true,
	"live.Hub.Publish":         true,
	"stream.Deliver":           true,
	"stream.Processor.Lambda":  true,
	"stream.Processor.Process": true,
	"stream.Redrive":           true,

	"notify/message/live.Hub.JoinInbox": true,
}

// Named reports whether the call must name its requests: it sends requests of its own.
func (c Call) Named() bool { return c.Cost != "none." && !delegating[c.Operation()] }

// skipped are the folders that have nothing for a service to call.
var skipped = []string{"internal", "examples", "testdata", "livetest", "plazatest", "cmd", ".git"}

// Find returns the calls of some packages, or of all that users import, in order. Root is
// the folder of Plaza.
func Find(root string, packages ...string) ([]Call, error) {
	var calls []Call
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(skipped, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(dir)
		switch {
		case !strings.HasSuffix(file, ".go"), strings.HasSuffix(file, "_test.go"):
			return nil
		case pkg == ".": // package plaza sends nothing
			return nil
		case len(packages) > 0 && !slices.Contains(packages, pkg):
			return nil
		}
		f, err := parser.ParseFile(files, file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !exported(fn) || !takesContext(fn) {
				continue
			}
			call := Call{Package: pkg, Name: nameOf(fn), Cost: costOf(fn.Doc.Text()), Decl: fn, Pos: files.Position(fn.Pos())}
			if call.Rows, err = rowsOf(fn.Doc); err != nil {
				return fmt.Errorf("%s: %w", call.Operation(), err)
			}
			calls = append(calls, call)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("calls: %w", err)
	}
	slices.SortFunc(calls, func(a, b Call) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Name, b.Name))
	})
	return calls, nil
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
