package live_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// requirePanic fails unless err is of a panic, and of nothing that a caller did.
func requirePanic(t testing.TB, err error) {
	t.Helper()
	var panicked *parallel.PanicError
	require.ErrorAs(t, err, &panicked)
	require.NotErrorIs(t, err, live.ErrClosed)
	require.NotErrorIs(t, err, plaza.ErrInvalid)
}

// TestAPanicOfEncodeEndsItsRoomAlone and who joins it again goes on.
func TestAPanicOfEncodeEndsItsRoomAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var broken atomic.Bool
		hub := newHub(t, &table{}, &live.Options{Encode: func(name string, _ []live.Event) []byte {
			if name == room && broken.Load() {
				panic("no JSON")
			}
			return []byte("!")
		}})
		other, err := hub.Join(t.Context(), "other", "")
		require.NoError(t, err)
		viewers := []*live.Viewer{join(t, hub, ""), join(t, hub, "")}
		broken.Store(true)
		publish(t, hub, told(comment(1, 1)))
		for _, v := range viewers {
			for range 2 {
				_, err := v.Next(t.Context())
				requirePanic(t, err)
			}
			v.Close()
			_, err := v.Next(t.Context())
			require.ErrorIs(t, err, live.ErrClosed)
		}
		require.Zero(t, hub.Present(room))

		broken.Store(false)
		again := join(t, hub, "")
		publish(t, hub, told(comment(1, 2)))
		require.Equal(t, []string{"2"}, texts(next(t, again).Events))
		c := comment(1, 3)
		c.Object = "other"
		require.NoError(t, hub.Publish(t.Context(), "other", told(c)))
		require.Equal(t, []string{"3"}, texts(next(t, other).Events))
	})
}

// TestAPanicOfEncodeForOneViewer is an error to that one, and loses nothing.
func TestAPanicOfEncodeForOneViewer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var broken atomic.Bool
		store := &table{}
		hub := newHub(t, store, &live.Options{Encode: func(_ string, events []live.Event) []byte {
			if broken.Load() && len(events) == 1 {
				panic("no JSON")
			}
			return []byte("!")
		}})
		v, all := join(t, hub, ""), join(t, hub, "")
		_, created, err := hub.Send(t.Context(), comment(1, 1))
		require.NoError(t, err)
		publish(t, hub, told(comment(1, 2)))
		_, err = v.CatchUp(t.Context(), 0, time.Minute, nil)
		require.NoError(t, err)
		require.True(t, created)
		broken.Store(true)
		for range 2 {
			_, err = v.Next(t.Context())
			requirePanic(t, err)
		}
		require.Len(t, next(t, all).Events, 2)
		broken.Store(false)
		require.Equal(t, []string{"2"}, texts(next(t, v).Events))
	})
}

// breaking is a backplane whose methods panic.
type breaking struct {
	live.Backplane
	subscribe, stop bool
}

func (b *breaking) Subscribe(ctx context.Context, room string, after live.Pos, deliver func([]live.Entry)) (live.Subscription, error) {
	if b.subscribe {
		panic("subscribe")
	}
	s, err := b.Backplane.Subscribe(ctx, room, after, deliver)
	s.Stop = func() {
		if b.stop {
			panic("stop")
		}
	}
	return s, err
}

func TestAPanicOfTheBackplaneIsAnErrorOfJoin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		memory, err := live.NewMemory(nil)
		require.NoError(t, err)
		plane := &breaking{Backplane: memory, subscribe: true}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane})
		for range 2 {
			_, err := hub.Join(t.Context(), room, "")
			requirePanic(t, err)
		}
		plane.subscribe, plane.stop = false, true
		v := join(t, hub, "")
		publish(t, hub, told(comment(1, 1)))
		require.Equal(t, []string{"1"}, texts(next(t, v).Events))
		v.Close()
		time.Sleep(time.Minute) // the room expires
		v = join(t, hub, "")
		hub.Close()
		_, err = v.Next(t.Context())
		require.ErrorIs(t, err, live.ErrClosed)
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

// TestAPanicOfAReadIsItsReadersAlone and who waited for it reads again.
func TestAPanicOfAReadIsItsReadersAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, &panicking{table: &table{}}, nil)
		one, two := join(t, hub, ""), join(t, hub, "")
		panicked := make(chan any)
		go func() {
			defer func() { panicked <- recover() }()
			_, _ = one.CatchUp(t.Context(), 0, time.Minute, nil)
		}()
		time.Sleep(time.Millisecond)
		_, err := two.CatchUp(t.Context(), 0, time.Minute, nil)
		require.NoError(t, err)
		require.Equal(t, "window", <-panicked)
	})
}

func TestWhatIsClosedIsUnavailable(t *testing.T) {
	require.ErrorIs(t, live.ErrClosed, plaza.ErrUnavailable)
}
