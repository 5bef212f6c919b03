package dynamotest_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

func schema(name string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName:   aws.String(name),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange},
		},
	}
}

type row struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	Text string `dynamo:",omitempty"`
}

func TestTableIsFreshAndGoneAfterwards(t *testing.T) {
	t.Parallel()
	db := dynamotest.DB(t)
	var first, second string
	t.Run("of/one name", func(t *testing.T) {
		first = dynamotest.Table(t, schema)
		second = dynamotest.Table(t, schema)
		require.NotEqual(t, first, second)
		require.NoError(t, db.Table(first).Put(row{PK: "a", SK: "b"}).Run(t.Context()))
		n, err := db.Table(second).Scan().Count(t.Context())
		require.NoError(t, err)
		require.Zero(t, n)
	})
	names, err := db.ListTables().All(context.Background())
	require.NoError(t, err)
	require.NotContains(t, names, first)
	require.NotContains(t, names, second)
}
