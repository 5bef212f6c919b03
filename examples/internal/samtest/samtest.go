// Package samtest reads the templates of the examples, for their tests: sam validate and
// cfn-lint accept actions that do not exist, and names that nothing reads.
package samtest

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/plaza-sdk/plaza/examples/internal/lambdatest"
	"github.com/plaza-sdk/plaza/tables"
)

// Read decodes a template into T. It reads a reference as a text, such as "!Ref Bus", and a
// function of several arguments as an object with its name.
func Read[T any](t *testing.T, file string) T {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var root yaml.Node
	require.NoError(t, yaml.Unmarshal(text, &root))
	plain, err := json.Marshal(plainOf(t, root.Content[0]))
	require.NoError(t, err)
	var read T
	require.NoError(t, json.Unmarshal(plain, &read))
	return read
}

func plainOf(t *testing.T, n *yaml.Node) any {
	t.Helper()
	var v any
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plainOf(t, n.Content[i+1])
		}
		v = m
	case yaml.SequenceNode:
		l := []any{}
		for _, e := range n.Content {
			l = append(l, plainOf(t, e))
		}
		v = l
	default:
		if !strings.HasPrefix(n.Tag, "!!") {
			return n.Tag + " " + n.Value
		}
		require.NoError(t, n.Decode(&v))
		return v
	}
	if !strings.HasPrefix(n.Tag, "!!") {
		return map[string]any{n.Tag: v}
	}
	return v
}

// Allowed checks that roles' policies allow what was called.
func Allowed(t *testing.T, calls map[lambdatest.Call]bool, deployed []tables.Table, roles ...tables.Role) {
	t.Helper()
	require.NotEmpty(t, calls)
	grants := tables.Grants(deployed, roles...)
	for call := range calls {
		require.True(t, slices.ContainsFunc(grants, func(g tables.Grant) bool {
			onTable := g.Table == call.Table && g.Index == call.Index && !g.Stream
			return slices.Contains(g.Actions, call.Action) && (onTable || call.Table == "" && g.Stream)
		}), "%v", call)
	}
}

// Create does what tables.json does, until the test ends.
func Create(t *testing.T, cfg aws.Config, deployed []tables.Table) {
	t.Helper()
	client := dynamodb.NewFromConfig(cfg)
	for _, table := range deployed {
		_, err := client.CreateTable(t.Context(), table.Create)
		require.NoError(t, err)
		t.Cleanup(func() {
			_, err := client.DeleteTable(context.WithoutCancel(t.Context()), &dynamodb.DeleteTableInput{TableName: table.Create.TableName})
			require.NoError(t, err)
		})
		if table.TTL != nil {
			_, err = client.UpdateTimeToLive(t.Context(), table.TTL)
			require.NoError(t, err)
		}
	}
}
