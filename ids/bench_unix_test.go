//go:build unix

package ids_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// BenchmarkNext reports CPU time, since most of an id's wall time is spent waiting
// for the next millisecond.
func BenchmarkNext(b *testing.B) {
	for name, workers := range map[string]int{"one": 1, "eight": 8} {
		b.Run(name, func(b *testing.B) {
			g, err := ids.New(1, nil)
			require.NoError(b, err)
			b.ReportAllocs()
			b.ResetTimer()
			before, start := dynamotest.CPUTime(b), time.Now()
			var wg sync.WaitGroup
			for w := range workers {
				wg.Go(func() {
					for i := w; i < b.N; i += workers {
						if _, err := g.Next(b.Context()); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			wall, cpu := time.Since(start), dynamotest.CPUTime(b)-before
			b.ReportMetric(float64(cpu)/float64(b.N), "cpu-ns/id")
			b.ReportMetric(float64(b.N)/wall.Seconds(), "ids/s")
		})
	}
}
