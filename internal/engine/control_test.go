package engine_test

import (
	"os/exec"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestAControlledEnginesStreamsRollOverAndAge(t *testing.T) {
	t.Parallel()
	if !faults.Full() {
		t.Skip("it starts an engine")
	}
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("it needs a JDK")
	}
	e, err := engine.Start(t.Context(), &engine.Options{Control: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	db := dynamodb.NewFromConfig(e.Config())
	streams := dynamodbstreams.NewFromConfig(e.Config())
	out, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("table"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		StreamSpecification:  &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly},
	})
	require.NoError(t, err)
	shards := func() int {
		out, err := streams.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: out.TableDescription.LatestStreamArn})
		require.NoError(t, err)
		return len(out.StreamDescription.Shards)
	}
	require.Equal(t, 1, shards())
	require.NoError(t, engine.Rollover(t.Context(), db))
	require.Equal(t, 2, shards())
	require.NoError(t, engine.Age(t.Context(), db, 5))
	require.Equal(t, 3, shards())
	require.Error(t, engine.Age(t.Context(), db, 0))
}
