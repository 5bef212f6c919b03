package follow_test

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
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

type item = map[string]types.AttributeValue

func text(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

// byHand sends the same requests as follow, through the bare SDK.
type byHand struct {
	client *dynamodb.Client
	table  *string
}

func newByHand(b *testing.B, w world) byHand {
	return byHand{dynamotest.DB(b).Client().(*dynamodb.Client), &w.table}
}

func (h byHand) follow(b *testing.B, e follow.Edge) {
	put := func(item item) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{
			TableName: h.table, Item: item,
			ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}}
	}
	add := func(user, count string) types.TransactWriteItem {
		return types.TransactWriteItem{Update: &types.Update{
			TableName: h.table, Key: item{"pk": text("C#" + user), "sk": text("0")},
			UpdateExpression:         aws.String("SET #count = if_not_exists(#count, :zero) + :one, ver = if_not_exists(ver, :ver) + :one"),
			ExpressionAttributeNames: map[string]string{"#count": count},
			ExpressionAttributeValues: item{
				":zero": &types.AttributeValueMemberN{Value: "0"}, ":one": &types.AttributeValueMemberN{Value: "1"},
				":ver": &types.AttributeValueMemberN{Value: strconv.FormatUint(uint64(ids.At(time.Now())), 10)},
			},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}}
	}
	id := text(e.ID.String())
	guard := put(item{"pk": text("E#" + e.Follower), "sk": text(e.Followee), "id": id})
	guard.Put.ConditionExpression = aws.String("attribute_not_exists(id) AND (attribute_not_exists(ended) OR ended < :id)")
	guard.Put.ExpressionAttributeValues = item{":id": id}
	_, err := h.client.TransactWriteItems(b.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		guard,
		put(item{"pk": text("F#" + e.Follower), "sk": id, "followee": text(e.Followee)}),
		put(item{"pk": text("R#" + e.Followee + "#0"), "sk": id, "follower": text(e.Follower)}),
		add(e.Followee, "followers"),
		add(e.Follower, "following"),
	}})
	require.NoError(b, err)
}

func (h byHand) query(b *testing.B, pk string, ascending bool, limit *int32) []item {
	out, err := h.client.Query(b.Context(), &dynamodb.QueryInput{
		TableName: h.table, ConsistentRead: aws.Bool(true), ScanIndexForward: &ascending, Limit: limit,
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: item{":pk": text(pk)},
	})
	require.NoError(b, err)
	return out.Items
}

func (h byHand) followers(b *testing.B, user string, limit int32) []follow.Edge {
	var edges []follow.Edge
	for _, counter := range h.query(b, "C#"+user, true, nil) {
		shard := counter["sk"].(*types.AttributeValueMemberS).Value
		for _, row := range h.query(b, "R#"+user+"#"+shard, false, aws.Int32(limit+1))[:limit] {
			id, err := ids.Parse(row["sk"].(*types.AttributeValueMemberS).Value)
			require.NoError(b, err)
			edges = append(edges, follow.Edge{Follower: row["follower"].(*types.AttributeValueMemberS).Value, Followee: user, ID: id})
		}
	}
	return edges
}

func BenchmarkFollow(b *testing.B) {
	w := newWorld(b, nil)
	h := newByHand(b, w)
	n := 0
	edge := func() follow.Edge {
		n++
		id, err := w.gen.Next(b.Context())
		require.NoError(b, err)
		return follow.Edge{Follower: fmt.Sprint("fan ", n), Followee: fmt.Sprint("star ", n%100), ID: id}
	}
	dynamotest.Pair(b, func() {
		_, created, err := w.Follow(b.Context(), edge())
		require.True(b, created, err)
	}, func() { h.follow(b, edge()) })
}

func BenchmarkFollowersPage(b *testing.B) {
	w := newWorld(b, nil)
	w.fans(b, "star", 60)
	h := newByHand(b, w)
	ours := func() []follow.Edge {
		page, err := w.Followers(b.Context(), "star", cursor.PageRequest{})
		require.NoError(b, err)
		require.NotEmpty(b, page.Next)
		return page.Items
	}
	require.Equal(b, seeAll(ours()), seeAll(h.followers(b, "star", 25)))
	dynamotest.Pair(b, func() { ours() }, func() { h.followers(b, "star", 25) })
}
