package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A change of a line that a mutant breaks changes the mutant too.
func TestEveryMutantStillApplies(t *testing.T) {
	t.Parallel()
	mutants, err := parse(list)
	require.NoError(t, err)
	require.NotEmpty(t, mutants)
	for _, m := range mutants {
		source, err := os.ReadFile(filepath.Join("..", "..", m.File))
		require.NoError(t, err, m)
		changed, err := m.apply(string(source))
		require.NoError(t, err, m)
		require.NotEqual(t, string(source), changed, m)
	}
}

var function = regexp.MustCompile(`(?m)^func \w+`)

func TestEveryMutantNamesATest(t *testing.T) {
	t.Parallel()
	mutants, err := parse(list)
	require.NoError(t, err)
	tests := map[string]string{} // the functions of a package's tests
	for _, m := range mutants {
		if _, ok := tests[m.Package]; !ok {
			files, err := filepath.Glob(filepath.Join("..", "..", m.Package, "*_test.go"))
			require.NoError(t, err)
			for _, file := range files {
				source, err := os.ReadFile(file)
				require.NoError(t, err)
				tests[m.Package] += strings.Join(function.FindAllString(string(source), -1), "\n") + "\n"
			}
		}
		names, _, _ := strings.Cut(m.Test, "/")
		for name := range strings.SplitSeq(strings.Trim(names, "^$()"), "|") {
			assert.Contains(t, tests[m.Package], name, "%v: %s has no %s", m, m.Package, name)
		}
	}
}

func TestAMalformedMutantIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a.go\n- x\n+ y\n",
		"a.go\n- x\n\n+ y\n./a TestA\n",
		"a.go\n+ y\n- x\n./a TestA\n",
		"a.go\n- x\n+ y\n./a\n",
	} {
		_, err := parse(text)
		require.Error(t, err, text)
	}
	mutants, err := parse("# about\n\na.go\n- x\n+\n./a TestA\n")
	require.NoError(t, err)
	require.Equal(t, []mutant{{File: "a.go", Old: "x", Package: "./a", Test: "TestA", line: 3}}, mutants)
	_, err = mutants[0].apply("x x")
	require.Error(t, err)
}
