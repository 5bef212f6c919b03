package dynamotest_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/store"
)

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
		first = dynamotest.Table(t, store.Schema)
		second = dynamotest.Table(t, store.Schema)
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

func TestNumberedDatabasesShareNoTable(t *testing.T) {
	t.Parallel()
	if dynamotest.Differs(t, "keeps all in one database") {
		return
	}
	name := dynamotest.Table(t, store.Schema)
	e := dynamotest.Engine(t)
	tables := func(e *engine.Engine) []string {
		out, err := dynamodb.NewFromConfig(e.Config()).ListTables(t.Context(), nil)
		require.NoError(t, err)
		return out.TableNames
	}
	require.Contains(t, tables(e), name)
	require.NotContains(t, tables(e.Database(0)), name)
	first, second := e.Database(0), e.Database(1)
	_, err := dynamodb.NewFromConfig(first.Config()).CreateTable(t.Context(), store.Schema(name))
	require.NoError(t, err)
	require.Contains(t, tables(first), name)
	require.NotContains(t, tables(second), name)
}
