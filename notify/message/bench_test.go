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

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify/message"
)

func numberOf(v int64) types.AttributeValue { return number(strconv.FormatInt(v, 10)) }

// bare sends the same requests as message, written directly on the SDK.
type bare struct {
	world
	client *dynamodb.Client
}

func newBare(b *testing.B, w world) bare {
	return bare{w, dynamotest.DB(b).Client().(*dynamodb.Client)}
}

const theStored = types.ReturnValuesOnConditionCheckFailureAllOld

// send sends a message after n others.
func (h bare) send(ctx context.Context, sender, other string) error {
	c := sender + "#" + other
	found, err := h.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &h.table, Key: h.head(c), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return err
	}
	seq := int64(1)
	if n, ok := found.Item["n"].(*types.AttributeValueMemberN); ok {
		if seq, err = strconv.ParseInt(n.Value, 10, 64); err != nil {
			return err
		}
	}
	id := h.id().String()
	if err := h.store(ctx, c, sender, id, seq); err != nil {
		return err
	}
	return h.raise(ctx, c, []string{sender, other}, true, id, seq)
}

func (h bare) head(c string) image { return image{"pk": text("C#" + c), "sk": text("~")} }

func (h bare) store(ctx context.Context, c, sender, id string, seq int64) error {
	key, condition, counters := "key "+id, "attribute_not_exists(n)", image{":next": numberOf(seq)}
	if seq > 1 {
		condition, counters[":n"] = "n = :n", numberOf(seq-1)
	}
	hash := sha256.Sum256([]byte(c + "#" + proposal + "##0"))
	_, err := h.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String(rand.Text()),
		TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{
				TableName: &h.table,
				Item: image{
					"pk": text("K#" + sender + "#" + key), "sk": text("K"), "c": text(c), "seq": numberOf(seq), "id": text(id),
					"hash": &types.AttributeValueMemberB{Value: hash[:]}, "ttl": numberOf(h.Now().AddDate(0, 0, 30).Unix()),
				},
				ConditionExpression: aws.String("attribute_not_exists(pk)"), ReturnValuesOnConditionCheckFailure: theStored,
			}},
			{Update: &types.Update{
				TableName: &h.table, Key: h.head(c), UpdateExpression: aws.String("SET n = :next"),
				ConditionExpression:       aws.String(condition + " AND attribute_not_exists(blocked)"),
				ExpressionAttributeValues: counters, ReturnValuesOnConditionCheckFailure: theStored,
			}},
			{Put: &types.Put{
				TableName: &h.table,
				Item: image{
					"pk": text("C#" + c + "#" + fmt.Sprint(seq/bucket)), "sk": text(seqSK(seq)), "id": text(id),
					"sender": text(sender), "key": text(key), "text": text(proposal),
				},
				ConditionExpression: aws.String("attribute_not_exists(pk)"), ReturnValuesOnConditionCheckFailure: theStored,
			}},
		},
	})
	return err
}

// raise moves the entries of both users. The first user is the sender, who has read up to
// here.
func (h bare) raise(ctx context.Context, c string, users []string, read bool, id string, seq int64) error {
	var entries errgroup.Group
	for i, user := range users {
		entries.Go(func() error {
			in := &dynamodb.UpdateItemInput{
				TableName: &h.table, Key: image{"pk": text("U#" + user), "sk": text("C#" + c)},
				UpdateExpression:          aws.String("SET #last = :last, lastSeq = :seq"),
				ConditionExpression:       aws.String("attribute_not_exists(till) AND (attribute_not_exists(lastSeq) OR lastSeq < :seq)"),
				ExpressionAttributeNames:  map[string]string{"#last": "last"},
				ExpressionAttributeValues: image{":last": text(id), ":seq": numberOf(seq)}, ReturnValuesOnConditionCheckFailure: theStored,
			}
			if i == 0 && read {
				in.ExpressionAttributeNames["#read"] = "read"
				in.ExpressionAttributeValues[":before"] = numberOf(seq - 1)
				*in.UpdateExpression += ", #read = :seq"
				*in.ConditionExpression += " AND (attribute_not_exists(#read) OR #read = :before)"
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
