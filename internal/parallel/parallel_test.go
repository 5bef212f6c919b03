package parallel_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/parallel"
)

func TestAPanicIsAnErrorAndStopsTheOthers(t *testing.T) {
	t.Parallel()
	group, ctx := parallel.WithContext(t.Context())
	group.Go(func() error { panic("boom") })
	group.Go(func() error { <-ctx.Done(); return nil })
	var caught *parallel.PanicError
	require.ErrorAs(t, group.Wait(), &caught)
	require.Equal(t, "boom", caught.Value)
	require.Contains(t, string(caught.Stack), "parallel_test")
	require.ErrorIs(t, ctx.Err(), context.Canceled)
}

func TestAnErrorIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	group := parallel.New()
	group.SetLimit(1)
	group.Go(func() error { return boom })
	group.Go(func() error { return nil })
	require.Equal(t, boom, group.Wait())
}
