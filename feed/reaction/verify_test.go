package reaction_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/store"
)

func TestVerifyKnowsItsOwnTable(t *testing.T) {
	t.Parallel()
	m := dynamotest.NewMeter()
	w := newWorld(t, options(1), m.Wrap)
	require.ErrorIs(t, w.Verify(t.Context()), plaza.ErrTable, "it has no expiry")
	require.ErrorIs(t, w.Init(t.Context()), plaza.ErrTable)
	_, err := dynamotest.DB(t).Client().UpdateTimeToLive(t.Context(), reaction.TTL(w.table))
	require.NoError(t, err)

	verify := dynamotest.Cost{Requests: 3, Read: 0.5}
	m.AtMost(t, "Verify", verify, func() { require.NoError(t, w.Verify(t.Context())) })
	m.AtMost(t, "Init", dynamotest.Cost{Requests: 4, Read: 0.5, Write: 1}, func() { require.NoError(t, w.Init(t.Context())) })
	m.AtMost(t, "Verify of what is marked", verify, func() { require.NoError(t, w.Verify(t.Context())) })
	require.NoError(t, w.Init(t.Context()))

	table, err := store.Open(dynamotest.DB(t), w.table, nil)
	require.NoError(t, err)
	other := store.Feature{Name: "other", Format: 1, Schema: store.Schema}
	require.ErrorIs(t, table.Verify(t.Context(), other), plaza.ErrTable, "it is not another feature's")
}
