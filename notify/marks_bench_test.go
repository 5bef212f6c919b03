package notify_test

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
	"github.com/plaza-sdk/plaza/notify"
)

type item = map[string]types.AttributeValue

func s(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func text(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// bare sends the same requests as notify, written directly on the SDK.
type bare struct {
	client *dynamodb.Client
	table  string
}

func newBare(b *testing.B, w world) bare {
	b.Helper()
	return bare{dynamotest.DB(b).Client().(*dynamodb.Client), w.table}
}

func (c bare) query(b *testing.B, user, from, to string, limit int32) []item {
	out, err := c.client.Query(b.Context(), &dynamodb.QueryInput{
		TableName: &c.table, IndexName: aws.String("recent"), Limit: &limit, ScanIndexForward: aws.Bool(false),
		KeyConditionExpression:    aws.String("pk = :pk AND #last BETWEEN :from AND :to"),
		ExpressionAttributeNames:  map[string]string{"#last": "last"},
		ExpressionAttributeValues: item{":pk": s("N#" + user), ":from": s(from), ":to": s(to)},
	})
	require.NoError(b, err)
	return out.Items
}

func parsed(b *testing.B, text string) ids.ID {
	id, err := ids.Parse(text)
	require.NoError(b, err)
	return id
}

// list reads the state and a page, and makes entries.
func (c bare) list(b *testing.B, user string, limit int, now time.Time) []notify.Entry {
	rows := c.query(b, user, "0", "~", int32(limit+2))
	state := rows[0]["s"].(*types.AttributeValueMemberM).Value
	seen, read := parsed(b, text(state["w"])), parsed(b, text(state["r"]))
	page := make([]notify.Entry, limit)
	for i, row := range rows[1 : limit+1] {
		page[i] = entryIn(b, row, seen, read, now)
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

// unseen decodes the rows, so that it counts those that list shows.
func (c bare) unseen(b *testing.B, user string, now time.Time) (n int) {
	out, err := c.client.GetItem(b.Context(), &dynamodb.GetItemInput{TableName: &c.table, Key: item{"pk": s("N#" + user), "sk": s("S")}})
	require.NoError(b, err)
	seen := parsed(b, text(out.Item["s"].(*types.AttributeValueMemberM).Value["w"]))
	for _, row := range c.query(b, user, (seen + 1).String(), "8", 101) {
		ttl, err := strconv.ParseInt(row["ttl"].(*types.AttributeValueMemberN).Value, 10, 64)
		require.NoError(b, err)
		if e := entryIn(b, row, seen, 0, now); !e.Seen && ttl > now.Unix() {
			n++
		}
	}
	return n
}

func (c bare) markSeen(b *testing.B, user string, upTo ids.ID) {
	_, err := c.client.UpdateItem(b.Context(), &dynamodb.UpdateItemInput{
		TableName: &c.table, Key: item{"pk": s("N#" + user), "sk": s("S")},
		UpdateExpression:         aws.String("SET #s.w = :w, #s.x = :x ADD rev :one"),
		ConditionExpression:      aws.String("#s.w < :w AND #s.x < :above"),
		ExpressionAttributeNames: map[string]string{"#s": "s"},
		ExpressionAttributeValues: item{
			":w": s(upTo.String()), ":x": &types.AttributeValueMemberB{Value: []byte{0}},
			":above": &types.AttributeValueMemberB{Value: []byte{1}}, ":one": &types.AttributeValueMemberN{Value: "1"},
		},
	})
	require.NoError(b, err)
}

func benchWorld(b *testing.B) (world, bare) {
	w := newWorld(b, &notify.Options{})
	for n := range 30 {
		for range 5 {
			w.put(b, in("ann", n))
		}
	}
	w.pass(time.Minute)
	w.seen(b, "ann")
	return w, newBare(b, w)
}

func BenchmarkListPage(b *testing.B) {
	w, c := benchWorld(b)
	ours := func() []notify.Entry {
		page, err := w.List(b.Context(), reader("ann"), cursor.PageRequest{Limit: 20})
		require.NoError(b, err)
		return page.Items
	}
	require.Equal(b, ours(), c.list(b, "ann", 20, w.Now()))
	dynamotest.Pair(b, func() { ours() }, func() { c.list(b, "ann", 20, w.Now()) })
}

func BenchmarkUnseen(b *testing.B) {
	w, c := benchWorld(b)
	for n := range 5 {
		w.put(b, in("ann", n))
	}
	ours := func() int {
		n, err := w.Unseen(b.Context(), reader("ann"))
		require.NoError(b, err)
		return n.N
	}
	require.Equal(b, ours(), c.unseen(b, "ann", w.Now()))
	dynamotest.Pair(b, func() { ours() }, func() { c.unseen(b, "ann", w.Now()) })
}

func BenchmarkMarkSeen(b *testing.B) {
	w, c := benchWorld(b)
	upTo := w.id()
	next := func() notify.View {
		w.pass(time.Millisecond)
		upTo = w.id()
		return notify.View{At: ids.At(upTo.Time().Add(time.Minute)), Newest: upTo}
	}
	w.pass(time.Hour)
	dynamotest.Pair(b,
		func() {
			view := next()
			w.pass(time.Minute)
			require.NoError(b, errOf(w.MarkSeen(b.Context(), "ann", view)))
		},
		func() { next(); c.markSeen(b, "ann", upTo) })
}
