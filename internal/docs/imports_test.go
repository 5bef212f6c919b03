package docs_test

import (
	"cmp"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ofExamples are what the tests of examples may import: how much of them runs by default,
// and the engine's version, which a container names too.
var ofExamples = []string{"internal/engine", "internal/faults"}

// The arrows between packages are those of imports.txt. Examples have no line: they show
// what users can import.
func TestImportsAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	allowed := importTable(t)
	seen := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "testdata", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		require.NoError(t, err)
		pkg := cmp.Or(strings.TrimPrefix(filepath.ToSlash(folder), "."), "plaza")
		test, example := strings.HasSuffix(file, "_test.go"), strings.HasPrefix(pkg, "examples")
		if test && !example {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			of, ours := strings.CutPrefix(name+"/", module)
			of = cmp.Or(strings.TrimSuffix(of, "/"), "plaza")
			switch {
			case !ours:
			case example:
				assert.True(t, !strings.HasPrefix(of, "internal/") || test && slices.Contains(ofExamples, of), "%s imports %s", pkg, of)
			default:
				assert.Contains(t, allowed[pkg], of, "imports.txt does not allow %s what it imports", pkg)
			}
		}
		seen[pkg] = true
		assert.True(t, example || allowed[pkg] != nil, "imports.txt has no line for %s", pkg)
		return nil
	}))
	for pkg := range allowed {
		assert.True(t, seen[pkg], "imports.txt has a line for %s, which is no package", pkg)
	}
}

// importTable returns what each package of imports.txt may import.
func importTable(t *testing.T) map[string][]string {
	t.Helper()
	lists, allowed := map[string][]string{}, map[string][]string{}
	expand := func(words string) (packages []string) {
		for word := range strings.FieldsSeq(words) {
			if list, ok := lists[word]; ok {
				packages = append(packages, list...)
			} else {
				packages = append(packages, word)
			}
		}
		return packages
	}
	for line := range strings.Lines(read(t, "imports.txt")) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		if name, words, ok := strings.Cut(line, " = "); ok {
			lists[name] = expand(words)
		} else if names, words, ok := strings.Cut(line, ":"); ok {
			for name := range strings.FieldsSeq(names) {
				require.NotContains(t, allowed, name, "a second line")
				allowed[name] = append([]string{}, expand(words)...)
			}
		}
	}
	return allowed
}
