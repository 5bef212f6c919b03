package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// A program that loads the SDK's configuration, and may call all of some packages.
const weighed = `package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/config"
%s)

var used []any

func main() {
	cfg, err := config.LoadDefaultConfig(context.Background())
	used = []any{cfg, err, %s}
}
`

const (
	driver = "github.com/guregu/dynamo/v2"
	head   = "| package | KB |\n|---|---|\n"

	differs = 5 // percent
	rounded = 8 // KB, for small packages: the linker rounds
)

var weight = regexp.MustCompile("(?m)^\\| `(.+)` \\| (\\d+) \\|$")

// What a package, with what it imports, adds to a stripped binary of linux/amd64. A row that
// says too much fails too: the package could grow to it unsaid.
func TestAPackageWeighsWhatItsRowSays(t *testing.T) {
	if !faults.Full() {
		t.Skip("it links a program for each package")
	}
	const page = design + "adoption.md"
	before, table, ok := strings.Cut(read(t, page), head)
	require.True(t, ok)
	table, after, ok := strings.Cut(table, "\n\n")
	require.True(t, ok)
	said := map[string]int{}
	for _, row := range weight.FindAllStringSubmatch(table, -1) {
		kb, err := strconv.Atoi(row[2])
		require.NoError(t, err)
		said[row[1]] = kb
	}

	var packages []string
	for pkg := range linked(t) {
		if public(pkg) && pkg != "plaza" && pkg != "cmd/plaza" {
			packages = append(packages, pkg)
		}
	}
	slices.Sort(packages)
	base := binary(t)
	rows := fmt.Sprintf("| the SDK and the driver | %d |\n", base)
	for _, pkg := range packages {
		kb := binary(t, module+pkg) - base
		rows += fmt.Sprintf("| `%s` | %d |\n", pkg, kb)
		if !*write {
			assert.InDelta(t, said[pkg], kb, max(float64(said[pkg]*differs)/100, rounded),
				"%s: if it must, CI=true go test ./internal/docs -run %s -write", pkg, t.Name())
		}
	}
	if *write {
		upToDate(t, page, before+head+rows+"\n"+after)
	}
}

// binary returns the KB of a program that may call all of the driver and of these packages.
func binary(t *testing.T, packages ...string) int {
	t.Helper()
	imports, calls := "", ""
	for i, pkg := range append(packages, driver) {
		imports += fmt.Sprintf("\tp%d %q\n", i, pkg)
		for _, name := range callable(t, pkg) {
			calls += fmt.Sprintf(name, i) + ", "
		}
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), fmt.Appendf(nil, weighed, imports, calls), 0o644))
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "program"), filepath.Join(dir, "main.go"))
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	about, err := os.Stat(filepath.Join(dir, "program"))
	require.NoError(t, err)
	return int(about.Size() / 1000)
}

// callable returns the functions and methods of a package as formats of its name's number.
// Those with type parameters have no code of their own.
func callable(t *testing.T, pkg string) (names []string) {
	t.Helper()
	list := exec.Command("go", "list", "-f", `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`, pkg)
	list.Dir = root
	files, err := list.Output()
	require.NoError(t, err)
	for file := range strings.Lines(string(files)) {
		parsed, err := parser.ParseFile(token.NewFileSet(), strings.TrimSpace(file), nil, 0)
		require.NoError(t, err)
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Type.TypeParams != nil {
				continue
			}
			if f.Recv == nil {
				names = append(names, "p%d."+f.Name.Name)
				continue
			}
			of := f.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if of, ok := of.(*ast.Ident); ok && of.IsExported() {
				names = append(names, "(*p%d."+of.Name+")."+f.Name.Name)
			}
		}
	}
	return names
}
