//go:build unix

package redisstream_test

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/live/redisstream"
)

// BenchmarkBells has many rooms with one viewer each, as bells are, and a hundred
// events a second: each op is an event. Its CPU is this process's, which publishes,
// reads and delivers, and the server's. Streams of 0 are one for each room.
//
//	go test -run - -bench Bells -benchtime 500x ./live/redisstream
func BenchmarkBells(b *testing.B) {
	for _, rooms := range []int{1000, 10_000} {
		for _, shared := range []int{0, 1, 16} {
			b.Run(fmt.Sprint(rooms, " rooms/", shared, " streams"), func(b *testing.B) { benchmarkBells(b, rooms, shared) })
		}
	}
}

func benchmarkBells(b *testing.B, rooms, shared int) {
	s := startServer(b)
	plane := newBackplane(b, s.client(b), redisstream.Options{Prefix: prefix(), Shared: shared})
	hub, err := live.New(&live.Options[int]{Backplane: plane})
	require.NoError(b, err)
	defer hub.Close()
	viewers := make([]*live.Viewer[int], rooms)
	before := memory()
	var joining sync.WaitGroup
	for part := range 10 {
		joining.Go(func() {
			for i := part; i < rooms; i += 10 {
				var err error
				if viewers[i], err = hub.Join(b.Context(), strconv.Itoa(i), ""); err != nil {
					b.Error(err)
				}
			}
		})
	}
	joining.Wait()
	each := float64(memory()-before) / float64(rooms)
	if b.Failed() {
		return
	}

	cpu, server := cpuTime(b), s.cpuTime(b)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := 0; b.Loop(); n++ {
		<-tick.C
		i := n * 7919 % rooms
		require.NoError(b, hub.Publish(b.Context(), strconv.Itoa(i), n))
		batch, err := viewers[i].Next(b.Context())
		require.NoError(b, err)
		require.Equal(b, []int{n}, batch.Events)
	}
	b.StopTimer()
	b.ReportMetric(float64((cpuTime(b)-cpu).Microseconds())/float64(b.N), "µs-CPU/event")
	b.ReportMetric(float64((s.cpuTime(b)-server).Microseconds())/float64(b.N), "µs-server/event")
	b.ReportMetric(each, "B/room")
}

// memory is the size of the live heap and the stacks.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// cpuTime is what this process has used. dynamotest has it too, but needs the AWS SDK,
// which is not in this module.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cpuTime is what the server has used.
func (s *server) cpuTime(b *testing.B) time.Duration {
	b.Helper()
	info, err := s.client(b).InfoMap(b.Context(), "cpu").Result()
	require.NoError(b, err)
	var sum float64
	for _, name := range []string{"used_cpu_user", "used_cpu_sys"} {
		seconds, err := strconv.ParseFloat(strings.TrimSpace(info["CPU"][name]), 64)
		require.NoError(b, err)
		sum += seconds
	}
	return time.Duration(sum * float64(time.Second))
}

// BenchmarkOthers is what the entries of rooms elsewhere cost a process: each op is
// 1,000 of them, read as they arrive or by a viewer who was away.
//
//	go test -run - -bench Others -benchtime 100x ./live/redisstream
func BenchmarkOthers(b *testing.B) {
	s := startServer(b)
	opts := redisstream.Options{Prefix: prefix(), Shared: 1}
	plane := newBackplane(b, s.client(b), opts)
	got := make(chan live.Entry, 1)
	deliver := func(entries []live.Entry) {
		for _, e := range entries {
			if len(e.Payload) > 0 {
				got <- e
			}
		}
	}
	here, err := plane.Subscribe(b.Context(), "room", "", deliver)
	require.NoError(b, err)
	defer here.Stop()
	admin, key := s.client(b), []string{"{" + opts.Prefix + ":0}s1.0"}
	fill := redis.NewScript(`for i = 1, 999 do
		redis.call("XADD", KEYS[1], "MAXLEN", "~", 10000, "*", "r", "user" .. i, "p", '{"group":"a group of notifications"}')
	end
	return redis.call("XADD", KEYS[1], "*", "r", "room", "p", "x")`)
	b.Run("as they arrive", func(b *testing.B) {
		cpu := cpuTime(b)
		for b.Loop() {
			require.NoError(b, fill.Run(b.Context(), admin, key).Err())
			<-got
		}
		b.ReportMetric(float64((cpuTime(b)-cpu).Microseconds())/float64(b.N), "µs-CPU/1000")
	})
	from := here.From
	for range 2 {
		require.NoError(b, fill.Run(b.Context(), admin, key).Err())
		from = (<-got).Pos
	}
	require.NoError(b, fill.Run(b.Context(), admin, key).Err())
	<-got
	b.Run("by a viewer who was away", func(b *testing.B) {
		cpu := cpuTime(b)
		for b.Loop() {
			again, err := plane.Subscribe(b.Context(), "room", from, deliver)
			require.NoError(b, err)
			<-got
			again.Stop()
		}
		b.ReportMetric(float64((cpuTime(b)-cpu).Microseconds())/float64(b.N), "µs-CPU/1000")
	})
}
