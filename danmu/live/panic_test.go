package live_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// requirePanic fails unless err is a panic and none of plaza's errors.
func requirePanic(t testing.TB, err error) {
	t.Helper()
	var panicked *parallel.PanicError
	require.ErrorAs(t, err, &panicked)
	require.NotErrorIs(t, err, live.ErrClosed)
	require.NotErrorIs(t, err, plaza.ErrInvalid)
}

// The viewer gets the batch with its next call.
func TestAPanicOfEncodeForOneViewer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var broken atomic.Bool
		store := &table{}
		hub := newHub(t, store, &live.Options{Encode: func(_ string, events []live.Event) []byte {
			if broken.Load() && len(events) == 1 { // CatchUp has read the other one
				panic("no JSON")
			}
			return []byte("!")
		}})
		v, all := join(t, hub, ""), join(t, hub, "")
		send(t, hub, comment(1, 1))
		publish(t, hub, sentEvent(comment(1, 2)))
		catchUp(t, v)
		broken.Store(true)
		for range 2 {
			_, err := v.Next(t.Context())
			requirePanic(t, err)
		}
		require.Len(t, next(t, all).Events, 2)
		broken.Store(false)
		require.Equal(t, []string{"2"}, texts(next(t, v).Events))

		broken.Store(true)
		send(t, hub, comment(1, 3))
		publish(t, hub, sentEvent(comment(1, 4)))
		catchUp(t, v)
		_, err := v.Next(t.Context())
		requirePanic(t, err)
		hub.Close()
		_, err = v.Next(t.Context())
		require.ErrorIs(t, err, live.ErrClosed, "the batch is not given after that")
	})
}

// panicking is a store whose reads panic.
type panicking struct {
	*table
	reads atomic.Int64
}

func (s *panicking) Window(ctx context.Context, object string, from, to time.Duration, opts *danmu.WindowOptions) (danmu.Window, error) {
	if s.reads.Add(1) == 1 {
		time.Sleep(time.Second)
		panic("window")
	}
	return s.table.Window(ctx, object, from, to, opts)
}

// All callers who share the read get the error, and nobody else does.
func TestAPanicOfAReadIsAnError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, &panicking{table: &table{}}, nil)
		var wg sync.WaitGroup
		for range 2 {
			v := join(t, hub, "")
			wg.Go(func() {
				_, err := v.CatchUp(t.Context(), 0, time.Minute, nil)
				requirePanic(t, err)
			})
		}
		wg.Wait()
		catchUp(t, join(t, hub, ""))
	})
}
