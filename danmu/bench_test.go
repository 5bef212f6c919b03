package danmu_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// byHand sends the same requests as ours through the bare SDK.
type byHand struct {
	client *dynamodb.Client
	table  *string
}

func newByHand(b *testing.B, w world) byHand {
	return byHand{dynamotest.DB(b).Client().(*dynamodb.Client), &w.table}
}

// handComment is a comment as an application would decode it.
type handComment struct {
	id, text, user, sent, key string
	mode, size, color         int64
	likes, sentMs             int64
}

func (h byHand) comment(item map[string]types.AttributeValue) (c handComment, err error) {
	for name, to := range map[string]*string{"sk": &c.id, "text": &c.text, "userId": &c.user, "sent": &c.sent, "key": &c.key} {
		if v, ok := item[name].(*types.AttributeValueMemberS); ok {
			*to = v.Value
		}
	}
	for name, to := range map[string]*int64{"mode": &c.mode, "size": &c.size, "color": &c.color, "likes": &c.likes, "sentMs": &c.sentMs} {
		if v, ok := item[name].(*types.AttributeValueMemberN); ok {
			if *to, err = strconv.ParseInt(v.Value, 10, 64); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// shards reads one segment over all shards at once, in playing order.
func (h byHand) shards(b *testing.B, segment, shards int, limit int32) []handComment {
	lanes := make([][]handComment, shards)
	group, ctx := errgroup.WithContext(b.Context())
	for shard := range shards {
		group.Go(func() error {
			in := &dynamodb.QueryInput{
				TableName:                 h.table,
				KeyConditionExpression:    aws.String("pk = :pk"),
				ExpressionAttributeValues: map[string]types.AttributeValue{":pk": text("D#v#" + strconv.Itoa(segment) + "#" + strconv.Itoa(shard))},
			}
			if limit > 0 {
				in.Limit = &limit
			}
			out, err := h.client.Query(ctx, in)
			if err != nil {
				return err
			}
			for _, item := range out.Items {
				c, err := h.comment(item)
				if err != nil {
					return err
				}
				lanes[shard] = append(lanes[shard], c)
			}
			return nil
		})
	}
	require.NoError(b, group.Wait())
	all := slices.Concat(lanes...)
	slices.SortFunc(all, func(a, b handComment) int { return strings.Compare(a.id, b.id) })
	return all
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// BenchmarkEpisode reads the 10,000 comments of an episode.
func BenchmarkEpisode(b *testing.B) {
	w := newEpisode(b, 10_000).process(b, &danmu.Options{})
	h := newByHand(b, w)
	ours := func() (all []danmu.Comment) {
		for segment := range 4 {
			got, err := w.Segment(b.Context(), "v", segment, nil)
			require.NoError(b, err)
			all = append(all, got.Comments...)
		}
		return all
	}
	bare := func() (all []handComment) {
		for segment := range 4 {
			all = append(all, h.shards(b, segment, 4, 0)...)
		}
		return all
	}
	our := ours()
	for i, c := range bare() {
		require.Equal(b, c.id, our[i].ID.String())
	}
	dynamotest.Pair(b, func() { ours() }, func() { bare() })
}

// BenchmarkByObject reads a page of 25 over four shards. Both sides also read the
// object, for its number of shards.
func BenchmarkByObject(b *testing.B) {
	w := newEpisode(b, 10_000).process(b, &danmu.Options{})
	h := newByHand(b, w)
	ours := func() []danmu.Comment {
		page, err := w.ByObject(b.Context(), "v", 0, cursor.PageRequest{})
		require.NoError(b, err)
		require.NotEmpty(b, page.Next)
		return page.Items
	}
	bare := func() []handComment {
		_, err := h.client.GetItem(b.Context(), &dynamodb.GetItemInput{TableName: h.table, Key: map[string]types.AttributeValue{"pk": text("M#v"), "sk": text("M")}})
		require.NoError(b, err)
		return h.shards(b, 0, 4, 26)[:25]
	}
	for i, c := range bare() {
		require.Equal(b, c.id, ours()[i].ID.String())
	}
	dynamotest.Pair(b, func() { ours() }, func() { bare() })
}

func BenchmarkSend(b *testing.B) {
	w := newWorld(b, &danmu.Options{})
	h := newByHand(b, w)
	w.at(b, 1)
	n := 0
	ours := func() {
		_, created, err := w.Send(b.Context(), danmu.Comment{Object: "v", User: "ann", Text: "haha", Progress: time.Second})
		require.NoError(b, err)
		require.True(b, created)
	}
	bare := func() {
		n++
		_, err := h.client.PutItem(b.Context(), &dynamodb.PutItemInput{
			TableName: h.table,
			Item: map[string]types.AttributeValue{
				"pk": text("D#bare#0#0"), "sk": text("20 characters " + strconv.Itoa(n)), "userId": text("bob"), "sent": text(strconv.Itoa(n)), "text": text("haha"),
			},
			ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		require.NoError(b, err)
	}
	dynamotest.Pair(b, ours, bare)
}

func (h byHand) like(b *testing.B, c danmu.Comment, user string) {
	op := text(c.ID.String())
	_, err := h.client.TransactWriteItems(b.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{
			TableName:                           h.table,
			Item:                                map[string]types.AttributeValue{"pk": text("U#" + user), "sk": text("film#" + c.ID.String() + "#L"), "id": op},
			ConditionExpression:                 aws.String("attribute_not_exists(id) AND (attribute_not_exists(ended) OR ended < :id)"),
			ExpressionAttributeValues:           map[string]types.AttributeValue{":id": op},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}},
		{Update: &types.Update{
			TableName:                           h.table,
			Key:                                 map[string]types.AttributeValue{"pk": text("D#film#0#0"), "sk": text(c.ID.String())},
			UpdateExpression:                    aws.String("ADD likes :one"),
			ConditionExpression:                 aws.String("attribute_exists(pk) AND attribute_not_exists(#state)"),
			ExpressionAttributeNames:            map[string]string{"#state": "state"},
			ExpressionAttributeValues:           map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}},
	}})
	require.NoError(b, err)
}

func BenchmarkLike(b *testing.B) {
	s := newStage(b)
	h := newByHand(b, s.world)
	c := s.say(b, "jack", "haha")
	n := 0
	user := func() string {
		n++
		return fmt.Sprint("user ", n)
	}
	dynamotest.Pair(b, func() {
		liked, err := s.Like(b.Context(), of(c, user()))
		require.NoError(b, err)
		require.True(b, liked)
	}, func() { h.like(b, c, user()) })
}
