package edgetest

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
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

type item = map[string]types.AttributeValue

func text(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func number64(n uint64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatUint(n, 10)}
}

// byHand sends the same requests as a feature, through the bare SDK.
type byHand struct {
	layout
	*testing.B
	client *dynamodb.Client
	table  *string
}

func (w world[E]) byHand(b *testing.B) byHand {
	return byHand{layout{w.f.Shape}, b, dynamotest.DB(b).Client().(*dynamodb.Client), &w.table}
}

// begin writes an edge of one of several kinds, or one of the only kind.
func (h byHand) begin(e Edge) {
	const allOld = types.ReturnValuesOnConditionCheckFailureAllOld
	id, one := text(e.ID.String()), number64(1)
	put := func(key Key, attribute string, value types.AttributeValue) *types.Put {
		return &types.Put{
			TableName: h.table, Item: item{"pk": text(key[0]), "sk": text(key[1]), attribute: value},
			ConditionExpression: aws.String("attribute_not_exists(pk)"), ReturnValuesOnConditionCheckFailure: allOld,
		}
	}
	count := func(name, attribute string) types.TransactWriteItem {
		key := h.counter(name, 0)
		return types.TransactWriteItem{Update: &types.Update{
			TableName: h.table, Key: item{"pk": text(key[0]), "sk": text(key[1])},
			UpdateExpression:          aws.String("SET #count = if_not_exists(#count, :zero) + :one, ver = if_not_exists(ver, :ver) + :one"),
			ExpressionAttributeNames:  map[string]string{"#count": attribute},
			ExpressionAttributeValues: item{":zero": number64(0), ":one": one, ":ver": number64(uint64(ids.At(time.Now())))},

			ReturnValuesOnConditionCheckFailure: allOld,
		}}
	}
	var guard types.TransactWriteItem
	if key := h.guard(e); e.Kind == "" {
		guard.Put = put(key, "id", id)
		guard.Put.ConditionExpression = aws.String("attribute_not_exists(id) AND (attribute_not_exists(ended) OR ended < :id)")
		guard.Put.ExpressionAttributeValues = item{":id": id}
	} else {
		guard.Update = &types.Update{
			TableName: h.table, Key: item{"pk": text(key[0]), "sk": text(key[1])},
			UpdateExpression:    aws.String("SET #id = :id ADD ver :one REMOVE #ended, #ttl, #shard"),
			ConditionExpression: aws.String("attribute_not_exists(#id) AND (attribute_not_exists(#ended) OR #ended < :id)"),
			ExpressionAttributeNames: map[string]string{
				"#id": of(e.Kind, "id"), "#ended": of(e.Kind, "ended"), "#shard": of(e.Kind, "shard"), "#ttl": "ttl",
			},
			ExpressionAttributeValues:           item{":id": id, ":one": one},
			ReturnValuesOnConditionCheckFailure: allOld,
		}
	}
	writes := []types.TransactWriteItem{
		guard,
		{Put: put(h.inTail(e), h.Head, text(e.Head))},
		{Put: put(h.inHead(e, 0), h.Tail, text(e.Tail))},
		count(e.Head, of(e.Kind, h.Count)),
	}
	if h.TailCount != "" {
		writes = append(writes, count(e.Tail, h.TailCount))
	}
	_, err := h.client.TransactWriteItems(h.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	require.NoError(h, err)
}

func (h byHand) query(pk string, limit *int32) []item {
	out, err := h.client.Query(h.Context(), &dynamodb.QueryInput{
		TableName: h.table, ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(limit == nil), Limit: limit,
		KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: item{":pk": text(pk)},
	})
	require.NoError(h, err)
	return out.Items
}

// list reads the newest edges to a head that has one shard.
func (h byHand) list(head, kind string, limit int32) []Edge {
	if key := h.counter(head, 0); h.Apart {
		counter, err := h.client.GetItem(h.Context(), &dynamodb.GetItemInput{
			TableName: h.table, ConsistentRead: aws.Bool(true), Key: item{"pk": text(key[0]), "sk": text(key[1])},
		})
		require.NoError(h, err)
		require.NotContains(h, counter.Item, "shards")
	} else {
		require.Len(h, h.query(key[0], nil), 1)
	}
	edges := make([]Edge, limit)
	for i, row := range h.query(h.inHead(Edge{Head: head, Kind: kind}, 0)[0], aws.Int32(limit+1))[:limit] {
		id, err := ids.Parse(row["sk"].(*types.AttributeValueMemberS).Value)
		require.NoError(h, err)
		edges[i] = Edge{row[h.Tail].(*types.AttributeValueMemberS).Value, head, kind, id}
	}
	return edges
}

// Begins returns a call of Begin, and the same by hand.
func Begins[E any](b *testing.B, f Feature[E]) (ours, bare func()) {
	w := newWorld(b, f, spread(1))
	h, n := w.byHand(b), 0
	next := func() Edge {
		n++
		return Edge{fmt.Sprint("fan ", n), fmt.Sprint("star ", n%100), f.free(), w.id(b)}
	}
	return func() { w.give(b, next()) }, func() { h.begin(next()) }
}

// Lists returns a call that reads a page of 25 edges to a head, and the same by hand.
func Lists[E any](b *testing.B, f Feature[E]) (ours, bare func()) {
	w := newWorld(b, f, spread(1))
	w.crowd(b, "star", 60, f.free())
	h := w.byHand(b)
	list := func() []E {
		page, err := w.ByHead(b.Context(), "star", f.free(), cursor.PageRequest{})
		require.NoError(b, err)
		require.NotEmpty(b, page.Next)
		return page.Items
	}
	require.Equal(b, w.see(list()), h.list("star", f.free(), 25))
	return func() { list() }, func() { h.list("star", f.free(), 25) }
}
