package message_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify/message"
)

// bare sends the same requests as message, written directly on the SDK.
type bare struct {
	world
	client *dynamodb.Client
}

func newBare(b *testing.B, w world) bare {
	return bare{w, dynamotest.DB(b).Client().(*dynamodb.Client)}
}

const theStored = types.ReturnValuesOnConditionCheckFailureAllOld

// send sends the first message of a pair.
func (h bare) send(ctx context.Context, sender, other string) error {
	c, id := sender+"#"+other, h.id().String()
	head, key, one := image{"pk": text("C#" + c), "sk": text("~")}, "key "+id, number("1")
	if _, err := h.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &h.table, Key: head, ConsistentRead: aws.Bool(true)}); err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(c + "#" + proposal + "##0"))
	put := func(item image) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{
			TableName: &h.table, Item: item,
			ConditionExpression: aws.String("attribute_not_exists(pk)"), ReturnValuesOnConditionCheckFailure: theStored,
		}}
	}
	_, err := h.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String(rand.Text()),
		TransactItems: []types.TransactWriteItem{
			put(image{
				"pk": text("K#" + sender + "#" + key), "sk": text("K"), "c": text(c), "seq": one, "id": text(id),
				"hash": &types.AttributeValueMemberB{Value: hash[:]}, "ttl": number(strconv.FormatInt(h.Now().AddDate(0, 0, 30).Unix(), 10)),
			}),
			{Update: &types.Update{
				TableName: &h.table, Key: head, UpdateExpression: aws.String("SET n = :one"),
				ConditionExpression:       aws.String("attribute_not_exists(n) AND attribute_not_exists(blocked)"),
				ExpressionAttributeValues: image{":one": one}, ReturnValuesOnConditionCheckFailure: theStored,
			}},
			put(image{
				"pk": text("C#" + c + "#0"), "sk": text(seqSK(1)), "id": text(id), "sender": text(sender), "key": text(key), "text": text(proposal),
			}),
		},
	})
	if err != nil {
		return err
	}
	var entries errgroup.Group
	for _, user := range []string{sender, other} {
		entries.Go(func() error {
			in := &dynamodb.UpdateItemInput{
				TableName: &h.table, Key: image{"pk": text("U#" + user), "sk": text("C#" + c)},
				UpdateExpression:          aws.String("SET #last = :last, lastSeq = :one"),
				ConditionExpression:       aws.String("attribute_not_exists(till) AND (attribute_not_exists(lastSeq) OR lastSeq < :one)"),
				ExpressionAttributeNames:  map[string]string{"#last": "last"},
				ExpressionAttributeValues: image{":last": text(id), ":one": one}, ReturnValuesOnConditionCheckFailure: theStored,
			}
			if user == sender { // who has read up to here
				in.ExpressionAttributeNames["#read"] = "read"
				in.ExpressionAttributeValues[":none"] = number("0")
				*in.UpdateExpression += ", #read = :one"
				*in.ConditionExpression += " AND (attribute_not_exists(#read) OR #read = :none)"
			}
			_, err := h.client.UpdateItem(ctx, in)
			return err
		})
	}
	return entries.Wait()
}

const proposal = "Shall we meet at the station?"

// BenchmarkSend sends the first message of a pair.
func BenchmarkSend(b *testing.B) {
	w := newWorld(b, nil)
	bare := newBare(b, w)
	var n atomic.Int64
	dynamotest.Pair(b, func() {
		to := message.Pair{User: "ann", Other: fmt.Sprint("ben ", n.Add(1))}
		_, created, err := w.Send(b.Context(), w.says(to.Conversation(), "ann", proposal))
		require.True(b, created, err)
	}, func() {
		require.NoError(b, bare.send(b.Context(), "ann", fmt.Sprint("ben ", n.Add(1))))
	})
}

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
