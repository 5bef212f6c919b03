package changetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls"
)

func TestTheListNamesEachCallThatWrites(t *testing.T) {
	t.Parallel()
	all, err := calls.Find("../../..")
	require.NoError(t, err)
	listed := map[string]bool{}
	for line := range strings.Lines(list) {
		name, kind, ok := strings.Cut(strings.TrimSpace(line), " ")
		require.True(t, ok, line)
		require.False(t, listed[name], "%s is listed twice", name)
		require.True(t, kind == "change" || kind == "merge" || strings.HasPrefix(kind, "neither: "), line)
		listed[name] = true
	}
	for _, call := range all {
		if strings.Contains(call.Cost, "WCU") {
			require.True(t, listed[call.Operation()], "%s writes", call.Operation())
		}
		delete(listed, call.Operation())
	}
	require.Empty(t, listed, "no such calls")
}
