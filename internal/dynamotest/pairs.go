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
	b.ReportMetric(cpuRatio(b, sides[0].call, sides[1].call), "cpu-ratio")
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

// cpuRatio is the median ratio of CPU times of ours by bare with recorded answers.
func cpuRatio(b *testing.B, ours, bare func()) float64 {
	cpu := func(answered *tape, call func(), calls int) (took time.Duration) {
		answers.play(answered, func() {
			runtime.GC() // so that no side collects the other's garbage
			start := CPUTime(b)
			for range calls {
				call()
			}
			took = CPUTime(b) - start
		})
		return took
	}
	const tapes, rounds, first, long = 5, 8, 10, 10 * time.Millisecond
	cpu(answers.record(ours), ours, first) // both make as many calls
	calls := first * max(1, int(long/cpu(answers.record(bare), bare, first)))
	var ratios []float64
	for range tapes {
		our, their := answers.record(ours), answers.record(bare)
		for n := range rounds { // short ones, so that both sides find the machine equally busy
			var took [2]time.Duration
			for k := range took {
				if one := (n + k) % 2; one == 0 {
					took[one] = cpu(our, ours, calls)
				} else {
					took[one] = cpu(their, bare, calls)
				}
			}
			ratios = append(ratios, float64(took[0])/float64(took[1]))
		}
	}
	return median(ratios)
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
