package plaza_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
)

func TestTheOutermostOperationNamesTheCall(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	require.Empty(t, plaza.Operation(ctx))
	ctx = plaza.WithOperation(ctx, "feed.Outbox.Publish")
	require.Equal(t, "feed.Outbox.Publish", plaza.Operation(ctx))
	inner, cancel := context.WithCancel(context.WithoutCancel(plaza.WithOperation(ctx, "feed.Repository.Deliver")))
	defer cancel()
	require.Equal(t, "feed.Outbox.Publish", plaza.Operation(inner))
}

func TestACallInsideACallAllocatesNothingForItsName(t *testing.T) {
	ctx := plaza.WithOperation(t.Context(), "feed.Outbox.Publish")
	require.Zero(t, testing.AllocsPerRun(100, func() { plaza.WithOperation(ctx, "feed.Repository.Deliver") }))
}
