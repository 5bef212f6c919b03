package dynamotest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/store"
)

func TestAtMostNoticesEachExcess(t *testing.T) {
	t.Parallel()
	m := dynamotest.NewMeter()
	table := dynamotest.DB(t, m.Wrap).Table(dynamotest.Table(t, store.Schema))
	for want, fails := range map[dynamotest.Cost]bool{
		{Requests: 2, Read: 0.5, Write: 1}: false,
		{Requests: 1, Read: 0.5, Write: 1}: true,
		{Requests: 2, Read: 0, Write: 1}:   true,
		{Requests: 2, Read: 0.5}:           true,
	} {
		w := &watched{TB: t}
		m.AtMost(w, "both", want, func() {
			require.NoError(t, table.Put(row{PK: "a", SK: "1"}).Run(t.Context()))
			require.NoError(t, table.Get("pk", "a").All(t.Context(), new([]row)))
		})
		require.Equal(t, fails, w.failed > 0, want)
	}
}

func TestWithoutPriceOnlyCallsInAtMostArePriced(t *testing.T) {
	t.Parallel()
	m := dynamotest.NewMeter()
	db := dynamotest.DB(t, m.Wrap)
	table := db.Table(dynamotest.Table(t, store.Schema))
	write := func() {
		require.NoError(t, db.WriteTx().IdempotentWithToken("once").Put(table.Put(row{PK: "a", SK: "1"})).Run(t.Context()))
	}
	write()
	require.Equal(t, dynamotest.Cost{Requests: 1}, m.Take())
	repeated := dynamotest.Cost{Requests: 1, Read: 2}
	require.Equal(t, repeated, m.AtMost(t, "a transaction that was applied before", repeated, write))
	write()
	require.Equal(t, dynamotest.Cost{Requests: 1}, m.Take())
	require.Equal(t, repeated, func() dynamotest.Cost { m.Price(); write(); return m.Take() }())
}
