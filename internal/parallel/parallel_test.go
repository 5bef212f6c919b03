package parallel_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/parallel"
)

func TestAPanicIsAnErrorAndStopsTheOthers(t *testing.T) {
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
	boom := errors.New("boom")
	group := parallel.New()
	group.SetLimit(1)
	group.Go(func() error { return boom })
	group.Go(func() error { return nil })
	require.Equal(t, boom, group.Wait())
}

func TestForEachCallsEachOnceAndAPanicIsAnError(t *testing.T) {
	for _, n := range []int{0, 1, 2, 50} {
		called := make([]int, n)
		require.NoError(t, parallel.ForEach(t.Context(), n, 3, func(_ context.Context, i int) error {
			called[i]++
			return nil
		}))
		for i := range called {
			require.Equal(t, 1, called[i])
		}
		if n == 0 {
			continue
		}
		err := parallel.ForEach(t.Context(), n, 3, func(_ context.Context, i int) error {
			if i == n-1 {
				panic("boom")
			}
			return nil
		})
		var caught *parallel.PanicError
		require.ErrorAs(t, err, &caught, n)
	}
}

func TestForEachStopsTheOthersAtAnError(t *testing.T) {
	boom := errors.New("boom")
	for _, atOnce := range []int{3, 4} {
		for failing := range 3 {
			require.Equal(t, boom, parallel.ForEach(t.Context(), 3, atOnce, func(ctx context.Context, i int) error {
				if i == failing {
					return boom
				}
				<-ctx.Done()
				return ctx.Err()
			}))
		}
	}
}
