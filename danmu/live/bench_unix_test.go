//go:build unix

package live_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// BenchmarkRoom has many viewers in one room and a hundred comments a second:
// each op is a comment. A delivery is an event that reaches a viewer; the latency
// is the time from encoding a batch to a viewer's having it.
//
//	go test -run - -bench Room -benchtime 1000x ./danmu/live
func BenchmarkRoom(b *testing.B) {
	for _, viewers := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(viewers, " viewers"), func(b *testing.B) { benchmarkRoom(b, viewers) })
	}
}

func benchmarkRoom(b *testing.B, viewers int) {
	encoded := make([]atomic.Int64, b.N) // the times of encoding
	begin := time.Now()
	hub := newHub(b, &table{}, &live.Options{Encode: func(_ string, events []live.Event) []byte {
		encoded[events[0].Likes].Store(int64(time.Since(begin)))
		return make([]byte, 100*len(events))
	}})
	contexts, latencies := make([]context.Context, viewers), make([][]time.Duration, viewers)
	for i := range viewers { // a server has these for its clients anyway
		var leave context.CancelFunc
		contexts[i], leave = context.WithCancel(b.Context()) //nolint:fatcontext // each is another's
		defer leave()
		latencies[i] = make([]time.Duration, 0, b.N)
	}
	before := memory()
	var watching sync.WaitGroup
	for i := range viewers {
		v := join(b, hub, "")
		watching.Go(func() {
			for got := 0; got < b.N; {
				n, first := watch(contexts[i], v)
				if n == 0 {
					b.Error("lost some")
					return
				}
				latencies[i] = append(latencies[i], time.Since(begin)-time.Duration(encoded[first].Load()))
				got += n
			}
		})
	}
	for range 100 { // until they wait
		runtime.Gosched()
	}
	time.Sleep(200 * time.Millisecond)
	each := float64(memory()-before) / float64(viewers)

	b.ResetTimer()
	cpu := dynamotest.CPUTime(b)
	start := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := range b.N {
		<-tick.C
		publish(b, hub, like(n))
	}
	watching.Wait()
	b.StopTimer()
	took := time.Since(start)

	all := slices.Concat(latencies...)
	slices.Sort(all)
	b.ReportMetric(float64(b.N*viewers)/took.Seconds(), "deliveries/s")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(each, "B/viewer")
	b.ReportMetric((dynamotest.CPUTime(b)-cpu).Seconds()/took.Seconds(), "cores")
}

// watch returns the number of events in the next batch, and the first one's likes.
// The number is 0 if events were lost.
func watch(ctx context.Context, v *live.Viewer) (n int, first int64) {
	batch, err := v.Next(ctx)
	if err != nil || batch.Dropped > 0 {
		return 0, -1
	}
	return len(batch.Events), batch.Events[0].Likes
}

// memory returns the size of the live heap and the stacks.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
