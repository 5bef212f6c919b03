package notify_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// TestACrowdIsCountedExactlyUpToTheCap has 64 writers, of two processes, write one
// group.
func TestACrowdIsCountedExactlyUpToTheCap(t *testing.T) {
	t.Parallel()
	const writers = 64
	type crowd struct {
		name         string
		events, want int
	}
	for _, c := range faults.Some(1, crowd{"above", faults.Size(512, 128), 100}, crowd{"below", 96, 96}) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			meter := dynamotest.NewMeter()
			w := newWorld(t, nil, meter.Wrap)
			processes := []world{w, w.process(t, nil, meter.Wrap)}
			var stored, calls atomic.Int64
			var group sync.WaitGroup
			for i := range writers {
				group.Go(func() {
					for k := i; k < c.events; k += writers {
						n := w.like(fmt.Sprint("fan", k))
						calls.Add(int64(faults.Acknowledged(t, func() error {
							res, created, err := processes[k%2].Notify(t.Context(), n)
							if created {
								stored.Add(1)
							} else if err == nil && outcomeOf(res) != isFull {
								return fmt.Errorf("%+v", res)
							}
							return err
						})))
					}
				})
			}
			group.Wait()
			cost := meter.Take()
			t.Logf("%d events: %d calls, %v: %.2f requests an event", c.events, calls.Load(), cost, float64(cost.Requests)/float64(c.events))
			require.EqualValues(t, c.want, stored.Load())
			g := w.group(t)
			require.EqualValues(t, c.want, g.N)
			require.Equal(t, c.want, g.live)
			require.Equal(t, c.want < c.events, g.More)
		})
	}
}
