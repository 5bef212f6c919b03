package feed_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

type item = map[string]types.AttributeValue

// bare sends the same requests as feed, written directly on the SDK.
type bare struct {
	w      world
	client *dynamodb.Client
}

func newBare(w world) bare { return bare{w, w.db.Client().(*dynamodb.Client)} }

func (c bare) query(b *testing.B, table, pk, to string, limit int32, consistent bool) *dynamodb.QueryOutput {
	in := &dynamodb.QueryInput{
		TableName: &table, Limit: &limit, ConsistentRead: &consistent, ScanIndexForward: aws.Bool(false),
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: item{":pk": text(pk)},
	}
	if to != "" {
		in.KeyConditionExpression = aws.String("pk = :pk AND sk < :to")
		in.ExpressionAttributeValues[":to"] = text(to)
	}
	out, err := c.client.Query(b.Context(), in)
	require.NoError(b, err)
	return out
}

// publish stores an activity and its job, delivers it to the owner's followers
// and ends the job.
func (c bare) publish(b *testing.B, owner string, a feed.Activity) {
	id, absent := c.w.mint(b), aws.String("attribute_not_exists(pk)")
	job := item{"pk": text("J#0"), "sk": text(id.String() + "#" + owner)}
	_, err := c.client.TransactWriteItems(b.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: &c.w.feedTable, ConditionExpression: absent, Item: item{
			"pk": text("O#" + owner), "sk": text(id.String()), "actor": text(a.Actor.ID), "verb": text(a.Verb),
			"object": text(a.Object.String()), "data": text(string(a.Data)), "hash": &types.AttributeValueMemberB{Value: make([]byte, 16)},
		}}},
		{Put: &types.Put{TableName: &c.w.feedTable, ConditionExpression: absent, Item: item{
			"pk": job["pk"], "sk": job["sk"], "lease": &types.AttributeValueMemberN{Value: "1"},
		}}},
	}})
	require.NoError(b, err)
	c.query(b, c.w.followTable, "C#"+owner, "", 100, true)
	var writes []types.WriteRequest
	for _, row := range c.query(b, c.w.followTable, "R#"+owner+"#0", "", 500, true).Items {
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{
			Item: c.entry(row["follower"].(*types.AttributeValueMemberS).Value, owner, id, row["sk"].(*types.AttributeValueMemberS).Value),
		}})
	}
	c.writeBatch(b, writes)
	_, err = c.client.DeleteItem(b.Context(), &dynamodb.DeleteItemInput{TableName: &c.w.feedTable, Key: job})
	require.NoError(b, err)
}

func (c bare) entry(reader, owner string, id ids.ID, edge string) item {
	return item{
		"pk": text("H#" + reader), "sk": text(id.String() + "#" + owner + "#" + edge),
		"ttl": &types.AttributeValueMemberN{Value: strconv.FormatInt(id.Time().Unix(), 10)},
	}
}

func (c bare) writeBatch(b *testing.B, writes []types.WriteRequest) {
	out, err := c.client.BatchWriteItem(b.Context(), &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{c.w.feedTable: writes},
	})
	require.NoError(b, err)
	require.Empty(b, out.UnprocessedItems)
}

// home reads a page of entries and their activities.
func (c bare) home(b *testing.B, reader string, limit int) []feed.Activity {
	entries := c.query(b, c.w.feedTable, "H#"+reader, "8", int32(limit+2), false).Items
	keys := []item{{"pk": text("H#" + reader), "sk": text("~")}}
	asked := map[string]bool{}
	for _, entry := range entries[:limit+1] {
		parts := strings.Split(entry["sk"].(*types.AttributeValueMemberS).Value, "#")
		if row := parts[0] + "#" + parts[1]; !asked[row] { // a key must not be there twice
			asked[row] = true
			keys = append(keys, item{"pk": text("O#" + parts[1]), "sk": text(parts[0])})
		}
	}
	out, err := c.client.BatchGetItem(b.Context(), &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{c.w.feedTable: {Keys: keys}},
	})
	require.NoError(b, err)
	now := time.Now().Unix()
	byKey, floor := map[string]item{}, ""
	for _, found := range out.Responses[c.w.feedTable] {
		byKey[found["sk"].(*types.AttributeValueMemberS).Value] = found
	}
	if header := byKey["~"]; header != nil {
		floor = header["floor"].(*types.AttributeValueMemberS).Value
	}
	page := make([]feed.Activity, limit)
	for i := range page {
		ttl, err := strconv.ParseInt(entries[i]["ttl"].(*types.AttributeValueMemberN).Value, 10, 64)
		require.NoError(b, err)
		sk := keys[i+1]["sk"].(*types.AttributeValueMemberS).Value
		if ttl <= now || sk < floor {
			b.Fatal("shows what has expired or was trimmed")
		}
		page[i] = activityOf(b, byKey[sk])
	}
	return page
}

func activityOf(b *testing.B, found item) feed.Activity {
	text := func(name string) string { return found[name].(*types.AttributeValueMemberS).Value }
	id, err := ids.Parse(text("sk"))
	require.NoError(b, err)
	object, err := feed.ParseRef(text("object"))
	require.NoError(b, err)
	data := []byte(text("data"))
	require.True(b, json.Valid(data)) // else the whole page could not be marshalled
	return feed.Activity{
		ID: id, Owner: strings.TrimPrefix(text("pk"), "O#"), Time: id.Time(), Object: object,
		Actor: feed.Ref{ID: text("actor")}, Verb: text("verb"), Data: data,
	}
}

func BenchmarkPublish(b *testing.B) {
	w := newWorld(b, nil)
	w.subscribe(b, "jack", "chris")
	c := newBare(w)
	dynamotest.Pair(b,
		func() { w.publish(b, "chris", 1) },
		func() { c.publish(b, "chris", activity("chris", 1)) })
}

func BenchmarkHomePage(b *testing.B) {
	w := newWorld(b, &feed.Options{})
	w.subscribe(b, "jack", "chris")
	w.publish(b, "chris", 30)
	c := newBare(w)
	ours := func() []feed.Activity {
		page, err := w.Home("jack").List(b.Context(), cursor.PageRequest{Limit: 20})
		require.NoError(b, err)
		return page.Items
	}
	require.Equal(b, ours(), c.home(b, "jack", 20))
	dynamotest.Pair(b, func() { ours() }, func() { c.home(b, "jack", 20) })
}
