package redisstream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/live/redisstream"
)

// spy is a hook of the client.
type spy struct {
	mu     sync.Mutex
	counts map[any]int  // requests by the name of their caller, which its ctx has
	named  int          // the most streams that one read named
	replay func() error // is called before the next read of a replay
	after  func()       // is called after the next pipeline
}

type caller struct{}

// as returns a context for which the spy counts requests.
func as(t *testing.T, name string) context.Context {
	t.Helper()
	return context.WithValue(t.Context(), caller{}, name)
}

func (s *spy) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[name]
}

func (s *spy) DialHook(next redis.DialHook) redis.DialHook { return next }

func (s *spy) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		var replay func() error
		s.mu.Lock()
		switch cmd.Name() { // others open a connection
		case "xread": // xread count 1000 block 1000 streams …
			s.named = max(s.named, (len(cmd.Args())-6)/2)
		case "xrange":
			s.counts[ctx.Value(caller{})]++
			replay, s.replay = s.replay, nil
		}
		s.mu.Unlock()
		if replay != nil {
			if err := replay(); err != nil {
				cmd.SetErr(err)
				return err
			}
		}
		return next(ctx, cmd)
	}
}

func (s *spy) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		s.mu.Lock()
		s.counts[ctx.Value(caller{})]++
		after := s.after
		s.after = nil
		s.mu.Unlock()
		err := next(ctx, cmds)
		if after != nil {
			after()
		}
		return err
	}
}

// spied returns a backplane whose requests the spy sees.
func spied(t *testing.T, s *server, opts redisstream.Options) (*redisstream.Backplane, *spy) {
	t.Helper()
	client, hook := s.client(t), &spy{counts: map[any]int{}}
	client.AddHook(hook)
	return newBackplane(t, client, opts), hook
}

// flood publishes n entries of a room in one request.
func flood(t *testing.T, s *server, key, room string, n int) {
	t.Helper()
	_, err := s.client(t).Pipelined(t.Context(), func(p redis.Pipeliner) error {
		for i := range n {
			p.XAdd(t.Context(), &redis.XAddArgs{Stream: key, Values: []any{"r", room, "p", strconv.Itoa(i)}})
		}
		return nil
	})
	require.NoError(t, err)
}

func drain(t *testing.T, got <-chan live.Entry, n int) (texts []string) {
	t.Helper()
	for range n {
		e := receive(t, got)
		require.False(t, e.Gap)
		texts = append(texts, string(e.Payload))
	}
	return texts
}

func TestManyRoomsAreReadByFewConnectionsOfFewStreams(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	b, hook := spied(t, s, redisstream.Options{Prefix: prefix(), Shared: 4, Readers: 2})
	rooms := make([]<-chan live.Entry, 200)
	for i := range rooms {
		rooms[i], _ = collect(t, b, strconv.Itoa(i), "")
	}
	for i := range rooms {
		require.NoError(t, b.Publish(t.Context(), strconv.Itoa(i), []byte("to "+strconv.Itoa(i))))
	}
	for i, room := range rooms {
		require.Equal(t, []string{"to " + strconv.Itoa(i)}, drain(t, room, 1))
		require.Empty(t, room)
	}
	list, err := s.client(t).ClientList(t.Context()).Result()
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(list, "\n"), 6, list) // readers, requests, this one
	hook.mu.Lock()
	defer hook.mu.Unlock()
	require.LessOrEqual(t, hook.named, 4+1, "and the reader's own")
}

func TestCallsSendNoMoreRequestsThanStated(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	stated := callstest.ReadCosts(t, "../..", "live/redisstream")
	for _, shared := range []int{0, 1} {
		opts := redisstream.Options{Prefix: prefix(), Shared: shared}
		b, hook := spied(t, s, opts)
		other, _ := spied(t, s, opts)
		key := "{" + opts.Prefix + ":0}rroom"
		if shared > 0 {
			key = "{" + opts.Prefix + ":0}s1.0"
		}
		subscribe := func(name, room string, after live.Pos, want int) live.Pos {
			t.Helper()
			at, err := b.Subscribe(as(t, name), room, after, func([]live.Entry) {})
			require.NoError(t, err)
			t.Cleanup(at.Stop)
			require.Equal(t, want, hook.count(name), name)
			return at.From
		}
		another := stated.Of("Backplane.Subscribe", "of another stream").Requests
		here := stated.Of("Backplane.Subscribe", "of a stream that is read here").Requests
		empty := stated.Of("Backplane.Subscribe", "of an empty stream, more").Requests
		further := stated.Of("Backplane.Subscribe", "if others here have read further, more").Requests
		behind := stated.Of("Backplane.Subscribe", "each 1,000 entries since the position, more").Requests
		keep, _ := collect(t, b, "keep", "") // a reader runs
		_, first := collect(t, other, "room", "")
		require.NoError(t, b.Publish(as(t, "publish"), "room", []byte("x")))
		require.Equal(t, 1, hook.count("publish"))
		switch shared {
		case 0:
			subscribe("the first of a stream", "room", "", another)
			subscribe("the first of an empty stream", "empty", "", another+empty)
		default:
			subscribe("another room of a stream", "room", "", here)
			require.NoError(t, b.Publish(t.Context(), "keep", []byte("x")))
			receive(t, keep) // the reader is at the end
		}
		from := subscribe("one more of a room", "room", "", here)
		subscribe("at the end", "room", from, here)
		subscribe("one behind", "room", first, here+behind)
		flood(t, s, key, "room", 1500)
		subscribe("behind by more than 1,000", "room", first, here+2*behind)
		got, _ := collect(t, b, "room", "")
		hook.after = func() { publish(t, other, "x"); receive(t, got) }
		subscribe("while another reads on", "room", "", here+further+behind)
	}
}

func TestPositionsGoOnPastOtherRooms(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	opts := redisstream.Options{Prefix: prefix(), Shared: 1}
	key := "{" + opts.Prefix + ":0}s1.0"
	hub, err := live.New(&live.Options[int]{Backplane: newBackplane(t, s.client(t), opts)})
	require.NoError(t, err)
	t.Cleanup(hub.Close)
	b := newBackplane(t, s.client(t), opts)
	_, from := collect(t, b, "room", "")
	flood(t, s, key, "other", 1500)
	publish(t, b, "1")
	flood(t, s, key, "other", 1500) // the end is another room's

	v, err := hub.Join(t.Context(), "room", from)
	require.NoError(t, err)
	t.Cleanup(v.Close)
	batch, err := v.Next(t.Context())
	require.NoError(t, err)
	require.False(t, batch.Reset)
	require.Equal(t, []int{1}, batch.Events)
	second, err := hub.Join(t.Context(), "room", "") // it begins where the replay ends
	require.NoError(t, err)
	t.Cleanup(second.Close)
	publish(t, b, "2")
	for _, v := range []*live.Viewer[int]{v, second} {
		batch, err = v.Next(t.Context())
		require.NoError(t, err)
		require.Equal(t, []int{2}, batch.Events)
	}
}

// While one subscriber is brought up to date, another one of the process has read on.
func TestEntriesThatArriveDuringAReplayFollowIt(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, shared := range []int{0, 1} {
		for name, c := range map[string]struct {
			arrive int
			gap    bool
		}{"a few": {10, false}, "too many": {1001, true}} {
			t.Run(fmt.Sprint(shared, " streams, ", name), func(t *testing.T) {
				opts := redisstream.Options{Prefix: prefix(), Shared: shared}
				b, hook := spied(t, s, opts)
				got, from := collect(t, b, "room", "")
				publish(t, b, "early")
				drain(t, got, 1)
				payloads := make([]string, c.arrive)
				hook.replay = func() error {
					for i := range payloads {
						payloads[i] = strconv.Itoa(i)
						publish(t, b, payloads[i])
					}
					drain(t, got, c.arrive)
					return nil
				}
				late, _ := collect(t, b, "room", from)
				require.Equal(t, "early", string(receive(t, late).Payload))
				if c.gap {
					require.True(t, receive(t, late).Gap)
				} else {
					require.Equal(t, payloads, drain(t, late, c.arrive))
				}
				publish(t, b, "last")
				for text := ""; text != "last"; {
					e := receive(t, late)
					require.False(t, e.Gap)
					text = string(e.Payload)
				}
				require.Empty(t, late)
			})
		}
	}
}

func TestASubscriberAheadOfTheReaderGetsNothingTwice(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, shared := range []int{0, 1} {
		b := newBackplane(t, s.client(t), redisstream.Options{Prefix: prefix(), Shared: shared, Every: 200 * time.Millisecond})
		got, from := collect(t, b, "room", "")
		publish(t, b, "0")
		drain(t, got, 1) // from now on the reader pauses
		publish(t, b, "1")
		fresh, _ := collect(t, b, "room", "")
		again, _ := collect(t, b, "room", from)
		publish(t, b, "2")
		require.Equal(t, []string{"1", "2"}, drain(t, got, 2))
		require.Equal(t, []string{"2"}, drain(t, fresh, 1))
		require.Equal(t, []string{"0", "1", "2"}, drain(t, again, 3))
	}
}

func TestAReplayThatIsTrimmedIsAGap(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	opts := redisstream.Options{Prefix: prefix(), Shared: 1}
	key := "{" + opts.Prefix + ":0}s1.0"
	b, hook := spied(t, s, opts)
	other := newBackplane(t, s.client(t), opts)
	_, from := collect(t, other, "room", "")
	for _, text := range []string{"0", "1", "2"} {
		publish(t, other, text)
	}
	flood(t, s, key, "other", 1)
	hook.replay = func() error { return s.client(t).XTrimMaxLen(t.Context(), key, 2).Err() }
	got, _ := collect(t, b, "room", from)
	e := receive(t, got)
	require.Equal(t, "2", string(e.Payload))
	require.True(t, e.Gap)
	require.Empty(t, receive(t, got).Payload, "the end")

	hook.replay = func() error { return s.client(t).XTrimMaxLen(t.Context(), key, 1).Err() }
	got, _ = collect(t, b, "room", e.Pos) // of which the trim leaves another room's entry
	e = receive(t, got)
	require.Empty(t, e.Payload)
	require.True(t, e.Gap)
	publish(t, b, "next")
	require.Equal(t, []string{"next"}, drain(t, got, 1))
}

func TestAReplayThatFailsFailsSubscribe(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	b, hook := spied(t, s, redisstream.Options{Prefix: prefix(), Shared: 1})
	got, from := collect(t, b, "room", "")
	publish(t, b, "0")
	drain(t, got, 1)
	down := errors.New("down")
	hook.replay = func() error { return down }
	calls := make(chan live.Entry, 10)
	deliver := func(entries []live.Entry) { calls <- entries[0] }
	_, err := b.Subscribe(t.Context(), "room", from, deliver)
	require.ErrorIs(t, err, down)

	ctx, cancel := context.WithCancel(t.Context())
	hook.replay = func() error { cancel(); return nil }
	_, err = b.Subscribe(ctx, "room", from, deliver)
	require.ErrorIs(t, err, context.Canceled)
	publish(t, b, "1")
	drain(t, got, 1)
	require.Empty(t, calls, "nobody subscribes")
}

func TestALostStreamIsAGapInAllItsRooms(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	opts := redisstream.Options{Prefix: prefix(), Shared: 2}
	b := newBackplane(t, s.client(t), opts)
	keys := map[string][]string{} // rooms by stream
	got := map[string]<-chan live.Entry{}
	for i := range 10 {
		room := strconv.Itoa(i)
		before := lengths(t, s, opts)
		require.NoError(t, b.Publish(t.Context(), room, []byte("before")))
		for key, n := range lengths(t, s, opts) {
			if n > before[key] {
				keys[key] = append(keys[key], room)
			}
		}
		got[room], _ = collect(t, b, room, "")
	}
	require.Len(t, keys, 2)
	gone := "{" + opts.Prefix + ":0}s2.1"
	nextMillisecond(t, s.client(t))
	require.NoError(t, s.client(t).Del(t.Context(), gone).Err())
	require.NoError(t, b.Publish(t.Context(), keys[gone][0], []byte("next")))
	for _, room := range keys[gone] {
		require.True(t, receive(t, got[room]).Gap)
	}
	for _, rooms := range keys {
		for _, room := range rooms {
			require.NoError(t, b.Publish(t.Context(), room, []byte("after")))
			for text := ""; text != "after"; {
				e := receive(t, got[room])
				require.False(t, e.Gap, room)
				text = string(e.Payload)
			}
		}
	}
}

// lengths returns the lengths of the shared streams.
func lengths(t *testing.T, s *server, opts redisstream.Options) map[string]int64 {
	t.Helper()
	client, all := s.client(t), map[string]int64{}
	for i := range opts.Shared {
		key := fmt.Sprint("{", opts.Prefix, ":0}s", opts.Shared, ".", i)
		var err error
		all[key], err = client.XLen(t.Context(), key).Result()
		require.NoError(t, err)
	}
	return all
}

func TestADamagedEntryReachesNobody(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	opts := redisstream.Options{Prefix: prefix(), Shared: 1}
	b := newBackplane(t, s.client(t), opts)
	got, from := collect(t, b, "room", "")
	publish(t, b, "0")
	for _, values := range [][]any{
		{"x", "y"}, {"p", "no room"}, {"r", "", "p", "x"}, {"r", "other", "p", "x"}, {"r", "room2", "p", "x"},
		{"r", "roo", "p", "mx"}, {"r", strings.Repeat("room", 1000), "p", "x"}, {"R", "room", "p", "x"},
	} {
		entry := redis.XAddArgs{Stream: "{" + opts.Prefix + ":0}s1.0", Values: values}
		require.NoError(t, s.client(t).XAdd(t.Context(), &entry).Err())
	}
	publish(t, b, "1")
	require.Equal(t, []string{"0", "1"}, drain(t, got, 2))
	again, _ := collect(t, b, "room", from)
	require.Equal(t, []string{"0", "1"}, drain(t, again, 2))
	require.Empty(t, got)
	require.Empty(t, again)
}

func TestAnotherNumberOfStreamsIsAnotherNetwork(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	name := prefix()
	var planes []*redisstream.Backplane
	var ears []<-chan live.Entry
	var ends []live.Pos
	for _, shared := range []int{0, 1, 2, 3} {
		b := newBackplane(t, s.client(t), redisstream.Options{Prefix: name, Shared: shared})
		got, _ := collect(t, b, "room", "")
		publish(t, b, strconv.Itoa(shared))
		e := receive(t, got)
		require.Equal(t, strconv.Itoa(shared), string(e.Payload))
		planes, ears, ends = append(planes, b), append(ears, got), append(ends, e.Pos)
	}
	for i, b := range planes {
		require.Empty(t, ears[i])
		for j, pos := range ends {
			_, from := collect(t, b, "room", pos)
			require.Equal(t, i == j, from == pos, "%d goes to %d", j, i)
		}
	}
	require.False(t, slices.Contains(ends[1:], ends[0]))
}
