package live_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/live"
)

// requirePanic fails unless err is a panic and none of plaza's errors.
func requirePanic(t testing.TB, err error) {
	t.Helper()
	var panicked *parallel.PanicError
	require.ErrorAs(t, err, &panicked)
	require.NotErrorIs(t, err, live.ErrClosed)
	require.NotErrorIs(t, err, plaza.ErrInvalid)
}

// The next viewer opens the room again.
func TestAPanicOfEncodeEndsItsRoomAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		hub := newHub(t, &live.Options[event]{Encode: func(name string, _ []event) []byte {
			if name == room && broken.Load() {
				panic("no JSON")
			}
			return []byte("!")
		}})
		other, err := hub.Join(t.Context(), "other", "")
		require.NoError(t, err)
		viewers := []*live.Viewer[event]{join(t, hub, ""), join(t, hub, "")}
		broken.Store(true)
		publish(t, hub, event{1})
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
		publish(t, hub, event{2})
		require.Equal(t, []int{2}, numbers(next(t, again).Events))
		require.NoError(t, hub.Publish(t.Context(), "other", event{3}))
		require.Equal(t, []int{3}, numbers(next(t, other).Events))
	})
}

// breaking is a backplane whose methods fail.
type breaking struct {
	live.Backplane
	subscribe, stop func(context.Context) error
}

func (b *breaking) Subscribe(ctx context.Context, room string, after live.Pos, deliver func([]live.Entry)) (live.Subscription, error) {
	if err := b.subscribe(ctx); err != nil {
		return live.Subscription{}, err
	}
	s, err := b.Backplane.Subscribe(ctx, room, after, deliver)
	s.Stop = func() { _ = b.stop(ctx) }
	return s, err
}

func TestARoomThatFailedToOpenCanOpenLater(t *testing.T) {
	panics := func(context.Context) error { panic("broken") }
	for name, c := range map[string]struct {
		fail func(context.Context) error
		want error // nil: a panic
	}{
		"an error":  {func(context.Context) error { return errDown }, errDown},
		"no answer": {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, context.DeadlineExceeded},
		"a panic":   {panics, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			memory, err := live.NewMemory(nil)
			require.NoError(t, err)
			var broken bool
			fail := func(ctx context.Context) error {
				if !broken {
					return nil
				}
				return c.fail(ctx)
			}
			for by, opts := range map[string]*live.Options[event]{
				"Known":     {Known: func(ctx context.Context, _ string) error { return fail(ctx) }},
				"Subscribe": {Backplane: &breaking{memory, fail, panics}},
			} {
				hub := newHub(t, opts)
				broken = true
				for range 2 {
					_, err := hub.Join(t.Context(), room, "")
					if c.want == nil {
						requirePanic(t, err)
					} else {
						require.ErrorIs(t, err, c.want, "%s by %s", name, by)
					}
					require.Zero(t, hub.Present(room))
				}
				broken = false
				v := join(t, hub, "")
				publish(t, hub, event{1})
				require.Equal(t, []int{1}, numbers(next(t, v).Events))
				v.Close()
				time.Sleep(time.Minute) // the room expires, and Stop panics
				v = join(t, hub, "")
				hub.Close()
				_, err = v.Next(t.Context())
				require.ErrorIs(t, err, live.ErrClosed)
			}
		})
	}
}

// The batch comes again with the next call.
func TestAPanicOfEncodeForOneViewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		plane := &wire{from: "p0"}
		hub := newHub(t, &live.Options[event]{Backplane: plane, Encode: func(_ string, events []event) []byte {
			if broken.Load() {
				panic("no JSON")
			}
			return []byte(strconv.Itoa(len(events)))
		}})
		all := join(t, hub, "")
		plane.deliver([]live.Entry{entry(t, "p1", event{1}), entry(t, "p2", event{2})})
		require.Len(t, next(t, all).Events, 2)
		v := join(t, hub, "p1") // in the middle of the batch
		broken.Store(true)
		for range 2 {
			_, err := v.Next(t.Context())
			requirePanic(t, err)
			require.NoError(t, v.Err(), "the room goes on")
		}
		broken.Store(false)
		b := next(t, v)
		require.Equal(t, []int{2}, numbers(b.Events))
		require.Equal(t, "1", string(b.Encoded))
	})
}

func TestAPanicOfAnOptionEndsTheRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := newHub(t, &live.Options[event]{Decode: func(string, []byte) (event, error) { panic("decode") }})
		v := join(t, hub, "")
		publish(t, hub, event{1})
		_, err := v.Next(t.Context())
		requirePanic(t, err)
		requirePanic(t, v.Err())

		hub = newHub(t, &live.Options[event]{Fresh: func() func(event) bool { return func(event) bool { panic("fresh") } }})
		v = join(t, hub, "")
		publish(t, hub, event{1})
		_, err = v.Next(t.Context())
		requirePanic(t, err)

		hub = newHub(t, &live.Options[event]{Fresh: func() func(event) bool { panic("fresh") }})
		_, err = hub.Join(t.Context(), room, "")
		requirePanic(t, err)
	})
}
