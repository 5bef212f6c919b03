package leaderboard_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func bytesIn(v types.AttributeValue) []byte {
	if b, ok := v.(*types.AttributeValueMemberB); ok {
		return b.Value
	}
	return nil
}

// BenchmarkSubmitBest submits better scores of a hundred players, and compares that
// with the same update through the bare SDK.
func BenchmarkSubmitBest(b *testing.B) {
	w := newWorld(b, nil)
	require.NoError(b, errorOf(w.Define(b.Context(), leaderboard.Board{Name: "b"})))
	client := dynamotest.DB(b).Client().(*dynamodb.Client)
	n := 0
	ours := func() {
		n++
		got, _, err := w.Submit(b.Context(), leaderboard.Submission{Board: "b", Player: fmt.Sprint("player ", n%100), Score: leaderboard.Int(int64(n))})
		require.NoError(b, err)
		if !got.Improved {
			b.Fatal("not improved")
		}
	}
	bare := func() {
		n++
		op, player := w.id(), fmt.Sprint("player ", n%100)
		key := fmt.Appendf(nil, "%016x%s", -uint64(n), player)
		out, err := client.UpdateItem(b.Context(), &dynamodb.UpdateItemInput{
			TableName: &w.table,
			Key:       dynamo.Item{"pk": textOf("P#" + player), "sk": textOf("LB#bare#" + forever)},
			UpdateExpression: aws.String("SET prev = if_not_exists(#key, :none), score = :score, #key = :key, " +
				"part = if_not_exists(part, :part), lastOp = :op, print = :print, rev = if_not_exists(rev, :rev) + :one " +
				"REMOVE #sub, #ttl, meta"),
			ConditionExpression: aws.String("(attribute_not_exists(#key) OR #key > :key AND size(#key) = :size) AND " +
				"(attribute_not_exists(lastOp) OR lastOp <> :op) AND (attribute_not_exists(removed) OR removed < :op)"),
			ExpressionAttributeNames: map[string]string{"#key": "key", "#sub": "sub", "#ttl": "ttl"},
			ExpressionAttributeValues: dynamo.Item{
				":none": &types.AttributeValueMemberB{Value: []byte{}}, ":key": &types.AttributeValueMemberB{Value: key},
				":score": textOf(fmt.Sprint(n)), ":part": textOf("bare#" + forever + "#0"), ":op": textOf(op.String()),
				":print": numberOf(fmt.Sprint(crc32.ChecksumIEEE([]byte(player)))), ":rev": numberOf(fmt.Sprint(uint64(op))), ":size": numberOf(fmt.Sprint(len(key))), ":one": numberOf("1"),
			},
			ReturnValues:                        types.ReturnValueAllNew,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		require.NoError(b, err)
		if written := bytesIn(out.Attributes["key"]); len(written) == 0 || bytes.Equal(written, bytesIn(out.Attributes["prev"])) {
			b.Fatal("not improved")
		}
	}
	dynamotest.Pair(b, ours, bare)
}

// byHand sends the same requests as ours through the bare SDK.
type byHand struct {
	client *dynamodb.Client
	table  *string
}

// newReadBench returns a board of 1,000 players that the process has read already.
func newReadBench(b *testing.B) (world, byHand) {
	w := newWorld(b, nil)
	w.crowd(b, "b", 1000)
	_, err := w.Top(b.Context(), in("b"), cursor.PageRequest{})
	require.NoError(b, err)
	return w, byHand{dynamotest.DB(b).Client().(*dynamodb.Client), &w.table}
}

// query queries the index with a condition on the key.
func (h byHand) query(condition string, bounds ...[]byte) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{
		TableName: h.table, IndexName: aws.String("ranking"),
		KeyConditionExpression:    aws.String("part = :part" + condition),
		ExpressionAttributeValues: dynamo.Item{":part": textOf("b#" + forever + "#0")},
	}
	for i, bound := range bounds {
		in.ExpressionAttributeNames = map[string]string{"#key": "key"}
		in.ExpressionAttributeValues[[]string{":from", ":to"}[i]] = &types.AttributeValueMemberB{Value: bound}
	}
	return in
}

func (h byHand) count(ctx context.Context, condition string, bounds ...[]byte) (int64, error) {
	in := h.query(condition, bounds...)
	in.Select = types.SelectCount
	out, err := h.client.Query(ctx, in)
	if err != nil {
		return 0, err
	}
	return int64(out.Count), nil
}

// top decodes what a Standing has, and ranks it.
func (h byHand) top(b *testing.B, limit int32) []leaderboard.Standing {
	in := h.query("")
	in.Limit = aws.Int32(limit + 1)
	out, err := h.client.Query(b.Context(), in)
	require.NoError(b, err)
	rows := make([]leaderboard.Standing, limit)
	now := time.Now()
	for i, item := range out.Items[:limit] {
		key := bytesIn(item["key"])
		require.Greater(b, len(key), 24)
		row := &rows[i]
		row.Player, row.Score = string(key[24:]), leaderboard.Int(scoreOf(key))
		row.Sub = scoreOf(key[8:])
		row.At = time.UnixMilli(int64(binary.BigEndian.Uint64(key[16:]) ^ 1<<63)).UTC()
		if v, ok := item["name"].(*types.AttributeValueMemberS); ok {
			row.Name = v.Value
		}
		if v, ok := item["meta"].(*types.AttributeValueMemberS); ok {
			row.Meta = json.RawMessage(v.Value)
		}
		row.Position = leaderboard.Position{Ordinal: int64(i) + 1, Rank: int64(i) + 1, AsOf: now}
		if i > 0 && row.Score == rows[i-1].Score && row.Sub == rows[i-1].Sub {
			row.Rank = rows[i-1].Rank
		}
	}
	return rows
}

func BenchmarkTopPage(b *testing.B) {
	w, h := newReadBench(b)
	ours := func() []leaderboard.Standing {
		page, err := w.Top(b.Context(), in("b"), cursor.PageRequest{})
		require.NoError(b, err)
		require.NotEmpty(b, page.Next)
		return page.Items
	}
	for i, row := range h.top(b, 25) {
		our := ours()[i]
		row.AsOf = our.AsOf
		require.Equal(b, our, row)
	}
	dynamotest.Pair(b, func() { ours() }, func() { h.top(b, 25) })
}

func BenchmarkRank(b *testing.B) {
	w, h := newReadBench(b)
	player := sixteen("p500")
	ours := func() int64 {
		rank, err := w.Rank(b.Context(), in("b"), player)
		require.NoError(b, err)
		return rank.Ordinal
	}
	bare := func() int64 {
		out, err := h.client.GetItem(b.Context(), &dynamodb.GetItemInput{
			TableName: h.table, ConsistentRead: aws.Bool(true),
			Key: dynamo.Item{"pk": textOf("P#" + player), "sk": textOf("LB#b#" + forever)},
		})
		require.NoError(b, err)
		key := out.Item["key"].(*types.AttributeValueMemberB).Value
		var better, tied int64
		group, ctx := errgroup.WithContext(b.Context())
		group.Go(func() (err error) {
			better, err = h.count(ctx, " AND #key < :from", key[:16])
			return err
		})
		group.Go(func() (err error) {
			tied, err = h.count(ctx, " AND #key BETWEEN :from AND :to", key[:16], key) // including the player
			return err
		})
		require.NoError(b, group.Wait())
		return better + tied
	}
	require.Equal(b, ours(), bare())
	dynamotest.Pair(b, func() { ours() }, func() { bare() })
}
