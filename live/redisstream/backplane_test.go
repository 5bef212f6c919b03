package redisstream_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/live/livetest"
	"github.com/plaza-sdk/plaza/live/redisstream"
)

func TestARedisIsABackplane(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, opts := range []redisstream.Options{{Readers: 1}, {Readers: 3}, {Shared: 1}, {Shared: 5, Readers: 2}} {
		t.Run(fmt.Sprint(opts.Readers, " readers, ", opts.Shared, " streams"), func(t *testing.T) {
			livetest.Run(t, func(t *testing.T) livetest.Network {
				opts.Prefix, opts.MaxLen = prefix(), 100
				return livetest.Network{
					Join: func() live.Backplane { return newBackplane(t, s.client(t), opts) }, Keep: 100,
				}
			})
		})
	}
}

func TestARedisClusterIsABackplane(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--cluster-enabled", "yes")
	require.NoError(t, s.client(t).ClusterAddSlotsRange(t.Context(), 0, 16383).Err())
	require.Eventually(t, func() bool {
		info, err := s.client(t).ClusterInfo(t.Context()).Result()
		return err == nil && strings.Contains(info, "cluster_state:ok")
	}, 20*time.Second, 50*time.Millisecond)
	for _, shared := range []int{0, 5} {
		t.Run(fmt.Sprint(shared, " streams"), func(t *testing.T) {
			livetest.Run(t, func(t *testing.T) livetest.Network {
				opts := redisstream.Options{Prefix: prefix(), Shared: shared, MaxLen: 100, Readers: 3}
				return livetest.Network{Keep: 100, Join: func() live.Backplane {
					client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{s.addr()}})
					t.Cleanup(func() { _ = client.Close() })
					return newBackplane(t, client, opts)
				}}
			})
		})
	}
}

// Every connection is killed again and again while 5,000 events are published. Two
// processes get all of them without a Reset.
func TestKilledConnectionsLoseNothing(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, shared := range []int{0, 3} {
		t.Run(fmt.Sprint(shared, " streams"), func(t *testing.T) {
			killConnections(t, s, redisstream.Options{Prefix: prefix(), Shared: shared})
		})
	}
}

func killConnections(t *testing.T, s *server, opts redisstream.Options) {
	t.Helper()
	const publishers, each = 4, 1250
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var hubs [2]*live.Hub[int]
	var viewers [2]*live.Viewer[int]
	for i := range hubs {
		var err error
		hubs[i], err = live.New(&live.Options[int]{
			Backplane: newBackplane(t, s.client(t), opts), Batches: 1 << 20, Bytes: 1 << 30, Fresh: once,
		})
		require.NoError(t, err)
		t.Cleanup(hubs[i].Close)
		viewers[i], err = hubs[i].Join(ctx, "video", "")
		require.NoError(t, err)
	}

	var work sync.WaitGroup
	published := make(chan struct{})
	kills := 0
	work.Go(func() {
		killer := s.client(t)
		for {
			select {
			case <-published:
				return
			case <-time.After(20 * time.Millisecond):
				if n, err := killer.ClientKillByFilter(ctx, "TYPE", "normal", "SKIPME", "yes").Result(); err == nil {
					kills += int(n)
				}
			}
		}
	})
	var publishing sync.WaitGroup
	for who := range publishers {
		publishing.Go(func() {
			for n := who * each; n < (who+1)*each; n++ {
				for hubs[who%2].Publish(ctx, "video", n) != nil {
					if !assert.NoError(t, ctx.Err()) {
						return
					}
				}
			}
		})
	}
	for _, v := range viewers {
		seen := map[int]int{}
		for len(seen) < publishers*each {
			b, err := v.Next(ctx)
			require.NoError(t, err, "%d", len(seen))
			require.False(t, b.Reset)
			require.Zero(t, b.Dropped)
			for _, n := range b.Events {
				seen[n]++
				require.Equal(t, 1, seen[n])
			}
		}
	}
	publishing.Wait()
	close(published)
	work.Wait()
	require.Greater(t, kills, 10)
}

// once is an Options.Fresh that leaves out repeats.
func once() func(int) bool {
	seen := map[int]bool{}
	return func(n int) bool {
		defer func() { seen[n] = true }()
		return !seen[n]
	}
}

// collect subscribes and returns a channel of entries.
func collect(t *testing.T, b *redisstream.Backplane, room string, after live.Pos) (<-chan live.Entry, live.Pos) {
	t.Helper()
	got := make(chan live.Entry, 100_000)
	s, err := b.Subscribe(t.Context(), room, after, func(entries []live.Entry) {
		for _, e := range entries {
			got <- e
		}
	})
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	return got, s.From
}

func receive(t *testing.T, got <-chan live.Entry) live.Entry {
	t.Helper()
	select {
	case e := <-got:
		return e
	case <-time.After(20 * time.Second):
		require.FailNow(t, "nothing came")
		return live.Entry{}
	}
}

// nextMillisecond waits until the server's next entry has another time: a stream that is
// deleted and begins again within the millisecond of its last entry has that entry's id,
// and a reader cannot tell the two apart.
func nextMillisecond(t *testing.T, client *redis.Client) {
	t.Helper()
	now := func() int64 { return client.Time(t.Context()).Val().UnixMilli() }
	before := now()
	require.Eventually(t, func() bool { return now() > before }, 20*time.Second, time.Millisecond)
}

// publish repeats Publish until it succeeds.
func publish(t *testing.T, b *redisstream.Backplane, payload string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return b.Publish(t.Context(), "room", []byte(payload)) == nil
	}, 20*time.Second, time.Millisecond)
}

func TestAServerThatLosesItsDataLeavesAGap(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	type view struct {
		b         *redisstream.Backplane
		got, idle <-chan live.Entry
	}
	var views []view
	for _, shared := range []int{0, 1} {
		v := view{b: newBackplane(t, s.client(t), redisstream.Options{Prefix: prefix(), Shared: shared})}
		v.got, _ = collect(t, v.b, "room", "")
		v.idle, _ = collect(t, v.b, "idle", "")
		publish(t, v.b, "before")
		require.Equal(t, "before", string(receive(t, v.got).Payload))
		views = append(views, v)
	}

	s.stop()
	require.True(t, s.start(t))
	for _, v := range views {
		require.True(t, receive(t, v.got).Gap)
		require.True(t, receive(t, v.idle).Gap)
		publish(t, v.b, "after")
		for e := range v.got {
			if require.False(t, e.Gap); len(e.Payload) > 0 {
				require.Equal(t, "after", string(e.Payload))
				break
			}
		}
	}
}

func TestADeletedRoomIsAGap(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	opts := redisstream.Options{Prefix: prefix()}
	b := newBackplane(t, s.client(t), opts)
	got, _ := collect(t, b, "room", "")
	other, _ := collect(t, b, "other", "")
	admin := s.client(t)
	nextMillisecond(t, admin)
	require.NoError(t, admin.Del(t.Context(), "{"+opts.Prefix+":0}rroom").Err())
	publish(t, b, "next") // the gap is reported now at the latest
	e := receive(t, got)
	require.True(t, e.Gap)
	require.NotEmpty(t, e.Pos)
	for len(e.Payload) == 0 {
		e = receive(t, got)
	}
	require.Equal(t, "next", string(e.Payload))
	require.NoError(t, b.Publish(t.Context(), "other", []byte("other")))
	require.Equal(t, "other", string(receive(t, other).Payload), "it lost nothing")
}

func TestAReaderThatIsTooSlowLeavesAGap(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	opts := redisstream.Options{Prefix: prefix(), MaxLen: 10}
	slow, quick := newBackplane(t, s.client(t), opts), newBackplane(t, s.client(t), opts)
	got := make(chan live.Entry, 10_000)
	began, hold := make(chan struct{}, 10_000), make(chan struct{})
	heard, err := slow.Subscribe(t.Context(), "room", "", func(entries []live.Entry) {
		began <- struct{}{}
		<-hold // deliver must not wait, but this simulates a process that was suspended
		for _, e := range entries {
			got <- e
		}
	})
	require.NoError(t, err)
	t.Cleanup(heard.Stop)
	publish(t, quick, "0")
	<-began
	// One request, since a reader that is suspended for longer looks at the end first.
	_, err = s.client(t).Pipelined(t.Context(), func(p redis.Pipeliner) error {
		for n := 1; n < 1000; n++ {
			p.XAdd(t.Context(), &redis.XAddArgs{
				Stream: "{" + opts.Prefix + ":0}rroom", MaxLen: opts.MaxLen, Values: []any{"p", strconv.Itoa(n)},
			})
		}
		return nil
	})
	require.NoError(t, err)
	close(hold)
	publish(t, quick, "1000")
	gaps := 0
	for last := -1; last < 1000; {
		e := receive(t, got)
		n, err := strconv.Atoi(string(e.Payload))
		require.NoError(t, err)
		if e.Gap {
			gaps++
			require.Greater(t, n, last+1)
		} else {
			require.Equal(t, last+1, n, "nothing else is missing")
		}
		last = n
	}
	require.Equal(t, 1, gaps)
}

// A server whose clock is behind begins a stream again. A new subscriber arrives before
// this is noticed. The older subscriber, which is further ahead, gets a gap.
func TestASubscriberAheadOfANewStreamGetsAGap(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	opts := redisstream.Options{Prefix: prefix()}
	b := newBackplane(t, s.client(t), opts)
	admin, key := s.client(t), "{"+opts.Prefix+":0}rroom"
	ahead := time.Now().Add(time.Minute).UnixMilli()
	add := func(n int, payload string) {
		entry := redis.XAddArgs{Stream: key, ID: fmt.Sprint(ahead, "-", n), Values: []any{"p", payload}}
		require.NoError(t, admin.XAdd(t.Context(), &entry).Err())
	}
	add(0, "x")
	got, _ := collect(t, b, "room", "")
	publish(t, b, "before")
	require.Equal(t, "before", string(receive(t, got).Payload))

	require.NoError(t, admin.Del(t.Context(), key).Err())
	second, _ := collect(t, b, "room", "")
	require.True(t, receive(t, got).Gap)
	publish(t, b, "after")
	for _, ear := range []<-chan live.Entry{got, second} {
		e := receive(t, ear)
		require.Equal(t, "after", string(e.Payload))
		require.False(t, e.Gap)
	}

	// The same between a Subscribe and the read after it.
	opts.Prefix, opts.Every = prefix(), 200*time.Millisecond
	b, key = newBackplane(t, s.client(t), opts), "{"+opts.Prefix+":0}rroom"
	add(0, "x")
	got, from := collect(t, b, "room", "") // at entry 0
	publish(t, b, "1")
	publish(t, b, "2")
	for range 2 {
		require.False(t, receive(t, got).Gap)
	}
	second, _ = collect(t, b, "room", from)
	require.NoError(t, admin.Del(t.Context(), key).Err())
	add(1, "new")
	for _, ear := range []<-chan live.Entry{got, second} {
		for !receive(t, ear).Gap {
		}
	}
}

func TestARoomExpires(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	opts := redisstream.Options{Prefix: prefix(), Expire: time.Minute}
	b := newBackplane(t, s.client(t), opts)
	publish(t, b, "x")
	left, err := s.client(t).PTTL(t.Context(), "{"+opts.Prefix+":0}rroom").Result()
	require.NoError(t, err)
	require.Greater(t, left, 30*time.Second)
	require.LessOrEqual(t, left, time.Minute)
}

func TestWithoutAServerCallsFail(t *testing.T) {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() })
	b := newBackplane(t, client, redisstream.Options{})
	require.Error(t, b.Publish(t.Context(), "room", []byte("x")))
	for _, pos := range []live.Pos{"", "1-1"} {
		_, err := b.Subscribe(t.Context(), "room", pos, func([]live.Entry) {})
		require.Error(t, err)
	}
}

func TestInvalidOptionsAreRefused(t *testing.T) {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	t.Cleanup(func() { _ = client.Close() })
	for name, opts := range map[string]redisstream.Options{
		"Options.Shared":  {Shared: 4097},
		"Options.MaxLen":  {MaxLen: -1},
		"Options.Expire":  {Expire: -1},
		"Options.Readers": {Readers: 1025},
		"Options.Every":   {Every: -1},
	} {
		_, err := redisstream.New(client, &opts)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, name, invalid.Field)
	}
	_, err := redisstream.New(nil, nil)
	require.ErrorIs(t, err, plaza.ErrInvalid)
}

// named notes the commands that a client sends.
type named struct{ t *testing.T }

func (named) DialHook(next redis.DialHook) redis.DialHook { return next }

func (n named) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		callstest.Sent(n.t, ctx)
		return next(ctx, cmd)
	}
}

func (n named) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		callstest.Sent(n.t, ctx)
		return next(ctx, cmds)
	}
}

// What a backplane reads in the background has a name too.
func TestCommandsCarryTheNameOfTheCall(t *testing.T) {
	t.Parallel()
	client := startServer(t).client(t)
	client.AddHook(named{t})
	b := newBackplane(t, client, redisstream.Options{Prefix: prefix()})
	heard := make(chan struct{})
	var once sync.Once
	callstest.Run(t, "../..", "live/redisstream", []struct {
		Call string
		Run  func(context.Context) error
	}{
		{"Backplane.Subscribe", func(ctx context.Context) error {
			s, err := b.Subscribe(ctx, "room", "", func([]live.Entry) { once.Do(func() { close(heard) }) })
			if err == nil {
				t.Cleanup(s.Stop)
			}
			return err
		}},
		{"Backplane.Publish", func(ctx context.Context) error { return b.Publish(ctx, "room", []byte("{}")) }},
	})
	<-heard
}
