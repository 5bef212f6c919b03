package faults_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

func TestAnIndexLagsByAPrefixOfTheWrites(t *testing.T) {
	t.Parallel()
	lag := faults.NewLag(t, 1)
	db := dynamotest.DB(t, lag.Wrap).Client()
	index := store.Index{Name: "ranking", Partition: "part", Sort: "key"}
	table := dynamotest.Table(t, index.Schema)
	read := func() (found []string) {
		out, err := db.Query(t.Context(), &dynamodb.QueryInput{
			TableName: &table, IndexName: aws.String("ranking"), KeyConditionExpression: aws.String("part = :p"),
			ExpressionAttributeValues: item{":p": &types.AttributeValueMemberS{Value: "p"}},
		})
		require.NoError(t, err)
		for _, i := range out.Items {
			found = append(found, i["sk"].(*types.AttributeValueMemberS).Value)
		}
		return found
	}
	letters := []string{"a", "b", "c", "d", "e", "f"}
	most := 0
	for _, sk := range letters {
		i := hot("x", sk)
		i["part"], i["key"] = &types.AttributeValueMemberS{Value: "p"}, &types.AttributeValueMemberB{Value: []byte(sk)}
		_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: i})
		require.NoError(t, err)
		stored, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &table, Key: hot("x", sk)})
		require.NoError(t, err)
		require.NotEmpty(t, stored.Item, "the table itself is current")
		found := read()
		require.Equal(t, letters[:len(found)], append([]string{}, found...))
		require.GreaterOrEqual(t, len(found), most)
		most = len(found)
	}
	require.Positive(t, lag.Reads())
	for range 50 {
		read()
	}
	require.Equal(t, letters, read())
	_, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &table, Key: hot("x", "a")})
	require.NoError(t, err)
	for range 50 {
		read()
	}
	require.Equal(t, letters[1:], read())
}
