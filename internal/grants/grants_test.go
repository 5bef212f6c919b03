package grants_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls"
	"github.com/plaza-sdk/plaza/internal/grants"
)

// elsewhere send no requests to a table of a feature, or those of several roles.
var elsewhere = []string{
	"live/redisstream.", "stream/eventbridge.", "stream/firehose.", "stream/sqs.",
	"kit.Kit.Export",   // a reader's of each feature
	"ratelimit.Table.", // its rows are in the table of the feature that it limits
}

func TestEveryCallHasARole(t *testing.T) {
	t.Parallel()
	all, err := calls.Find("../..")
	require.NoError(t, err)
	listed := grants.Calls()
	found := map[string]bool{}
	for _, c := range all {
		found[c.Operation()] = true
		if c.Named() && !slices.ContainsFunc(elsewhere, func(prefix string) bool { return strings.HasPrefix(c.Operation(), prefix) }) {
			assert.Contains(t, listed, c.Operation(), "%s: add the call to internal/grants/list.go", c.Pos)
		}
	}
	require.NotEmpty(t, found)
	for name := range listed {
		assert.True(t, found[name], "%s does not exist", name)
	}
}

func TestRolesAreAsNarrowAsTheirNames(t *testing.T) {
	t.Parallel()
	for _, feature := range grants.Features() {
		for _, role := range grants.Roles() {
			for i, g := range grants.Of(feature, role) {
				require.True(t, slices.IsSorted(g.Actions) && len(slices.Compact(slices.Clone(g.Actions))) == len(g.Actions), "%v", g)
				if i == 0 {
					require.Equal(t, grants.Resource{Feature: feature}, g.Resource, "its own table is first")
					require.Subset(t, g.Actions, []string{"DescribeTable", "GetItem"}, "Verify")
				}
				if g.Index != "" {
					require.Equal(t, []string{"Query"}, g.Actions)
				}
				for _, action := range g.Actions {
					reads := slices.Contains([]string{"GetItem", "BatchGetItem", "Query", "DescribeTable", "DescribeTimeToLive"}, action)
					comesBack := feature == "notify" && action == "UpdateItem" // what was snoozed
					require.True(t, reads || comesBack || role != grants.Reader, "a reader of %s may %s", feature, action)
					require.True(t, action != "Scan" || role == grants.Operator, "the %s of %s may Scan", role, feature)
				}
			}
		}
	}
}
