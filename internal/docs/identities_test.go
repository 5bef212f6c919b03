package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// housekeeping are the names of calls that have no identity: they work through what is
// there.
var housekeeping = []string{
	"Acquire", "Close", "Deliver", "Erase", "EraseObject", "Init", "MarkAllRead", "Next", "Repair", "RepairUser", "Run", "Undefine", "Unseen", "Unsubscribe",
}

// TestEachWriteNamesItsIdentity finds the calls that write, except those that set a part
// of what is there, in the table of docs/shared.md.
func TestEachWriteNamesItsIdentity(t *testing.T) {
	t.Parallel()
	table, _, _ := strings.Cut(read(t, root+"/docs/shared.md"), "\n## Limits")
	found := 0
	for line := range strings.Lines(read(t, root+"/internal/store/changetest/calls.txt")) {
		call, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		of, name, _ := strings.Cut(call, ".")
		name = name[strings.LastIndex(name, ".")+1:]
		if !strings.HasPrefix(kind, "neither") || slices.Contains(housekeeping, name) || strings.HasPrefix(kind, "neither: it calls ") {
			continue
		}
		found++
		pkg := of[strings.LastIndex(of, "/")+1:]
		named := regexp.MustCompile("(?m)^\\|[^|]*\\b" + pkg + "`[^|]*\\b" + name + "`")
		require.Regexp(t, named, table, call)
	}
	require.Greater(t, found, 20)
}
