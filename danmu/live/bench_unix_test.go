//go:build unix

package live_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// BenchmarkRoom has viewers in one room, in which things happen at random moments: each op
// is 10 ms. A delivery is an event that reaches a viewer; the latency is the time from
// publishing an event to a viewer's having it.
//
//	go test -run - -bench Room -benchtime 200x ./danmu/live
func BenchmarkRoom(b *testing.B) {
	for _, viewers := range []int{1, 100, 1000, 10_000} {
		for _, rate := range []int{1, 5, 20, 100} {
			b.Run(fmt.Sprintf("%d viewers/%d a second", viewers, rate), func(b *testing.B) { benchmarkRoom(b, viewers, rate) })
		}
	}
}

func benchmarkRoom(b *testing.B, viewers, rate int) {
	events := max(b.N*rate/100, 1)
	published := make([]atomic.Int64, events) // the times of publishing
	begin := time.Now()
	var batches atomic.Int64
	hub := newHub(b, &table{}, &live.Options{Encode: func(_ string, events []live.Event) []byte {
		batches.Add(1)
		return make([]byte, 100*len(events))
	}})
	contexts, latencies := make([]context.Context, viewers), make([][]time.Duration, viewers)
	for i := range viewers { // a server has these for its clients anyway
		var leave context.CancelFunc
		contexts[i], leave = context.WithCancel(b.Context()) //nolint:fatcontext // each is another's
		defer leave()
		latencies[i] = make([]time.Duration, 0, events)
	}
	before := memory()
	var watching sync.WaitGroup
	for i := range viewers {
		v := join(b, hub, "")
		watching.Go(func() {
			for got := 0; got < events; {
				n, first := watch(contexts[i], v)
				if n == 0 {
					b.Error("lost some")
					return
				}
				now := time.Since(begin)
				for e := range n {
					latencies[i] = append(latencies[i], now-time.Duration(published[int(first)+e].Load()))
				}
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
	random := rand.New(rand.NewPCG(1, 2))
	for n := range events {
		time.Sleep(time.Duration(random.ExpFloat64() / float64(rate) * float64(time.Second)))
		published[n].Store(int64(time.Since(begin)))
		publish(b, hub, like(n))
	}
	watching.Wait()
	b.StopTimer()
	took := time.Since(start)

	all := slices.Concat(latencies...)
	slices.Sort(all)
	percentile := func(p int) float64 { return float64(all[len(all)*p/100].Microseconds()) / 1000 }
	b.ReportMetric(float64(events*viewers)/took.Seconds(), "deliveries/s")
	b.ReportMetric(percentile(50), "p50-ms")
	b.ReportMetric(percentile(99), "p99-ms")
	b.ReportMetric(float64(batches.Load())/took.Seconds(), "batches/s")
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
