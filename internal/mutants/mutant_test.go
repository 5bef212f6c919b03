package main

import (
	"os"
	"path/filepath"
	"testing"

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
