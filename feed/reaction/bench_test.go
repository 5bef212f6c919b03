package reaction_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
)

type item = map[string]types.AttributeValue

func text(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func textOf(v types.AttributeValue) string { return v.(*types.AttributeValueMemberS).Value }

// reactedByHand sends the request of Reacted through the bare SDK.
func reactedByHand(b *testing.B, client *dynamodb.Client, table, user string, objects []string) map[string][]string {
	reacted := make(map[string][]string, len(objects))
	keys := make([]item, 0, len(objects))
	for _, object := range objects {
		if reacted[object] == nil { // a key must not be there twice
			reacted[object] = []string{}
			keys = append(keys, item{"pk": text("U#" + user), "sk": text(object)})
		}
	}
	out, err := client.BatchGetItem(b.Context(), &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{table: {Keys: keys, ConsistentRead: aws.Bool(true)}},
	})
	require.NoError(b, err)
	for _, guard := range out.Responses[table] {
		for _, kind := range kinds {
			if id, stands := guard["id#"+kind]; stands {
				_, err := ids.Parse(textOf(id))
				require.NoError(b, err)
				object := textOf(guard["sk"])
				reacted[object] = append(reacted[object], kind)
			}
		}
	}
	return reacted
}

func BenchmarkReact(b *testing.B) {
	ours, bare := edgetest.Begins(b, feature())
	dynamotest.Pair(b, ours, bare)
}

func BenchmarkByObjectPage(b *testing.B) {
	ours, bare := edgetest.Lists(b, feature())
	dynamotest.Pair(b, ours, bare)
}

func BenchmarkReactedTo25(b *testing.B) {
	w := newWorld(b, options(1))
	objects := make([]string, 25)
	for i := range objects {
		objects[i] = fmt.Sprint("photo ", i)
		w.react(b, "jack", objects[i], kinds[i%4])
	}
	client := dynamotest.DB(b).Client().(*dynamodb.Client)
	ours := func() map[string][]string {
		reacted, err := w.Reacted(b.Context(), "jack", objects)
		require.NoError(b, err)
		return reacted
	}
	require.Equal(b, ours(), reactedByHand(b, client, w.table, "jack", objects))
	dynamotest.Pair(b, func() { ours() }, func() { reactedByHand(b, client, w.table, "jack", objects) })
}
