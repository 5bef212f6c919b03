package reaction_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

type item = map[string]types.AttributeValue

func text(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func textOf(v types.AttributeValue) string { return v.(*types.AttributeValueMemberS).Value }

// byHand sends the same requests as reaction, written directly on the SDK.
type byHand struct {
	client *dynamodb.Client
	table  string
}

func newByHand(b *testing.B, w world) byHand {
	return byHand{dynamotest.DB(b).Client().(*dynamodb.Client), w.table}
}

func (h byHand) react(b *testing.B, a reaction.Reaction) {
	key := func(pk, sk string) item { return item{"pk": text(pk), "sk": text(sk)} }
	put := func(item item) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{
			TableName: &h.table, Item: item,
			ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}}
	}
	id, one := text(a.ID.String()), &types.AttributeValueMemberN{Value: "1"}
	_, err := h.client.TransactWriteItems(b.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Update: &types.Update{
			TableName: &h.table, Key: key("U#"+a.User, a.Object),
			UpdateExpression:    aws.String("SET #id = :id ADD ver :one REMOVE #ended, #ttl, #shard"),
			ConditionExpression: aws.String("attribute_not_exists(#id) AND (attribute_not_exists(#ended) OR #ended < :id)"),
			ExpressionAttributeNames: map[string]string{
				"#id": "id#" + a.Kind, "#ended": "ended#" + a.Kind, "#shard": "shard#" + a.Kind, "#ttl": "ttl",
			},
			ExpressionAttributeValues:           item{":id": id, ":one": one},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}},
		put(item{"pk": text("M#" + a.User + "#" + a.Kind), "sk": id, "object": text(a.Object)}),
		put(item{"pk": text("L#" + a.Object + "#" + a.Kind + "#0"), "sk": id, "user": text(a.User)}),
		{Update: &types.Update{
			TableName: &h.table, Key: key("C#"+a.Object+"#0", "C"),
			UpdateExpression:                    aws.String("SET #count = if_not_exists(#count, :zero) + :one, ver = if_not_exists(ver, :ver) + :one"),
			ExpressionAttributeNames:            map[string]string{"#count": "count#" + a.Kind},
			ExpressionAttributeValues:           item{":zero": &types.AttributeValueMemberN{Value: "0"}, ":one": one, ":ver": version()},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}},
	}})
	require.NoError(b, err)
}

// version is where the versions of a new counter begin.
func version() types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatUint(uint64(ids.At(time.Now())), 10)}
}

func (h byHand) byObject(b *testing.B, object, kind string, limit int) []reaction.Reaction {
	counter, err := h.client.GetItem(b.Context(), &dynamodb.GetItemInput{
		TableName: &h.table, ConsistentRead: aws.Bool(true),
		Key: item{"pk": text("C#" + object + "#0"), "sk": text("C")},
	})
	require.NoError(b, err)
	require.NotContains(b, counter.Item, "shards")
	out, err := h.client.Query(b.Context(), &dynamodb.QueryInput{
		TableName: &h.table, ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(false), Limit: aws.Int32(int32(limit) + 1),
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: item{":pk": text("L#" + object + "#" + kind + "#0")},
	})
	require.NoError(b, err)
	all := make([]reaction.Reaction, limit)
	for i, row := range out.Items[:limit] {
		id, err := ids.Parse(textOf(row["sk"]))
		require.NoError(b, err)
		all[i] = reaction.Reaction{User: textOf(row["user"]), Object: object, Kind: kind, ID: id}
	}
	return all
}

func (h byHand) reacted(b *testing.B, user string, objects []string) map[string][]string {
	reacted := make(map[string][]string, len(objects))
	keys := make([]item, 0, len(objects))
	for _, object := range objects {
		if reacted[object] == nil { // a key must not be there twice
			reacted[object] = []string{}
			keys = append(keys, item{"pk": text("U#" + user), "sk": text(object)})
		}
	}
	out, err := h.client.BatchGetItem(b.Context(), &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{h.table: {Keys: keys, ConsistentRead: aws.Bool(true)}},
	})
	require.NoError(b, err)
	for _, guard := range out.Responses[h.table] {
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
	w := newWorld(b, options(1))
	h := newByHand(b, w)
	n := 0
	next := func() reaction.Reaction {
		n++
		return reaction.Reaction{User: fmt.Sprint("fan ", n), Object: fmt.Sprint("photo ", n%100), Kind: "pin", ID: w.id(b)}
	}
	dynamotest.Pair(b, func() {
		_, changed, err := w.React(b.Context(), next())
		require.True(b, changed, err)
	}, func() { h.react(b, next()) })
}

func BenchmarkByObjectPage(b *testing.B) {
	w := newWorld(b, options(1))
	w.crowd(b, "photo", 60, "pin")
	h := newByHand(b, w)
	ours := func() []reaction.Reaction {
		page, err := w.ByObject(b.Context(), "photo", "pin", cursor.PageRequest{})
		require.NoError(b, err)
		require.NotEmpty(b, page.Next)
		return page.Items
	}
	require.Equal(b, seeAll(ours()), seeAll(h.byObject(b, "photo", "pin", 25)))
	dynamotest.Pair(b, func() { ours() }, func() { h.byObject(b, "photo", "pin", 25) })
}

func BenchmarkReactedTo25(b *testing.B) {
	w := newWorld(b, options(1))
	objects := make([]string, 25)
	for i := range objects {
		objects[i] = fmt.Sprint("photo ", i)
		w.react(b, "jack", objects[i], kinds[i%4])
	}
	h := newByHand(b, w)
	ours := func() map[string][]string {
		reacted, err := w.Reacted(b.Context(), "jack", objects)
		require.NoError(b, err)
		return reacted
	}
	require.Equal(b, ours(), h.reacted(b, "jack", objects))
	dynamotest.Pair(b, func() { ours() }, func() { h.reacted(b, "jack", objects) })
}
