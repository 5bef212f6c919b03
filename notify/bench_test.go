package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
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
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

type item = map[string]types.AttributeValue

func textOf(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func numberOf(v int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(v)}
}

func text(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

func parsed(b *testing.B, text string) ids.ID {
	id, err := ids.Parse(text)
	require.NoError(b, err)
	return id
}

// byHand sends the same requests as notify, written directly on the SDK.
type byHand struct {
	world
	client *dynamodb.Client
}

func newByHand(b *testing.B, w world) byHand {
	b.Helper()
	return byHand{w, dynamotest.DB(b).Client().(*dynamodb.Client)}
}

// page reads the state and a page, and makes entries.
func (h byHand) page(b *testing.B, user string, limit int) []notify.Entry {
	out, err := h.client.Query(b.Context(), &dynamodb.QueryInput{
		TableName: &h.table, IndexName: aws.String("recent"), Limit: aws.Int32(int32(limit + 2)), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression:    aws.String("pk = :pk AND #last BETWEEN :from AND :to"),
		ExpressionAttributeNames:  map[string]string{"#last": "last"},
		ExpressionAttributeValues: item{":pk": textOf("N#" + user), ":from": textOf("0"), ":to": textOf("~")},
	})
	require.NoError(b, err)
	state := out.Items[0]["s"].(*types.AttributeValueMemberM).Value
	seen, read := parsed(b, text(state["w"])), parsed(b, text(state["r"]))
	page := make([]notify.Entry, limit)
	for i, row := range out.Items[1 : limit+1] {
		page[i] = entryIn(b, row, seen, read, h.Now())
	}
	return page
}

// entryIn decodes a row as readers see it.
func entryIn(b *testing.B, row item, seen, read ids.ID, now time.Time) notify.Entry {
	place, _, _ := strings.Cut(text(row["last"]), "#")
	last := parsed(b, place)
	n, err := strconv.Atoi(row["n"].(*types.AttributeValueMemberN).Value)
	require.NoError(b, err)
	e := notify.Entry{
		Group: strings.TrimPrefix(text(row["sk"]), "G#"), Last: last, Summary: notify.Summary{N: n},
		Seen: last <= seen, Read: last <= read, Listed: ids.At(now),
	}
	if err := json.Unmarshal([]byte(text(row["data"])), &e.Activity); err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"a1", "a2", "a3", "a4", "a5"} {
		if actor := text(row[name]); actor != "" {
			ref, err := feed.ParseRef(actor)
			require.NoError(b, err)
			e.Actors = append(e.Actors, ref)
		}
	}
	return e
}

func BenchmarkListPage(b *testing.B) {
	w := newWorld(b, &notify.Options{})
	for n := range 30 {
		for range 5 {
			w.put(b, in("ann", n))
		}
	}
	w.pass(time.Minute)
	w.seen(b, "ann")
	h := newByHand(b, w)
	ours := func() []notify.Entry {
		page, err := w.List(b.Context(), reader("ann"), cursor.PageRequest{Limit: 20})
		require.NoError(b, err)
		return page.Items
	}
	require.Equal(b, ours(), h.page(b, "ann", 20))
	dynamotest.Pair(b, func() { ours() }, func() { h.page(b, "ann", 20) })
}

func (h byHand) notify(ctx context.Context, n notify.Notification) error {
	n.Activity.Time = n.Activity.ID.Time()
	data, err := json.Marshal(n.Activity)
	if err != nil {
		return err
	}
	id, now := h.id().String(), h.Now()
	sk := "G#" + n.Activity.Object.String() + "#" + n.Activity.Verb + "#" + n.Activity.ID.Time().Format("2006-01-02")
	_, err = h.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &h.table,
		Key:       item{"pk": textOf("N#" + n.User), "sk": textOf(sk)},
		UpdateExpression: aws.String("SET #last = :last, lv = :lv, #data = :data, #ttl = :ttl, #e = :e, " +
			"n = if_not_exists(n, :zero) + :one, rev = if_not_exists(rev, :zero) + :one, " +
			"a1 = :actor, a2 = if_not_exists(a1, :none), a3 = if_not_exists(a2, :none), a4 = if_not_exists(a3, :none), " +
			"a5 = if_not_exists(a4, :none) REMOVE was"),
		ConditionExpression: aws.String("attribute_not_exists(pk) OR lv < :lv AND n < :cap AND #ttl > :now AND attribute_not_exists(#e) " +
			"AND NOT :actor IN (a1, a2, a3, a4, a5) AND (attribute_not_exists(cut) OR cut < :id)"),
		ExpressionAttributeNames: map[string]string{"#last": "last", "#data": "data", "#ttl": "ttl", "#e": "e" + n.Activity.ID.String()},
		ExpressionAttributeValues: item{
			":last": textOf(id + "#ff4ca280de3e"), ":lv": textOf(id), ":data": textOf(string(data)), ":ttl": numberOf(now.Add(91 * 24 * time.Hour).Unix()),
			":e": textOf(id + "#" + n.Activity.Actor.String()), ":zero": numberOf(0), ":one": numberOf(1),
			":actor": textOf(n.Activity.Actor.String()), ":none": textOf(""), ":cap": numberOf(group.Cap), ":now": numberOf(now.Unix()),
			":id": textOf(n.Activity.ID.String()),
		},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	return err
}

// events makes events of 500 groups in turn.
func (w world) events() func() notify.Notification {
	var n atomic.Int64
	return func() notify.Notification {
		k := n.Add(1)
		event := w.like(fmt.Sprint("fan", k/500))
		event.User = fmt.Sprint("user", k%500)
		return event
	}
}

func BenchmarkNotify(b *testing.B) {
	w := newWorld(b, nil)
	h := newByHand(b, w)
	ours, bare := w.events(), w.events()
	dynamotest.Pair(b, func() {
		_, created, err := w.Notify(b.Context(), ours())
		require.True(b, created, err)
	}, func() {
		n := bare()
		n.User = "bare" + n.User
		require.NoError(b, h.notify(b.Context(), n))
	})
}
