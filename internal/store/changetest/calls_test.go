package changetest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls"
)

const root = "../../.."

func TestTheListNamesEachCallThatWrites(t *testing.T) {
	t.Parallel()
	all, err := calls.Find(root)
	require.NoError(t, err)
	listed := map[string]bool{}
	for line := range strings.Lines(list) {
		name, kind, ok := strings.Cut(strings.TrimSpace(line), " ")
		require.True(t, ok, line)
		require.False(t, listed[name], "%s is listed twice", name)
		require.True(t, kind == "change" || kind == "merge" || strings.HasPrefix(kind, "neither: "), line)
		listed[name] = true
		pkg, _, _ := strings.Cut(name, ".")
		if kind == "change" || kind == "merge" {
			test, err := os.ReadFile(filepath.Join(root, pkg, "change_test.go"))
			require.NoError(t, err)
			require.Contains(t, string(test), "changetest.Run(")
		}
	}
	writing := writes(all)
	for _, call := range all {
		if writing[call.Operation()] {
			require.True(t, listed[call.Operation()], "%s writes", call.Operation())
		}
		delete(listed, call.Operation())
	}
	require.Empty(t, listed, "no such calls")
}

// writes finds the calls that cost write units, or as much as another that does: "as Like".
func writes(all []calls.Call) map[string]bool {
	found := map[string]bool{}
	for range 3 { // one after another
		for _, call := range all {
			as, _ := strings.CutPrefix(call.Cost, "as ")
			as, _, _ = strings.Cut(as, " ")
			as = strings.Trim(as, ".,;")
			if !strings.Contains(as, ".") {
				as = call.Operation()[:strings.LastIndexByte(call.Operation(), '.')+1] + as
			}
			found[call.Operation()] = found[call.Operation()] || found[as] || strings.Contains(call.Cost, "WCU") ||
				slices.ContainsFunc(call.Rows, func(r calls.Row) bool { return r.Cost.Write > 0 })
		}
	}
	return found
}
