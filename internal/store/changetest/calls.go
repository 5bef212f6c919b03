package changetest

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// list names each public call that writes, and says whether it is a "change" or a "merge",
// or why it is neither.
//
//go:embed calls.txt
var list string

// registered compares the calls of a package with those that the list registers.
func registered[R any](t *testing.T, pkg string, calls map[string]Call[R]) {
	t.Helper()
	var want []string
	for line := range strings.Lines(list) {
		name, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		call, ok := strings.CutPrefix(name, pkg+".")
		if !ok || kind != "change" && kind != "merge" {
			continue
		}
		want = append(want, call)
		require.Equal(t, kind == "change", calls[call].Part != "", name)
	}
	require.Equal(t, want, slices.Sorted(maps.Keys(calls)))
}
