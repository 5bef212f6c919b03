package announce_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
)

func BenchmarkAnnounce(b *testing.B) {
	w := newWorld(b)
	client := dynamotest.DB(b).Client().(*dynamodb.Client)
	s := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	a := w.message("Hello")
	n := 0
	dynamotest.Pair(b, func() { w.announce(b, a) }, func() {
		n++
		_, err := client.PutItem(b.Context(), &dynamodb.PutItemInput{
			TableName: &w.table,
			Item: map[string]types.AttributeValue{
				"pk": s("A#everyone#0"), "sk": s(fmt.Sprintf("%013d", n)), "op": s("0123456789012"),
				"title": s(a.Title), "text": s(a.Text), "data": s(string(a.Data)),
				"refs":  &types.AttributeValueMemberL{Value: []types.AttributeValue{s("page:editor")}},
				"until": &types.AttributeValueMemberN{Value: fmt.Sprint(a.Until.UnixMilli())},
				"ttl":   &types.AttributeValueMemberN{Value: fmt.Sprint(a.Until.Unix())},
			},
			ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		require.NoError(b, err)
	})
}

// BenchmarkRefresh reads an audience each time, beside the same Query.
func BenchmarkRefresh(b *testing.B) {
	for _, n := range []int{1, announce.MaxLive} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newWorld(b)
			a := w.message("Hello")
			a.Until = today.Add(announce.MaxLife)
			for range n {
				w.announce(b, a)
			}
			w.forward(lead)
			client := dynamotest.DB(b).Client().(*dynamodb.Client)
			reader := notify.Reader{User: "ann", Audiences: []string{"everyone"}}
			dynamotest.Pair(b, func() {
				w.forward(announce.CacheTTL)
				live, err := w.Live(b.Context(), reader)
				require.NoError(b, err)
				require.Len(b, live, n)
			}, func() {
				out, err := client.Query(b.Context(), &dynamodb.QueryInput{
					TableName: &w.table, Limit: aws.Int32(announce.MaxLive), ScanIndexForward: aws.Bool(false),
					KeyConditionExpression: aws.String("pk = :pk AND sk < :to"),
					ExpressionAttributeValues: map[string]types.AttributeValue{
						":pk": &types.AttributeValueMemberS{Value: "A#everyone#0"},
						":to": &types.AttributeValueMemberS{Value: "8"},
					},
				})
				require.NoError(b, err)
				live := make([]notify.Announcement, len(out.Items))
				for i, item := range out.Items {
					live[i].Title = item["title"].(*types.AttributeValueMemberS).Value
					live[i].Text = item["text"].(*types.AttributeValueMemberS).Value
					live[i].Data = []byte(item["data"].(*types.AttributeValueMemberS).Value)
					until, err := strconv.ParseInt(item["until"].(*types.AttributeValueMemberN).Value, 10, 64)
					require.NoError(b, err)
					live[i].Until = time.UnixMilli(until)
					for _, ref := range item["refs"].(*types.AttributeValueMemberL).Value {
						parsed, err := feed.ParseRef(ref.(*types.AttributeValueMemberS).Value)
						require.NoError(b, err)
						live[i].Refs = append(live[i].Refs, parsed)
					}
					require.NoError(b, live[i].ID.UnmarshalText([]byte(item["sk"].(*types.AttributeValueMemberS).Value)))
				}
				require.Len(b, live, n)
			})
		})
	}
}
