package message_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify/message"
)

func intOf(b *testing.B, v types.AttributeValue) int64 {
	n, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	i, err := strconv.ParseInt(n.Value, 10, 64)
	require.NoError(b, err)
	return i
}

func (h bare) get(b *testing.B, consistent bool, keys ...image) []image {
	out, err := h.client.BatchGetItem(b.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		h.table: {Keys: keys, ConsistentRead: &consistent},
	}})
	require.NoError(b, err)
	return out.Responses[h.table]
}

func (h bare) decode(b *testing.B, conversation string, item image) message.Message {
	id, err := ids.Parse(textOf(item["id"]))
	require.NoError(b, err)
	seq, err := strconv.ParseInt(textOf(item["sk"]), 10, 64)
	require.NoError(b, err)
	return message.Message{
		Conversation: conversation, Sender: textOf(item["sender"]), Key: textOf(item["key"]), Text: textOf(item["text"]),
		ReplyTo: intOf(b, item["replyTo"]), Seq: seq, ID: id,
	}
}

func (h bare) historyPage(b *testing.B, in message.In, limit int32) []message.Message {
	n, from := int64(0), int64(0)
	for _, item := range h.get(b, true,
		image{"pk": text("U#" + in.User), "sk": text("C#" + in.Conversation)},
		image{"pk": text("C#" + in.Conversation), "sk": text("~")},
	) {
		if textOf(item["sk"]) == "~" {
			n = intOf(b, item["n"])
		} else {
			from = intOf(b, item["from"])
		}
	}
	out, err := h.client.Query(b.Context(), &dynamodb.QueryInput{
		TableName: &h.table, Limit: aws.Int32(limit + 1), ScanIndexForward: aws.Bool(false), ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :from AND :to"),
		ExpressionAttributeValues: image{
			":pk":   text(fmt.Sprint("C#", in.Conversation, "#", n/bucket)),
			":from": text(fmt.Sprintf("%016d", from+1)), ":to": text(fmt.Sprintf("%016d", bucket-1)),
		},
	})
	require.NoError(b, err)
	page := make([]message.Message, limit)
	for i := range page {
		page[i] = h.decode(b, in.Conversation, out.Items[i])
	}
	return page
}

func (h bare) inboxPage(b *testing.B, user string, limit int32) []message.Entry {
	out, err := h.client.Query(b.Context(), &dynamodb.QueryInput{
		TableName: &h.table, IndexName: aws.String("recent"), Limit: aws.Int32(limit + 1), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: image{":pk": text("U#" + user)},
	})
	require.NoError(b, err)
	page := make([]message.Entry, limit)
	keys := make([]image, limit)
	for i := range page {
		item := out.Items[i]
		name := textOf(item["sk"])[len("C#"):]
		last, read := intOf(b, item["lastSeq"]), intOf(b, item["read"])
		page[i] = message.Entry{Conversation: name, Read: read, Unread: last - read}
		pk, sk := messageAt(name, last)
		keys[i] = image{"pk": text(pk), "sk": text(sk)}
	}
	found := map[string]image{}
	for _, item := range h.get(b, false, keys...) {
		found[textOf(item["pk"])] = item
	}
	for i := range page {
		page[i].Last = h.decode(b, page[i].Conversation, found[textOf(keys[i]["pk"])])
	}
	return page
}

func BenchmarkHistory(b *testing.B) {
	w := newWorld(b, nil)
	l := w.lay(b, "g", 0, "ann", "ben")
	l.send(b, 60)
	in := of("ann", "g")
	h := newBare(b, w)
	dynamotest.Pair(b, func() {
		page, err := w.History(b.Context(), in, cursor.PageRequest{Limit: 20})
		require.NoError(b, err)
		require.Len(b, page.Items, 20)
	}, func() {
		require.Len(b, h.historyPage(b, in, 20), 20)
	})
}

func BenchmarkInbox(b *testing.B) {
	w := newWorld(b, &message.Options{})
	for n := range 30 {
		w.lay(b, fmt.Sprint("group ", n), 0, "ann").send(b, 2)
	}
	h := newBare(b, w)
	page, err := w.Inbox(b.Context(), "ann", cursor.PageRequest{Limit: 20})
	require.NoError(b, err)
	require.Equal(b, page.Items, h.inboxPage(b, "ann", 20))
	dynamotest.Pair(b, func() {
		page, err := w.Inbox(b.Context(), "ann", cursor.PageRequest{Limit: 20})
		require.NoError(b, err)
		require.Len(b, page.Items, 20)
	}, func() {
		require.Len(b, h.inboxPage(b, "ann", 20), 20)
	})
}
