package turns_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/turns"
)

var (
	a = store.Key{PK: "a", SK: "1"}
	b = store.Key{PK: "a", SK: "2"}
)

func take(t *testing.T, all *turns.Turns, key store.Key) (done func()) {
	t.Helper()
	done, err := all.Take(t.Context(), key)
	require.NoError(t, err)
	return done
}

func TestWritesOfAnItemFollowEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := turns.New()
		done := take(t, all, a)
		take(t, all, b)() // another item
		var order []int
		for i := range 3 {
			go func() {
				done, err := all.Take(context.Background(), a)
				if err == nil {
					order = append(order, i)
					done()
				}
			}()
			synctest.Wait()
		}
		require.Empty(t, order)
		done()
		synctest.Wait()
		require.Equal(t, []int{0, 1, 2}, order)
		take(t, all, a)()
	})
}

func TestAWriteThatHangsHoldsOthersForFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := turns.New()
		hung := take(t, all, a)
		start := time.Now()
		impatient := take(t, all, a)
		require.Equal(t, 5*time.Second, time.Since(start))
		impatient() // its turn was not taken
		require.Equal(t, 5*time.Second, time.Since(start))
		take(t, all, a)()
		require.Equal(t, 10*time.Second, time.Since(start))
		hung()
		take(t, all, a)()
		require.Equal(t, 10*time.Second, time.Since(start))
	})
}

func TestAWriteThatGivesUpHoldsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := turns.New()
		done := take(t, all, a)
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() {
			_, err := all.Take(ctx, a)
			gone <- err
		}()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-gone, context.Canceled)
		done()
		start := time.Now()
		take(t, all, a)()
		require.Zero(t, time.Since(start))
	})
}
