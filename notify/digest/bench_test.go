package digest_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
)

func text(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func number(v int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(v)}
}

type item = map[string]types.AttributeValue

// byHand sends the same requests as this package, written directly on the SDK.
type byHand struct {
	world
	client *dynamodb.Client
}

func (h byHand) key(user string, slot ids.ID) item {
	return item{"pk": text("D#0"), "sk": text(slot.String() + "#" + slot.String() + "#" + fmt.Sprintf("%032s", user))}
}

func (h byHand) due(ctx context.Context, user string) error {
	from := h.Now().Truncate(time.Hour)
	slot := ids.At(from.Add(time.Hour))
	_, err := h.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &h.table, Key: h.key(user, slot),
		UpdateExpression:         aws.String("SET #user = :user, channel = :channel, slot = :slot, #begin = :begin, #ttl = :ttl"),
		ConditionExpression:      aws.String("attribute_not_exists(#begin) OR #begin > :begin"),
		ExpressionAttributeNames: map[string]string{"#user": "user", "#begin": "begin", "#ttl": "ttl"},
		ExpressionAttributeValues: item{
			":user": text(user), ":channel": text(email), ":slot": text(slot.String()), ":begin": text(ids.At(from).String()),
			":ttl": number(from.Add(31 * 24 * time.Hour).Unix()),
		},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	return err
}

// BenchmarkSchedule plans the digest of a slot's first event.
func BenchmarkSchedule(b *testing.B) {
	w := newWorld(b, hourly)
	p := w.process(b, parts{})
	h := byHand{w, dynamotest.DB(b).Client().(*dynamodb.Client)}
	require.NoError(b, p.due(b.Context(), "ann", []string{email}, w.id()))
	var n atomic.Int64
	user := func() string { return fmt.Sprintf("user%012d", n.Add(1)) }
	dynamotest.Pair(b, func() {
		require.NoError(b, p.due(b.Context(), user(), []string{email}, w.id()))
	}, func() {
		require.NoError(b, h.due(b.Context(), user()))
	})
}

// deliver does what a worker does for the digests that are due, from finding them to
// their end. A slow one delays no other.
func (h byHand) deliver(ctx context.Context, mailbox digest.Sender, decode func([]item) []notify.Entry) error {
	if _, err := h.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &h.table, Key: item{"pk": text("D"), "sk": text("shards")},
	}); err != nil {
		return err
	}
	jobs, err := h.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &h.table, KeyConditionExpression: aws.String("pk = :pk AND sk < :now"),
		ExpressionAttributeValues: item{":pk": text("D#0"), ":now": text(ids.At(h.Now().Add(-notify.Window)).String())},
		Limit:                     aws.Int32(100),
	})
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(8)
	for _, job := range jobs.Items {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			return h.attempt(ctx, job, mailbox, decode)
		})
	}
	return group.Wait()
}

func (h byHand) attempt(ctx context.Context, job item, mailbox digest.Sender, decode func([]item) []notify.Entry) error {
	user, slot := textOf(job["user"]), textOf(job["slot"])
	mark, err := h.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &h.table, Key: item{"pk": text("N#" + user), "sk": text("D#email")},
	})
	if err != nil {
		return err
	}
	put := &dynamodb.PutItemInput{TableName: &h.table, Item: item{
		"pk": text("N#" + user), "sk": text("D#email"), "rev": number(h.Now().UnixMilli()), "floor": text("0000000000000"),
		"spans":  &types.AttributeValueMemberB{Value: make([]byte, 25)},
		"leases": &types.AttributeValueMemberB{Value: make([]byte, 25)},
		"ttl":    number(h.Now().Add(60 * 24 * time.Hour).Unix()),
	}, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld}
	if len(mark.Item) == 0 {
		put.ConditionExpression = aws.String("attribute_not_exists(pk)")
	}
	if _, err := h.client.PutItem(ctx, put); err != nil {
		return err
	}
	groups, err := h.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &h.table, IndexName: aws.String("recent"),
		KeyConditionExpression:    aws.String("pk = :pk AND #last BETWEEN :from AND :to"),
		ExpressionAttributeNames:  map[string]string{"#last": "last"},
		ExpressionAttributeValues: item{":pk": text("N#" + user), ":from": job["begin"], ":to": text("~")},
		ConsistentRead:            aws.Bool(true), ScanIndexForward: aws.Bool(false), Limit: aws.Int32(101),
	})
	if err != nil {
		return err
	}
	if err := mailbox.Send(ctx, digest.Digest{
		Key: strings.Join([]string{user, email, slot}, "#"), User: user, Channel: email, Entries: decode(groups.Items),
	}); err != nil {
		return err
	}
	_, err = h.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &h.table, Key: item{"pk": job["pk"], "sk": job["sk"]},
	})
	return err
}

func textOf(v types.AttributeValue) string {
	s, _ := v.(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

// BenchmarkDeliver delivers a digest of one group, and includes the write that planned
// it.
func BenchmarkDeliver(b *testing.B) {
	ours, oursNext := dueByTurns(b)
	bare, bareNext := dueByTurns(b)
	h := byHand{bare.world, dynamotest.DB(b).Client().(*dynamodb.Client)}
	decode := func(items []item) (entries []notify.Entry) {
		for _, i := range items {
			var e notify.Entry
			require.NoError(b, json.Unmarshal([]byte(textOf(i["data"])), &e.Activity))
			actor, err := feed.ParseRef(textOf(i["a1"]))
			require.NoError(b, err)
			e.Group, e.Actors, e.N = strings.TrimPrefix(textOf(i["sk"]), "G#"), []feed.Ref{actor}, 1
			entries = append(entries, e)
		}
		return entries
	}
	dynamotest.Pair(b, func() {
		oursNext()
		done, err := ours.worker.Deliver(b.Context())
		require.NoError(b, err)
		require.Equal(b, 1, done)
	}, func() {
		bareNext()
		require.NoError(b, h.deliver(b.Context(), bare.mailbox, decode))
	})
	require.Len(b, ours.all(), len(bare.all()))
}

// dueByTurns stores groups of users, and returns a function that makes the next user's
// digest due. Answers are played back, so the clock must stand still.
func dueByTurns(b *testing.B) (p process, next func()) {
	const users = 4000
	w := newWorld(b, hourly)
	p = w.process(b, parts{})
	p.notify(b, "1")
	var group, job item
	require.NoError(b, w.raw(b).Get("pk", "N#ann").Range("sk", dynamo.Equal, "G#post:1#comment#2026-03-10").One(b.Context(), &group))
	j := w.jobs(b)[0]
	require.NoError(b, w.raw(b).Get("pk", j.PK).Range("sk", dynamo.Equal, j.SK).One(b.Context(), &job))
	require.NoError(b, w.raw(b).Delete("pk", j.PK).Range("sk", j.SK).Run(b.Context()))
	name := func(n int) string { return fmt.Sprintf("user%012d", n) }
	var all []any
	for n := range users {
		own := maps.Clone(group)
		own["pk"] = text("N#" + name(n))
		all = append(all, own)
	}
	_, err := w.raw(b).Batch("pk", "sk").Write().Put(all...).Run(b.Context())
	require.NoError(b, err)
	w.pass(time.Hour + 11*time.Second)
	client := dynamotest.DB(b).Client()
	n := 0
	return p, func() {
		own := maps.Clone(job)
		sum := sha256.Sum256([]byte(name(n) + "#" + email))
		own["user"], own["sk"] = text(name(n)), text(j.SK[:28]+hex.EncodeToString(sum[:16]))
		_, err := client.PutItem(b.Context(), &dynamodb.PutItemInput{TableName: &w.table, Item: own})
		require.NoError(b, err)
		n++
	}
}
