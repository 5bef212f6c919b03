package dynamotest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
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
