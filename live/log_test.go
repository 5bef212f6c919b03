package live_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/live"
)

func TestASlowViewerDelaysNobodyAndItsLossIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := newHub(t, &live.Options[event]{Batches: 3})
		slow, quick := join(t, hub, ""), join(t, hub, "")
		for n := 0; n < 20; n += 2 {
			publish(t, hub, event{n}, event{n + 1})
			require.Equal(t, []int{n, n + 1}, numbers(next(t, quick).Events))
		}
		b := next(t, slow)
		require.Equal(t, 14, b.Dropped)
		require.Equal(t, []int{14, 15}, numbers(b.Events))
		for _, want := range [][]int{{16, 17}, {18, 19}} {
			b = next(t, slow)
			require.Zero(t, b.Dropped)
			require.Equal(t, want, numbers(b.Events))
		}
		quiet(t, slow)
	})
}

func TestALogIsBoundedByBytes(t *testing.T) {
	size := 2*len(entry(t, "", event{1}).Payload) + len("[]") // as published and as encoded
	for bytes, kept := range map[int]int{3 * size: 3, 1: 1} { // the newest one, however large
		synctest.Test(t, func(t *testing.T) {
			hub := newHub(t, &live.Options[event]{Bytes: bytes})
			slow := join(t, hub, "")
			for n := range 8 {
				publish(t, hub, event{n})
				time.Sleep(time.Second)
			}
			b := next(t, slow)
			require.Equal(t, 8-kept, b.Dropped)
			require.Equal(t, []int{8 - kept}, numbers(b.Events))
		})
	}
}

func TestJoinContinuesFromAPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "begin"}
		hub := newHub(t, &live.Options[event]{Backplane: plane, Fresh: rising})
		v := join(t, hub, "begin")
		same := entry(t, "p3", event{3})
		plane.deliver([]live.Entry{entry(t, "p1", event{1}), {Pos: "p2"}, same, {Pos: "p4", Payload: same.Payload}})
		require.Equal(t, live.Pos("p4"), next(t, v).Pos)
		time.Sleep(time.Second)
		plane.deliver([]live.Entry{entry(t, "p5", event{5}), {Pos: "p6"}})
		b := next(t, v)
		require.Equal(t, live.Pos("p6"), b.Pos)
		time.Sleep(time.Second)
		plane.deliver([]live.Entry{{Pos: "p7"}})
		synctest.Wait()
		for pos, want := range map[live.Pos][]int{
			"begin": {1, 3, 5}, "p1": {3, 5}, "p2": {3, 5}, "p3": {5}, "p4": {5}, "p5": {}, "p6": {}, "p7": {}, "": {},
		} {
			again := join(t, hub, pos)
			got := []int{}
			for len(got) < len(want) {
				b := next(t, again)
				require.False(t, b.Reset)
				require.Zero(t, b.Dropped)
				var shown []event
				require.NoError(t, json.Unmarshal(b.Encoded, &shown))
				require.Equal(t, numbers(b.Events), numbers(shown), "from %q", pos)
				got = append(got, numbers(b.Events)...)
			}
			require.Equal(t, want, got, "from %q", pos)
			quiet(t, again)
		}
	})
}

func TestAnUnknownPositionIsAReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "p0"}
		hub := newHub(t, &live.Options[event]{Backplane: plane, Batches: 1})
		first := join(t, hub, "long ago") // in a new room too
		b := next(t, first)
		require.Equal(t, live.Batch[event]{Pos: "p0", Reset: true}, b)
		plane.deliver([]live.Entry{entry(t, "p1", event{1})})
		require.Equal(t, []int{1}, numbers(next(t, first).Events))
		time.Sleep(time.Second)
		plane.deliver([]live.Entry{entry(t, "p2", event{2})})
		require.Equal(t, []int{2}, numbers(next(t, first).Events))
		for _, pos := range []live.Pos{"nonsense", "p0"} { // p0: the batch after it is gone
			v := join(t, hub, pos)
			require.Equal(t, live.Batch[event]{Pos: "p2", Reset: true}, next(t, v))
			quiet(t, v)
		}
		v := join(t, hub, "p1") // all that followed is there
		require.Equal(t, []int{2}, numbers(next(t, v).Events))
	})
}

func TestABackplaneThatDropsResetsTheRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "p0"}
		hub := newHub(t, &live.Options[event]{Backplane: plane})
		v := join(t, hub, "")
		gap := entry(t, "p9", event{9})
		gap.Gap = true
		plane.deliver([]live.Entry{entry(t, "p1", event{1}), gap, entry(t, "p10", event{10}), {Gap: true}})
		require.Equal(t, []int{1}, numbers(next(t, v).Events))
		require.Equal(t, live.Batch[event]{Pos: "p1", Reset: true}, next(t, v))
		b := next(t, v)
		require.Equal(t, []int{9, 10}, numbers(b.Events))
		require.Equal(t, live.Pos("p10"), b.Pos)
		require.Equal(t, live.Batch[event]{Pos: "p10", Reset: true}, next(t, v))
		quiet(t, v)
		again := join(t, hub, "p1")
		require.True(t, next(t, again).Reset)
	})
}

func TestEntriesThatDoNotFitInABatchAreAReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "p0"}
		size := len(entry(t, "", event{1}).Payload)
		hub := newHub(t, &live.Options[event]{Backplane: plane, Bytes: 3 * size})
		v := join(t, hub, "")
		plane.deliver([]live.Entry{entry(t, "p0", event{0})})
		next(t, v)
		for n := 1; n <= 9; n++ {
			plane.deliver([]live.Entry{entry(t, fmt.Sprint("p", n), event{n})})
		}
		// The Reset at once pushed the events before it out of the log.
		require.Equal(t, live.Batch[event]{Pos: "p3", Reset: true, Dropped: 3}, next(t, v))
		again := join(t, hub, "p9")
		plane.deliver([]live.Entry{entry(t, "p10", event{10})})
		for _, v := range []*live.Viewer[event]{v, again} {
			b := next(t, v)
			require.Equal(t, []int{10}, numbers(b.Events))
			require.Zero(t, b.Dropped)
			require.Equal(t, live.Pos("p10"), b.Pos)
		}
	})
}

func TestUnreadableEntriesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "p0"}
		hub := newHub(t, &live.Options[event]{Backplane: plane})
		v := join(t, hub, "")
		plane.deliver([]live.Entry{
			{Pos: "p1", Payload: []byte("{")}, entry(t, "p2", event{2}), {Pos: "p3", Payload: []byte(`{"n":"x"}`)},
		})
		b := next(t, v)
		require.Equal(t, 2, b.Dropped)
		require.Equal(t, []int{2}, numbers(b.Events))
		require.Equal(t, live.Pos("p3"), b.Pos)
	})
}

// Whenever a viewer reads, the events that it gets and those counted as lost are
// together all events since it joined, in order.
func TestEveryEventArrivesOrIsCounted(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		batches := rapid.IntRange(1, 4).Draw(r, "batches")
		script := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 60).Draw(r, "script")
		synctest.Test(t, func(t *testing.T) {
			plane := &wire{from: "0"}
			hub := newHub(t, &live.Options[event]{Backplane: plane, Batches: batches})
			type reader struct {
				*live.Viewer[event]
				at int // events so far, lost ones included
			}
			readers := []*reader{{Viewer: join(t, hub, "")}}
			published, flushed := 0, 0
			read := func(v *reader) {
				b := next(t, v.Viewer)
				if b.Reset {
					require.Empty(t, b.Events)
					n, err := strconv.Atoi(string(b.Pos))
					require.NoError(t, err)
					v.at = n
					return
				}
				v.at += b.Dropped
				for _, n := range numbers(b.Events) {
					v.at++
					require.Equal(t, v.at, n)
				}
				require.Equal(t, live.Pos(strconv.Itoa(v.at)), b.Pos)
			}
			for _, step := range script {
				switch {
				case step < 5:
					for range step {
						published++
						plane.deliver([]live.Entry{entry(t, strconv.Itoa(published), event{published})})
					}
				case step < 7:
					time.Sleep(time.Second)
					synctest.Wait()
					flushed = published
				case step == 7:
					pos := max(0, flushed-len(readers))
					v := &reader{join(t, hub, live.Pos(strconv.Itoa(pos))), pos}
					readers = append(readers, v)
				default:
					if v := readers[published%len(readers)]; v.at < flushed {
						read(v)
					}
				}
			}
			published++
			plane.deliver([]live.Entry{entry(t, strconv.Itoa(published), event{published})})
			for _, v := range readers {
				for v.at < published {
					read(v)
				}
				quiet(t, v.Viewer)
			}
		})
	})
}

func TestASlowViewerIsResetByAGapThatTheLogHasDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "p0"}
		hub := newHub(t, &live.Options[event]{Backplane: plane, Batches: 2})
		slow := join(t, hub, "")
		plane.deliver([]live.Entry{{Pos: "p100", Gap: true}})
		time.Sleep(time.Second)
		for n := range 4 {
			plane.deliver([]live.Entry{entry(t, fmt.Sprint("q", n), event{n})})
			time.Sleep(time.Second)
		}
		require.Equal(t, live.Batch[event]{Pos: "q1", Dropped: 3, Reset: true}, next(t, slow))
		for n := 2; n < 4; n++ {
			b := next(t, slow)
			require.Equal(t, []int{n}, numbers(b.Events))
			require.Zero(t, b.Dropped)
		}
		quiet(t, slow)
	})
}

// A room opens for a viewer who was away, and replays the missed events. Another viewer
// who joins meanwhile gets none of them.
func TestANewViewerGetsNothingOfAReplay(t *testing.T) {
	later := []live.Entry{entry(t, "p4", event{4})}
	for name, c := range map[string]struct {
		replay [][]live.Entry
		want   live.Batch[event] // the first one
	}{
		"at once":      {[][]live.Entry{{entry(t, "p1", event{1}), entry(t, "end", event{2}), entry(t, "p3", event{3})}, later}, live.Batch[event]{Pos: "p3"}},
		"in two parts": {[][]live.Entry{{entry(t, "p1", event{1})}, {entry(t, "end", event{2})}, later}, live.Batch[event]{Pos: "p4"}},
		"to a mark":    {[][]live.Entry{{entry(t, "p1", event{1})}, {{Pos: "end"}}, later}, live.Batch[event]{Pos: "p4"}},
		"with a gap":   {[][]live.Entry{{entry(t, "p1", event{1})}, {{Pos: "p3", Gap: true}}, later}, live.Batch[event]{Pos: "p1", Reset: true}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				plane := &wire{from: "p0", end: "end"}
				hub := newHub(t, &live.Options[event]{Backplane: plane})
				away, fresh := join(t, hub, "p0"), join(t, hub, "")
				got := make(chan live.Batch[event], 1)
				go func() {
					b, err := fresh.Next(t.Context())
					assert.NoError(t, err)
					got <- b
				}()
				for _, entries := range c.replay {
					plane.deliver(entries)
					time.Sleep(time.Second)
				}
				require.Equal(t, []int{1}, numbers(next(t, away).Events)[:1])
				b := <-got
				require.Equal(t, c.want, live.Batch[event]{Pos: b.Pos, Reset: b.Reset, Dropped: b.Dropped})
				require.NotContains(t, numbers(b.Events), 2)
				again := join(t, hub, "") // the replay is over
				quiet(t, again)
			})
		})
	}
}

func TestEntriesDeliveredDuringSubscribeAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plane := &wire{from: "p0", end: "p1", early: []live.Entry{entry(t, "p1", event{1})}, hold: make(chan struct{})}
		hub := newHub(t, &live.Options[event]{Backplane: plane})
		time.AfterFunc(time.Second, func() { close(plane.hold) })
		require.Equal(t, []int{1}, numbers(next(t, join(t, hub, "p0")).Events))
	})
}
