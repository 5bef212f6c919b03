package redisstream_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/live/redisstream"
)

// faulty is a hook of the client that panics in its first reads.
type faulty struct {
	redis.Hook
	left atomic.Int64
}

func (f *faulty) DialHook(next redis.DialHook) redis.DialHook { return next }

func (f *faulty) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == "xread" && f.left.Add(-1) >= 0 {
			panic("a hook")
		}
		return next(ctx, cmd)
	}
}

func (f *faulty) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// The client panics, and so does one of two subscribers, which then gets a gap.
func TestAPanicEndsNoReader(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, shared := range []int{0, 1} {
		t.Run(fmt.Sprint(shared, " streams"), func(t *testing.T) { panics(t, s, shared) })
	}
}

func panics(t *testing.T, s *server, shared int) {
	t.Helper()
	client := s.client(t)
	hook := &faulty{}
	client.AddHook(hook)
	b := newBackplane(t, client, redisstream.Options{Prefix: prefix(), Shared: shared})
	got, others := make(chan live.Entry, 100), make(chan live.Entry, 100)
	var broken atomic.Bool
	broke := make(chan struct{}, 100)
	for deliver, to := range map[*atomic.Bool]chan live.Entry{&broken: got, {}: others} {
		s, err := b.Subscribe(t.Context(), "room", "", func(entries []live.Entry) {
			if deliver.Load() {
				broke <- struct{}{}
				panic("a hub")
			}
			for _, e := range entries {
				if len(e.Payload) > 0 {
					to <- e
				}
			}
		})
		require.NoError(t, err)
		defer s.Stop()
	}
	for i, step := range []struct {
		hooks  int64
		breaks bool
		gap    bool
	}{{0, false, false}, {3, false, false}, {0, true, false}, {0, false, true}, {0, false, false}} {
		broken.Store(step.breaks)
		hook.left.Store(step.hooks)
		text := fmt.Sprint(i)
		require.NoError(t, b.Publish(t.Context(), "room", []byte(text)))
		e := receive(t, others)
		require.Equal(t, text, string(e.Payload))
		require.False(t, e.Gap)
		if step.breaks {
			<-broke
			continue
		}
		e = receive(t, got)
		require.Equal(t, text, string(e.Payload))
		require.Equal(t, step.gap, e.Gap)
	}
}
