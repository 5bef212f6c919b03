package comment_test

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

type item = map[string]types.AttributeValue

func s(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

// byHand sends the same requests as comment, written directly on the SDK.
type byHand struct {
	client *dynamodb.Client
	table  *string
}

func newByHand(b *testing.B, w world) byHand {
	return byHand{dynamotest.DB(b).Client().(*dynamodb.Client), &w.table}
}

func (h byHand) add(b *testing.B, c comment.Comment) {
	now := item{":now": &types.AttributeValueMemberN{Value: strconv.FormatInt(time.Now().Unix(), 10)}}
	put := func(item item) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{
			TableName: h.table, Item: item,
			ConditionExpression:                 aws.String("attribute_not_exists(pk) OR #ttl <= :now"),
			ExpressionAttributeNames:            map[string]string{"#ttl": "ttl"},
			ExpressionAttributeValues:           now,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}}
	}
	id, hash := s(c.ID.String()), sha256.Sum256([]byte(c.Object+"\n"+c.Text))
	_, err := h.client.TransactWriteItems(b.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		put(item{"pk": s("M#" + c.User), "sk": id, "object": s(c.Object), "hash": &types.AttributeValueMemberB{Value: hash[:16]}}),
		put(item{"pk": s("T#" + c.Object), "sk": id, "user": s(c.User), "text": s(c.Text)}),
		{Update: &types.Update{
			TableName: h.table, Key: item{"pk": s("N#" + c.Object), "sk": s("~")},
			UpdateExpression:          aws.String("ADD n :one, roots :one"),
			ExpressionAttributeValues: item{":one": &types.AttributeValueMemberN{Value: "1"}},

			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}},
	}})
	require.NoError(b, err)
}

func (h byHand) query(b *testing.B, in *dynamodb.QueryInput) []item {
	in.TableName = h.table
	out, err := h.client.Query(b.Context(), in)
	require.NoError(b, err)
	return out.Items
}

// comments decodes items as readers see them.
func comments(b *testing.B, object string, items []item) []comment.Comment {
	got := make([]comment.Comment, len(items))
	for n, i := range items {
		text := func(name string) string {
			v, _ := i[name].(*types.AttributeValueMemberS)
			if v == nil {
				return ""
			}
			return v.Value
		}
		root, id, reply := strings.Cut(text("sk"), "#")
		if !reply {
			root, id = "", root
		}
		c := comment.Comment{Object: object, User: text("user"), Text: text("text")}
		for _, field := range []struct {
			to   *ids.ID
			text string
		}{{&c.Root, root}, {&c.ID, id}, {&c.Parent, text("parent")}} {
			require.NoError(b, field.to.UnmarshalText([]byte(field.text)))
		}
		if count, ok := i["replies"].(*types.AttributeValueMemberN); ok {
			_, err := fmt.Sscan(count.Value, &c.Replies)
			require.NoError(b, err)
		}
		got[n] = c
	}
	return got
}

func (h byHand) byObject(b *testing.B, object string, limit int32) []comment.Comment {
	return comments(b, object, h.query(b, &dynamodb.QueryInput{
		Limit: aws.Int32(limit + 1), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: item{":pk": s("T#" + object)},
	}))[:limit]
}

func (h byHand) threads(b *testing.B, object string, limit int32) []comment.Thread {
	threads := make([]comment.Thread, limit)
	place := map[ids.ID]int{}
	for n, root := range h.byObject(b, object, limit) {
		threads[n].Comment = root
		place[root.ID] = n
	}
	for _, reply := range comments(b, object, h.query(b, &dynamodb.QueryInput{
		KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :low AND :high"),
		ExpressionAttributeValues: item{
			":pk": s("F#" + object), ":low": s(threads[limit-1].ID.String()), ":high": s(threads[0].ID.String() + "#~"),
		},
	})) {
		n := place[reply.Root]
		threads[n].First = append(threads[n].First, reply)
	}
	return threads
}

func BenchmarkAdd(b *testing.B) {
	w := newWorld(b, nil)
	h := newByHand(b, w)
	n := 0
	next := func() comment.Comment {
		n++
		return comment.Comment{Object: fmt.Sprint("bird ", n%100), ID: w.id(b), User: fmt.Sprint("user ", n%50), Text: "Beautiful bird!"}
	}
	dynamotest.Pair(b, func() {
		_, created, err := w.Add(b.Context(), next())
		require.True(b, created, err)
	}, func() { h.add(b, next()) })
}

func BenchmarkByObjectPage(b *testing.B) {
	w := newWorld(b, &comment.Options{})
	for range 30 {
		w.says(b, "ann", "bird")
	}
	h := newByHand(b, w)
	ours := func() []comment.Comment {
		page, err := w.ByObject(b.Context(), "bird", cursor.PageRequest{Limit: 20}, nil)
		require.NoError(b, err)
		require.NotEmpty(b, page.Next)
		return page.Items
	}
	require.Equal(b, ours(), h.byObject(b, "bird", 20))
	dynamotest.Pair(b, func() { ours() }, func() { h.byObject(b, "bird", 20) })
}

func BenchmarkThreadsPage(b *testing.B) {
	w := newWorld(b, &comment.Options{})
	for range 30 {
		root := w.says(b, "ann", "bird")
		for range 3 {
			w.replies(b, "bob", root)
		}
	}
	h := newByHand(b, w)
	ours := func() []comment.Thread {
		page, err := w.Threads(b.Context(), "bird", cursor.PageRequest{Limit: 20}, nil)
		require.NoError(b, err)
		require.NotEmpty(b, page.Next)
		return page.Items
	}
	require.Equal(b, ours(), h.threads(b, "bird", 20))
	dynamotest.Pair(b, func() { ours() }, func() { h.threads(b, "bird", 20) })
}
