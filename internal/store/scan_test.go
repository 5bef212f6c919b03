package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

func TestAScanFindsASortKeyInEveryPartition(t *testing.T) {
	t.Parallel()
	table := newPlaced(t, 40) // two megabytes
	rows, err := store.Scan[row](t.Context(), table, "a")
	require.NoError(t, err)
	require.Len(t, rows, 40)
	seen := map[string]bool{}
	for _, r := range rows {
		require.Equal(t, "a", r.SK)
		seen[r.PK] = true
	}
	for i := range 40 {
		require.True(t, seen[fmt.Sprint(i)])
	}
	rows, err = store.Scan[row](t.Context(), table, "nothing")
	require.NoError(t, err)
	require.Empty(t, rows)
}

func TestAScanIsConsistent(t *testing.T) {
	t.Parallel()
	lagging := faults.New(t, 1, faults.Rates{Stale: 1})
	table, err := store.Open(dynamotest.DB(t, lagging.Wrap), dynamotest.Table(t, store.Schema), nil, true)
	require.NoError(t, err)
	require.NoError(t, table.Run(t.Context(), table.Put(row{PK: "x", SK: "a"})))
	rows, err := store.Scan[row](t.Context(), table, "a")
	require.NoError(t, err)
	require.Len(t, rows, 1)
}
