package prefs_test

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// The user's settings are cached; the block and the mute are read.
func BenchmarkDecide(b *testing.B) {
	opts := options()
	opts.Consistent = false
	w := newWorld(b, opts)
	w.set(b, about("comment", push), true)
	n := of("comment")
	client := dynamotest.DB(b).Client().(*dynamodb.Client)
	type item = map[string]types.AttributeValue
	dynamotest.Pair(b, func() {
		d, err := w.Decide(b.Context(), n)
		require.NoError(b, err)
		require.Len(b, d.Channels, 2)
	}, func() {
		out, err := client.BatchGetItem(b.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			w.table: {Keys: []item{
				{"pk": text("N#" + n.User), "sk": text("B#" + n.Activity.Actor.String())},
				{"pk": text("N#" + n.User), "sk": text("O#" + n.Activity.Object.String())},
			}},
		}})
		require.NoError(b, err)
		dropped := slices.ContainsFunc(out.Responses[w.table], func(found item) bool { return found["since"] != nil })
		require.False(b, dropped)
	})
}
