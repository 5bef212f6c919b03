package faults_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

func hot(pk, sk string) item {
	return item{"pk": &types.AttributeValueMemberS{Value: pk}, "sk": &types.AttributeValueMemberS{Value: sk}}
}

func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

func TestAHotKeyIsThrottledUntilItsBucketFills(t *testing.T) {
	t.Parallel()
	buckets := &faults.Buckets{}
	db := dynamotest.DB(t, buckets.Wrap).Client()
	table := dynamotest.Table(t, store.Schema)
	put := func(pk string, n int) (err error) {
		_, err = db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: large(pk, n)}, once)
		return err
	}
	require.NoError(t, put("hot", 150))
	require.Zero(t, buckets.Throttled())
	err := put("hot", 1)
	var throttled *types.ThrottlingException
	require.ErrorAs(t, err, &throttled)
	require.Equal(t, "TableWriteKeyRangeThroughputExceeded", aws.ToString(throttled.ThrottlingReasons[0].Reason))
	require.NoError(t, put("cold", 1))
	_, err = db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &table, Key: hot("hot", "0")}, once)
	require.NoError(t, err, "reads have a bucket of their own")

	out, err := db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: {
		{PutRequest: &types.PutRequest{Item: hot("hot", "2")}}, {PutRequest: &types.PutRequest{Item: hot("cold", "2")}},
	}}}, once)
	require.NoError(t, err)
	require.Len(t, out.UnprocessedItems[table], 1)
	require.Equal(t, hot("hot", "2"), out.UnprocessedItems[table][0].PutRequest.Item)

	_, err = db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: &table, Item: hot("cold", "3")}}, {Put: &types.Put{TableName: &table, Item: hot("hot", "3")}},
	}}, once)
	var cancelled *types.TransactionCanceledException
	require.ErrorAs(t, err, &cancelled)
	require.Equal(t, "None", *cancelled.CancellationReasons[0].Code)
	require.Equal(t, "ThrottlingError", *cancelled.CancellationReasons[1].Code)
	require.Equal(t, 3, buckets.Throttled())

	tries := 1
	for ; put("hot", 1) != nil; tries++ {
		require.Less(t, tries, 20)
	}
	require.Greater(t, tries, 1)
}

func TestAnIndexKeyIsHotBySmallUpdates(t *testing.T) {
	t.Parallel()
	buckets := &faults.Buckets{PerSecond: 1000}
	db := dynamotest.DB(t, buckets.Wrap)
	index := store.Index{Name: "ranking", Partition: "part", Sort: "key"}
	table := db.Table(dynamotest.Table(t, index.Schema))
	for i := range 120 {
		err := table.Update("pk", fmt.Sprint(i)).Range("sk", "0").
			SetExpr("score = ?, 'key' = ?, 'part' = if_not_exists('part', ?)", 1, []byte{1}, "p").Run(t.Context())
		if err != nil {
			require.ErrorAs(t, err, new(*types.ThrottlingException))
			require.Greater(t, i, 100)
			return
		}
	}
	require.Fail(t, "nothing was throttled")
}

// large is an item of n KB.
func large(pk string, n int) item {
	i := hot(pk, "0")
	i["text"] = &types.AttributeValueMemberB{Value: make([]byte, n*3/4<<10)}
	return i
}
