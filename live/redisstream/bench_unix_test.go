//go:build unix

package redisstream_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/live/redisstream"
)

// cpuTime is what this process has used. dynamotest has it too, but needs the AWS SDK,
// which is not in this module.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
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
