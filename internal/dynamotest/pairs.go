package dynamotest

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// Pair compares ours with bare, the same requests through the bare SDK. They run in
// alternating rounds, so that both run on an equally busy machine. Pair reports medians:
// ns/op of ours, and time-ratio and allocs-ratio of ours by bare. cpu-ratio is the ratio
// of CPU times with recorded answers instead of the engine. Allocations of the client's own
// goroutines count for both. requests/op, RCU/op and WCU/op are the cost of ours.
func Pair(b *testing.B, ours, bare func()) {
	b.Helper()
	const warmUp, round = 10, 20
	sides := [2]side{{call: ours}, {call: bare}}
	for i := range sides {
		sides[i].run(warmUp)
		sides[i] = side{call: sides[i].call}
	}
	for n := 0; b.Loop(); n++ {
		// Each side goes first in every other round.
		sides[n%2].run(round)
		sides[1-n%2].run(round)
	}
	const rounds = 20
	ratios := make([]float64, rounds)
	for n := range ratios {
		var took [2]time.Duration
		for k := range took {
			one := (n + k) % 2
			answers.during(sides[one].call, func() {
				runtime.GC() // of the other's garbage
				start := CPUTime(b)
				for range round {
					sides[one].call()
				}
				took[one] = CPUTime(b) - start
			})
		}
		ratios[n] = float64(took[0]) / float64(took[1])
	}
	b.ReportMetric(median(ratios), "cpu-ratio")
	cost := answers.cost(func() {
		for range round {
			sides[0].call()
		}
	})
	sides[1].run(round) // both made as many calls
	b.ReportMetric(float64(cost.Requests)/round, "requests/op")
	b.ReportMetric(cost.Read/round, "RCU/op")
	b.ReportMetric(cost.Write/round, "WCU/op")
	our, their := &sides[0], &sides[1]
	b.ReportMetric(median(our.times), "ns/op")
	b.ReportMetric(median(our.times)/median(their.times), "time-ratio")
	b.ReportMetric(median(our.allocs)/median(their.allocs), "allocs-ratio")
}

type side struct {
	call          func()
	times, allocs []float64 // per call
}

func (s *side) run(calls int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		start := time.Now()
		s.call()
		s.times = append(s.times, float64(time.Since(start)))
	}
	runtime.ReadMemStats(&after)
	s.allocs = append(s.allocs, float64(after.Mallocs-before.Mallocs)/float64(calls))
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
