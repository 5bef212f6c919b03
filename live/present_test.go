package live_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/live"
)

func TestPresentCountsTheViewersOfARoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := newHub(t, nil)
		require.Zero(t, hub.Present(room))
		a, b := join(t, hub, ""), join(t, hub, "")
		require.Equal(t, 2, hub.Present(room))
		require.Zero(t, hub.Present("another"))
		a.Close()
		a.Close() // the second time does nothing
		require.Equal(t, 1, hub.Present(room))
		_, err := a.Next(t.Context())
		require.ErrorIs(t, err, live.ErrClosed)
		quiet(t, b)
		b.Close()
		require.Zero(t, hub.Present(room))
	})
}

// counting returns a hub whose viewers see their number.
func counting(t *testing.T) *live.Hub[event] {
	t.Helper()
	return newHub(t, &live.Options[event]{PresentEvery: time.Second})
}

// present returns the number of the next batch, which has nothing else.
func present(t *testing.T, v *live.Viewer[event]) int {
	t.Helper()
	b := next(t, v)
	require.Empty(t, b.Events)
	require.Nil(t, b.Encoded)
	require.Zero(t, b.Dropped)
	require.False(t, b.Reset)
	require.NotEmpty(t, b.Pos)
	return b.Present
}

func TestAViewerWhoJoinsOrLeavesIsCountedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := counting(t)
		first := join(t, hub, "")
		require.Equal(t, 1, present(t, first))
		time.Sleep(time.Minute)
		start := time.Now()
		second := join(t, hub, "")
		require.Equal(t, 2, present(t, first))
		require.Equal(t, 2, present(t, second))
		require.Zero(t, time.Since(start))
		time.Sleep(time.Minute)
		start = time.Now()
		second.Close()
		require.Equal(t, 1, present(t, first))
		require.Zero(t, time.Since(start))
		quiet(t, first)
	})
}

// watch counts the batches that a viewer takes, and keeps the last Present, until the hub
// is closed.
func watch(v *live.Viewer[event]) (batches, present func() int) {
	var n, last atomic.Int64
	go func() {
		for {
			b, err := v.Next(context.Background())
			if err != nil {
				return
			}
			n.Add(1)
			last.Store(int64(b.Present))
		}
	}()
	return func() int { return int(n.Load()) }, func() int { return int(last.Load()) }
}

func TestACrowdThatComesAndGoesWakesViewersSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := counting(t)
		batches, present := watch(join(t, hub, ""))
		synctest.Wait()
		require.Equal(t, 1, batches())
		time.Sleep(time.Minute)
		start := time.Now()
		for range 1000 { // 2 s
			time.Sleep(time.Millisecond)
			other := join(t, hub, "")
			time.Sleep(time.Millisecond)
			other.Close()
		}
		stayed := join(t, hub, "")
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		require.LessOrEqual(t, batches(), 2+int(time.Since(start)/(100*time.Millisecond)))
		require.Equal(t, 2, present(), "the end is not lost")
		before := batches()
		time.Sleep(time.Hour)
		require.Equal(t, before, batches())
		stayed.Close()
		synctest.Wait()
		require.Equal(t, 1, present())
	})
}

func TestALargeRoomIsCountedOncePerPresentEvery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := counting(t)
		for range 5000 {
			join(t, hub, "")
		}
		batches, present := watch(join(t, hub, ""))
		time.Sleep(time.Minute)
		require.Equal(t, 5001, present())
		before := batches()
		for range 40 { // 4 s
			join(t, hub, "")
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Second)
		require.Equal(t, 5041, present())
		require.Equal(t, 5, batches()-before, "the first at once, and one a second")
	})
}

// An event brings the number along, and a viewer who joins gets the exact one.
func TestPresentComesWithEveryBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := counting(t)
		first := join(t, hub, "")
		time.Sleep(time.Second)
		second := join(t, hub, "")
		publish(t, hub, event{1})
		time.Sleep(time.Second)
		b := next(t, first)
		require.Equal(t, []int{1}, numbers(b.Events))
		require.Equal(t, 2, b.Present)
		require.Equal(t, 2, present(t, first))
		require.Equal(t, 2, next(t, second).Present)
		for n := 3; n < 6; n++ { // within the wait of the first
			require.Equal(t, n, present(t, join(t, hub, "")))
		}
		time.Sleep(time.Second)
		require.Equal(t, 5, present(t, first))
		quiet(t, first)
		reset := next(t, join(t, hub, "unknown"))
		require.True(t, reset.Reset)
		require.Equal(t, 6, reset.Present)
	})
}

// A client that reconnects after a batch that only had a number misses nothing.
func TestThePositionOfANumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := counting(t)
		v := join(t, hub, "")
		at := next(t, v).Pos
		publish(t, hub, event{1}, event{2})
		time.Sleep(time.Second)
		back := join(t, hub, at)
		require.Equal(t, []int{1, 2}, numbers(next(t, back).Events))
		back.Close()
		next(t, v)
		time.Sleep(time.Minute)
		join(t, hub, "")
		after := next(t, v)
		require.Empty(t, after.Events)
		publish(t, hub, event{3})
		time.Sleep(time.Second)
		require.Equal(t, []int{3}, numbers(next(t, join(t, hub, after.Pos)).Events))
	})
}

// While a room catches up with a position, a new viewer has no position of its own.
func TestANumberDuringAReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "1", end: "3"}
		hub := newHub(t, &live.Options[event]{Backplane: plane, PresentEvery: time.Second})
		join(t, hub, "1")
		v := join(t, hub, "")
		quiet(t, v)
		plane.deliver([]live.Entry{entry(t, "2", event{2}), entry(t, "3", event{3})})
		b := next(t, v)
		require.Empty(t, b.Events)
		require.Equal(t, live.Pos("3"), b.Pos)
		require.Equal(t, 2, b.Present)
	})
}

func TestEverybodySeesTheLastNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := counting(t)
		var coming sync.WaitGroup
		var mu sync.Mutex
		var all []func() int
		for range 50 {
			coming.Go(func() {
				for range rand.IntN(20) {
					time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
					join(t, hub, "").Close()
				}
				_, present := watch(join(t, hub, ""))
				mu.Lock()
				defer mu.Unlock()
				all = append(all, present)
			})
		}
		coming.Wait()
		time.Sleep(time.Second)
		synctest.Wait()
		for _, present := range all {
			require.Equal(t, 50, present())
		}
	})
}
