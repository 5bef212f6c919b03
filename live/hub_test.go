package live_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/live/livetest"
)

func TestMemoryIsABackplane(t *testing.T) {
	none := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, none) })
	livetest.Run(t, func(t *testing.T) livetest.Network {
		m, err := live.NewMemory(&live.MemoryOptions{Keep: 50})
		require.NoError(t, err)
		return livetest.Network{Join: func() live.Backplane { return m }, Keep: 50}
	})
}

func TestABatchIsEncodedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		encoded := 0
		hub := newHub(t, &live.Options[event]{Encode: func(name string, events []event) []byte {
			require.Equal(t, room, name)
			encoded++
			return []byte(strconv.Itoa(len(events)))
		}})
		var viewers []*live.Viewer[event]
		for range 10 {
			viewers = append(viewers, join(t, hub, ""))
		}
		publish(t, hub, event{1}, event{2})
		for _, v := range viewers {
			require.Equal(t, "2", string(next(t, v).Encoded))
		}
		require.Equal(t, 1, encoded)
	})
}

func TestDecodeReadsWhatPublishWrote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := newHub(t, &live.Options[event]{Decode: func(name string, payload []byte) (e event, err error) {
			require.Equal(t, room, name)
			require.Equal(t, `{"n":1}`, string(payload))
			return event{7}, nil
		}})
		v := join(t, hub, "")
		publish(t, hub, event{1})
		require.Equal(t, []event{{7}}, next(t, v).Events)
	})
}

func TestEventsThatAreNotFreshAreLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rooms := 0
		hub := newHub(t, &live.Options[event]{Fresh: func() func(event) bool {
			rooms++
			return rising()
		}})
		v := join(t, hub, "")
		publish(t, hub, event{1}, event{1}, event{3}, event{2})
		b := next(t, v)
		require.Equal(t, []int{1, 3}, numbers(b.Events))
		require.Zero(t, b.Dropped)
		publish(t, hub, event{3})
		quiet(t, v)
		other, err := hub.Join(t.Context(), "another", "")
		require.NoError(t, err)
		require.NoError(t, hub.Publish(t.Context(), "another", event{1}))
		require.Equal(t, []int{1}, numbers(next(t, other).Events), "each room has its own")
		require.Equal(t, 2, rooms)
	})
}

func TestSinceIsWhenTheViewerJoinedOrWasReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		v := join(t, newHub(t, &live.Options[event]{Backplane: plane}), "")
		joined := time.Now()
		require.Equal(t, joined, v.Since())
		time.Sleep(time.Minute)
		plane.deliver([]live.Entry{entry(t, "1", event{1})})
		next(t, v)
		require.Equal(t, joined, v.Since())
		time.Sleep(time.Minute)
		plane.deliver([]live.Entry{{Pos: "2", Gap: true}})
		time.Sleep(time.Minute)
		require.True(t, next(t, v).Reset)
		require.Equal(t, joined.Add(3*time.Minute), v.Since())
	})
}

// Bells and conversations are many rooms with a viewer or two each.
func TestManyRoomsOfOneViewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := newHub(t, nil)
		before := runtime.NumGoroutine()
		viewers := make([]*live.Viewer[event], 1000)
		for i := range viewers {
			v, err := hub.Join(t.Context(), strconv.Itoa(i), "")
			require.NoError(t, err)
			defer v.Close()
			viewers[i] = v
		}
		for i := range viewers {
			require.NoError(t, hub.Publish(t.Context(), strconv.Itoa(i), event{i}))
		}
		for i, v := range viewers {
			require.Equal(t, []int{i}, numbers(next(t, v).Events))
		}
		require.LessOrEqual(t, runtime.NumGoroutine(), before+10, "rooms need none")
	})
}

func TestTheFirstEventComesAtOnceAndTheNextTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := newHub(t, nil)
		v := join(t, hub, "")
		start := time.Now()
		publish(t, hub, event{1}, event{2}) // the room has just opened
		require.Len(t, next(t, v).Events, 2)
		require.Equal(t, 10*time.Millisecond, time.Since(start))
		time.Sleep(10 * time.Millisecond)
		start = time.Now()
		publish(t, hub, event{0})
		require.Equal(t, []int{0}, numbers(next(t, v).Events))
		require.Zero(t, time.Since(start))
		for n := 1; n <= 3; n++ {
			time.Sleep(2 * time.Millisecond)
			publish(t, hub, event{n})
		}
		require.Equal(t, []int{1, 2, 3}, numbers(next(t, v).Events))
		require.Equal(t, 10*time.Millisecond, time.Since(start))
		time.Sleep(time.Minute)
		publish(t, hub, event{4})
		require.Equal(t, []int{4}, numbers(next(t, v).Events))
		require.Equal(t, time.Minute+10*time.Millisecond, time.Since(start))
	})
}

// What a batch costs is to wake viewers. A room of few may have many batches.
func TestALargerRoomWaitsLonger(t *testing.T) {
	for viewers, want := range map[int]time.Duration{
		1:    30 * time.Millisecond,
		500:  30 * time.Millisecond,
		501:  30060 * time.Microsecond,
		1000: 60 * time.Millisecond,
		4000: 240 * time.Millisecond,
		5000: 300 * time.Millisecond,
		6000: 300 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			hub := newHub(t, &live.Options[event]{Every: 300 * time.Millisecond})
			first := join(t, hub, "")
			for range viewers - 1 {
				join(t, hub, "")
			}
			time.Sleep(time.Second)
			start := time.Now()
			publish(t, hub, event{1})
			next(t, first)
			require.Zero(t, time.Since(start), viewers)
			publish(t, hub, event{2})
			next(t, first)
			require.Equal(t, want, time.Since(start), viewers)
		})
	}
}

func TestAnEventDuringEncodeIsInTheNextBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := newHub(t, &live.Options[event]{Encode: func(string, []event) []byte {
			time.Sleep(time.Second)
			return nil
		}})
		v := join(t, hub, "")
		publish(t, hub, event{1})
		time.Sleep(500 * time.Millisecond)
		publish(t, hub, event{2})
		require.Equal(t, []int{1}, numbers(next(t, v).Events))
		require.Equal(t, []int{2}, numbers(next(t, v).Events))
	})
}

func TestARoomClosesWhenItStaysEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		hub := newHub(t, &live.Options[event]{Backplane: plane, Linger: time.Second})
		v := join(t, hub, "")
		v.Close()
		time.Sleep(999 * time.Millisecond)
		synctest.Wait()
		require.Zero(t, plane.stopped)
		v = join(t, hub, "") // before it closes
		time.Sleep(time.Hour)
		require.Zero(t, plane.stopped)
		require.Equal(t, 1, plane.opened)
		v.Close()
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, 1, plane.stopped)
		join(t, hub, "")
		require.Equal(t, 2, plane.opened)
	})
}

// A context may hold a whole request.
func TestARoomForgetsTheContextThatOpenedIt(t *testing.T) {
	type key struct{}
	hub := newHub(t, nil)
	gone := make(chan struct{})
	func() {
		request := new([1024]byte)
		runtime.AddCleanup(request, func(struct{}) { close(gone) }, struct{}{})
		v, err := hub.Join(context.WithValue(t.Context(), key{}, request), room, "")
		require.NoError(t, err)
		t.Cleanup(v.Close)
	}()
	require.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-gone:
			return true
		default:
			return false
		}
	}, time.Minute, time.Millisecond)
	require.Equal(t, 1, hub.Present(room))
}

func TestARoomWithoutLingerClosesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		hub := newHub(t, &live.Options[event]{Backplane: plane, Linger: -1})
		join(t, hub, "").Close()
		synctest.Wait()
		require.Equal(t, 1, plane.stopped)
	})
}

func TestCloseEndsEveryRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		hub := newHub(t, &live.Options[event]{Backplane: plane})
		v := join(t, hub, "")
		waited := make(chan error)
		go func() {
			_, err := v.Next(context.Background())
			waited <- err
		}()
		synctest.Wait()
		hub.Close()
		err := <-waited
		require.ErrorIs(t, err, live.ErrClosed)
		require.ErrorIs(t, err, plaza.ErrUnavailable)
		require.Equal(t, 1, plane.stopped)
		_, err = hub.Join(t.Context(), room, "")
		require.ErrorIs(t, err, live.ErrClosed)
		v.Close()
		hub.Close() // the second time does nothing
		require.Equal(t, 1, plane.stopped)
		publish(t, hub, event{1})
	})
}

func TestAnUnknownRoomDoesNotOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		asked, known := 0, false
		hub := newHub(t, &live.Options[event]{Backplane: plane, Linger: -1, Known: func(_ context.Context, name string) error {
			require.Equal(t, room, name)
			asked++
			time.Sleep(time.Second)
			if !known {
				return plaza.ErrNotFound
			}
			return nil
		}})
		both := make(chan error)
		for range 2 {
			go func() {
				_, err := hub.Join(t.Context(), room, "")
				both <- err
			}()
		}
		for range 2 {
			require.ErrorIs(t, <-both, plaza.ErrNotFound)
		}
		require.Equal(t, 1, asked)
		require.Zero(t, plane.opened)
		require.Zero(t, hub.Present(room))

		known = true
		join(t, hub, "")
		known = false
		join(t, hub, "") // it is open
		require.Equal(t, 2, asked)
		require.Equal(t, 1, plane.opened)
	})
}

func TestTheFirstViewerMayLeaveBeforeTheRoomIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "0", hold: make(chan struct{})}
		hub := newHub(t, &live.Options[event]{Backplane: plane})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		first, second := make(chan error), make(chan error)
		go func() { _, err := hub.Join(ctx, room, ""); first <- err }()
		synctest.Wait()
		go func() { _, err := hub.Join(t.Context(), room, ""); second <- err }()
		require.ErrorIs(t, <-first, context.DeadlineExceeded)
		require.Equal(t, 1, hub.Present(room))
		close(plane.hold)
		require.NoError(t, <-second)
	})
}

func TestARoomThatNobodyWaitsForIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "0", hold: make(chan struct{}), deaf: true}
		hub := newHub(t, &live.Options[event]{Backplane: plane, Linger: -1})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := hub.Join(ctx, room, "")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		close(plane.hold)
		synctest.Wait()
		require.Equal(t, 1, plane.opened)
		require.Equal(t, 1, plane.stopped)
	})
}

func TestCloseDoesNotWaitForTheBackplane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, linger := range []time.Duration{-1, time.Hour} {
			plane := &wire{hold: make(chan struct{})}
			hub := newHub(t, &live.Options[event]{Backplane: plane, Linger: linger})
			joined := make(chan error)
			go func() { _, err := hub.Join(t.Context(), room, ""); joined <- err }()
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_, err := hub.Join(ctx, "another", "") // nobody waits for this room any more
			require.ErrorIs(t, err, context.DeadlineExceeded)
			cancel()
			start := time.Now()
			hub.Close()
			require.Zero(t, time.Since(start))
			require.ErrorIs(t, <-joined, live.ErrClosed)
		}
	})
}

func TestAClosedHubReturnsNoReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := newHub(t, nil)
		v := join(t, hub, "unknown")
		hub.Close()
		_, err := v.Next(t.Context())
		require.ErrorIs(t, err, live.ErrClosed)
	})
}

func TestInvalidInputNamesItsField(t *testing.T) {
	field := func(err error) string {
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		return invalid.Field
	}
	for name, opts := range map[string]*live.Options[event]{
		"Options.Every": {Every: -1}, "Options.PresentEvery": {PresentEvery: -1}, "Options.Batches": {Batches: -1}, "Options.Bytes": {Bytes: -1},
	} {
		_, err := live.New(opts)
		require.Equal(t, name, field(err))
	}
	_, err := live.NewMemory(&live.MemoryOptions{Keep: -1})
	require.Equal(t, "Keep", field(err))

	hub := newHub(t, nil)
	for _, name := range []string{"", "\xff", string(make([]byte, 257))} {
		_, err = hub.Join(t.Context(), name, "")
		require.Equal(t, "room", field(err))
		require.Equal(t, "room", field(hub.Publish(t.Context(), name, event{1})))
	}
	other, err := live.New[func()](nil)
	require.NoError(t, err)
	defer other.Close()
	var unsupported *json.UnsupportedTypeError
	require.ErrorAs(t, other.Publish(t.Context(), room, func() {}), &unsupported)
}
