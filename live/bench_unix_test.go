//go:build unix

package live_test

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/live"
)

// BenchmarkBells has 10,000 rooms with one viewer each, as bells are: each op is an event,
// published and read. A room's bytes are those of a room that is quiet, with its viewer;
// a used room has had one event, and keeps it for viewers who were away.
//
//	go test -run - -bench Bells -benchtime 50000x ./live
func BenchmarkBells(b *testing.B) {
	const rooms = 10_000
	hub := newHub(b, nil)
	names, viewers := make([]string, rooms), make([]*live.Viewer[event], rooms)
	for i := range rooms {
		names[i] = strconv.Itoa(i)
	}
	ring := func(i, n int) {
		require.NoError(b, hub.Publish(b.Context(), names[i], event{n}))
		batch, err := viewers[i].Next(b.Context())
		if err != nil || len(batch.Events) != 1 || batch.Events[0].N != n {
			b.Fatal(batch, err)
		}
	}

	before := memory()
	for i := range rooms {
		var err error
		viewers[i], err = hub.Join(b.Context(), names[i], "")
		require.NoError(b, err)
		defer viewers[i].Close()
	}
	quiet := memory()
	for i := range rooms {
		ring(i, -1)
	}
	used := memory()

	cpu := dynamotest.CPUTime(b)
	for n := 0; b.Loop(); n++ {
		ring(n*7919%rooms, n)
	}
	b.StopTimer()
	b.ReportMetric(float64((dynamotest.CPUTime(b)-cpu).Nanoseconds())/1000/float64(b.N), "µs-CPU/event")
	b.ReportMetric(float64(quiet-before)/rooms, "B/room")
	b.ReportMetric(float64(used-before)/rooms, "B/used-room")
}

// memory is the size of the live heap and the stacks.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
