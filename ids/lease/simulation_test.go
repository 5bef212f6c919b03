package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// process has a clock of its own and leases that it never closes. A frozen process
// uses them again later.
type process struct {
	clock  *clock
	leases []*held
}

type held struct {
	*lease.Lease
	last ids.ID
}

// Whatever happens to clocks, processes and requests, no id is made twice.
func TestSimulatedProcessesNeverShareAnID(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{t: t, table: dynamotest.Table(t, lease.Table), late: &postbox{}}
		w.Injector = faults.New(t, rapid.Uint64().Draw(rt, "seed"), faults.Standard)
		w.db = dynamotest.DB(t, w.late.wrap, w.Wrap)

		processes := make([]*process, 3)
		for i := range processes {
			processes[i] = &process{clock: clockAt(noon)}
		}
		// One number, equal times and few ids a millisecond make collisions
		// likely.
		const ms = time.Millisecond
		steps := []time.Duration{ms, 2 * ms, 3 * ms, 500 * ms, 1000 * ms, 1001 * ms}
		given := map[ids.ID]bool{}
		step := func(rt *rapid.T) time.Duration { return rapid.SampledFrom(steps).Draw(rt, "by") }
		one := func(rt *rapid.T) *process { return rapid.SampledFrom(processes).Draw(rt, "process") }
		some := func(rt *rapid.T) *held {
			p := one(rt)
			if len(p.leases) == 0 {
				rt.Skip("no lease")
			}
			// Most often the newest lease, since older ones are given back or frozen.
			back := rapid.IntRange(0, len(p.leases)-1).Draw(rt, "back")
			return p.leases[len(p.leases)-1-back]
		}
		use := func(rt *rapid.T, l *held) {
			for range rapid.IntRange(0, 4).Draw(rt, "ids") {
				id, err := l.Next(t.Context())
				if err != nil {
					if id != 0 {
						rt.Fatalf("%s beside %v", id, err)
					}
					return
				}
				if given[id] {
					rt.Fatalf("%s, timed %v, was given twice", id, id.Time())
				}
				if id <= l.last {
					rt.Fatalf("%s after %s", id, l.last)
				}
				given[id], l.last = true, id
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"time passes": func(rt *rapid.T) {
				by := step(rt)
				for _, p := range processes {
					p.clock.Advance(by)
				}
			},
			"a clock jumps": func(rt *rapid.T) {
				p := one(rt)
				p.clock.Advance(step(rt) * time.Duration(rapid.SampledFrom([]int{-1, 1}).Draw(rt, "sign")))
			},
			"acquire and use": func(rt *rapid.T) {
				p := one(rt)
				o := options(p.clock)
				o.Duration = time.Second
				l, err := w.acquire(p.clock, o)
				if err != nil {
					rt.Skip(err)
				}
				p.leases = append(p.leases, &held{Lease: l})
				use(rt, p.leases[len(p.leases)-1])
			},
			"use": func(rt *rapid.T) { use(rt, some(rt)) },
			"close": func(rt *rapid.T) {
				l := some(rt)
				use(rt, l)
				_ = l.Close(t.Context())
			},
			"a request arrives again": func(rt *rapid.T) {
				if len(w.late.copies) == 0 {
					rt.Skip("none")
				}
				w.late.deliver(rt, rapid.IntRange(0, min(20, len(w.late.copies))-1).Draw(rt, "request"))
			},
		})
	})
	require.False(t, t.Failed())
}
