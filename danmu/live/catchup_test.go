package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	rooms "github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// repository is a real one, over a fresh table.
func repository(t testing.TB) *danmu.Repository {
	t.Helper()
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	repo, err := danmu.New(dynamotest.DB(t), dynamotest.Table(t, danmu.Table), gen, &danmu.Options{Limiter: ratelimit.Unlimited{}})
	require.NoError(t, err)
	return repo
}

// Viewers join two processes at any time of a burst. Each sees all comments once,
// in its window or in its batches.
func TestAViewerWhoJoinsInABurstSeesEachCommentOnce(t *testing.T) {
	const senders, viewers = 8, 24
	each := faults.Size(300, 30)
	repo := repository(t)
	shared, err := rooms.NewMemory(nil)
	require.NoError(t, err)
	hubs := [2]*live.Hub{}
	for i := range hubs {
		hubs[i] = newHub(t, repo, &live.Options{Backplane: shared, Every: 10 * time.Millisecond, Batches: 1 << 20})
	}
	_, err = repo.Configure(t.Context(), room, danmu.Settings{Owner: "up", Shards: 2})
	require.NoError(t, err)

	var sending sync.WaitGroup
	var sent sync.Map
	progress := make(chan struct{}, senders*each)
	for who := range senders {
		sending.Go(func() {
			for n := range each {
				c := danmu.Comment{
					Object: room, User: fmt.Sprint(who), Text: "haha", Progress: time.Duration(rand.IntN(60_000)) * time.Millisecond,
				}
				answer, _, err := hubs[n%2].Send(t.Context(), c)
				if !assert.NoError(t, err) {
					return
				}
				sent.Store(answer.ID, true)
				if n%10 == 0 { // a repeat, as after a lost answer
					_, _, err := hubs[who%2].Send(t.Context(), danmu.Comment{
						Object: room, ID: answer.ID, User: c.User, Text: c.Text, Progress: c.Progress,
					})
					assert.NoError(t, err)
				}
				progress <- struct{}{}
			}
		})
	}

	done := make(chan struct{}) // closed once all is sent
	var watching sync.WaitGroup
	seen := make([]map[danmu.ID]int, viewers)
	windows := make([]int, viewers)
	for i := range viewers {
		for range senders * each / (viewers + 1) {
			<-progress
		}
		seen[i] = map[danmu.ID]int{}
		watching.Go(func() {
			v, err := hubs[i%2].Join(t.Context(), room, "")
			if !assert.NoError(t, err) {
				return
			}
			defer v.Close()
			w, err := v.CatchUp(t.Context(), 0, time.Minute, nil)
			if !assert.NoError(t, err) {
				return
			}
			for _, c := range w.Comments {
				seen[i][c.ID]++
			}
			windows[i] = len(w.Comments)
			<-done
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for len(seen[i]) < senders*each {
				b, err := v.Next(ctx)
				if !assert.NoError(t, err, "%d of %d", len(seen[i]), senders*each) {
					return
				}
				assert.Zero(t, b.Dropped)
				assert.False(t, b.Reset)
				for _, e := range b.Events {
					seen[i][e.ID]++
				}
			}
		})
	}
	sending.Wait()
	close(done)
	watching.Wait()
	for i := range viewers {
		require.Equal(t, senders*each, len(seen[i])) // Len would print them all
		for id, times := range seen[i] {
			_, ok := sent.Load(id)
			require.True(t, ok)
			require.Equal(t, 1, times, "viewer %d", i)
		}
	}
	require.Positive(t, windows[0])
	require.Less(t, windows[0], senders*each)
}

func TestNextLeavesOutCommentsThatCatchUpRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &table{}
		hub := newHub(t, store, nil)
		ctx := t.Context()
		v, plain := join(t, hub, ""), join(t, hub, "")
		early, outside := send(t, hub, comment(1, 1)), send(t, hub, comment(90, 2))
		w, err := v.CatchUp(ctx, 0, time.Minute, &danmu.WindowOptions{Cap: 3})
		require.NoError(t, err)
		require.Equal(t, []danmu.Comment{early}, w.Comments)
		require.Equal(t, []danmu.WindowOptions{{Cap: 3, Consistent: true}}, store.asked())
		late := send(t, hub, comment(1, 3))

		var got []string
		for len(got) < 2 {
			b := next(t, v)
			var shown []live.Event
			require.NoError(t, json.Unmarshal(b.Encoded, &shown))
			require.Equal(t, texts(b.Events), texts(shown), "JSON by default")
			got = append(got, texts(shown)...)
		}
		require.Equal(t, []string{outside.Text, late.Text}, got)
		quiet(t, v)
		got = nil
		for len(got) < 3 {
			got = append(got, texts(next(t, plain).Events)...)
		}
		require.Equal(t, []string{"1", "2", "3"}, got, "others get all")

		// The recall of a comment that was read is shown.
		_, err = hub.Recall(ctx, danmu.Action{Object: room, ID: early.ID, User: "ann"})
		require.NoError(t, err)
		require.Equal(t, []string{"recalled"}, texts(next(t, v).Events))
	})
}

// A Send whose answer was lost is repeated much later, when the room no longer
// recognizes repeats. The viewer leaves it out without remembering each id.
func TestALateRepeatOfAReadCommentIsLeftOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &table{}
		hub := newHub(t, store, nil)
		ctx := t.Context()
		for n := range 2 {
			send(t, store, comment(50*n, n+1)) // stored, not published
		}
		time.Sleep(time.Hour)
		v := join(t, hub, "")
		_, err := v.CatchUp(ctx, 0, 50*time.Second, nil)
		require.NoError(t, err)
		for n := range 2 {
			_, created, err := hub.Send(ctx, comment(50*n, n+1))
			require.NoError(t, err)
			require.False(t, created)
		}
		require.Equal(t, []string{"2"}, texts(next(t, v).Events), "the other was not read")
		quiet(t, v)
	})
}

func TestAViewerRemembersItsLatestReadings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &table{}
		for n := range 17 {
			send(t, store, comment(n, n+1)) // stored, not published
		}
		for _, c := range []struct {
			readings, seconds int
			want              []string
		}{
			{32, 16, nil}, // twice, which replaces the first readings
			{17, 17, []string{"1"}},
		} {
			hub := newHub(t, store, nil)
			v := join(t, hub, "")
			for n := range c.readings {
				at := time.Duration(n%c.seconds) * time.Second
				_, err := v.CatchUp(t.Context(), at, at+time.Second, nil)
				require.NoError(t, err)
			}
			for n := range c.seconds {
				publish(t, hub, sentEvent(store.comments[n]))
			}
			require.Equal(t, c.want, texts(next(t, v).Events))
			quiet(t, v)
		}
	})
}

func TestEqualCatchUpsShareOneRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &table{slow: time.Second}
		hub := newHub(t, store, nil)
		send(t, hub, comment(1, 1))
		var wg sync.WaitGroup
		catchUp := func(v *live.Viewer, to time.Duration, want int) {
			wg.Go(func() {
				w, err := v.CatchUp(t.Context(), 0, to, nil)
				assert.NoError(t, err)
				assert.Len(t, w.Comments, want)
			})
		}
		early := join(t, hub, "")
		for range 100 {
			catchUp(join(t, hub, ""), time.Minute, 1)
		}
		catchUp(join(t, hub, ""), time.Hour, 1) // another question
		time.Sleep(500 * time.Millisecond)
		require.Len(t, store.asked(), 2)

		send(t, hub, comment(1, 2))
		for range 100 { // they joined after the second comment, so they need a new read
			catchUp(join(t, hub, ""), time.Minute, 2)
		}
		catchUp(early, time.Minute, 1) // this one gets it from its batches
		wg.Wait()
		require.Len(t, store.asked(), 3)
		require.Equal(t, []string{"2"}, texts(next(t, early).Events))
	})
}

func TestCatchUpAfterAResetReadsAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store, plane := &table{slow: time.Second}, &wire{from: "0"}
		hub := newHub(t, store, &live.Options{Backplane: plane})
		reset, before := join(t, hub, ""), join(t, hub, "")
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := before.CatchUp(t.Context(), 0, time.Minute, nil)
			assert.NoError(t, err)
		})
		time.Sleep(500 * time.Millisecond)
		send(t, store, comment(1, 1)) // stored, not published
		plane.deliver([]rooms.Entry{{Pos: "1", Gap: true}})
		require.True(t, next(t, reset).Reset)
		w := catchUp(t, reset)
		require.Len(t, w.Comments, 1)
		wg.Wait()
	})
}

func TestASharedReadOutlivesItsFirstViewer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &table{slow: time.Second}
		hub := newHub(t, store, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		first, second := join(t, hub, ""), join(t, hub, "")
		wg.Go(func() {
			_, err := first.CatchUp(ctx, 0, time.Minute, nil)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		})
		time.Sleep(time.Millisecond)
		catchUp(t, second)
		require.Len(t, store.asked(), 1)
		wg.Wait()

		wg.Go(func() {
			_, err := first.CatchUp(t.Context(), 0, time.Minute, nil)
			assert.NoError(t, err)
		})
		time.Sleep(time.Millisecond)
		ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := second.CatchUp(ctx, 0, time.Minute, nil) // the others may leave too
		require.ErrorIs(t, err, context.DeadlineExceeded)
		wg.Wait()
	})
}

// A batch with nothing left in it still has a position.
func TestAReturningViewerSeesNothingTwice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, &table{}, nil)
		join(t, hub, "") // the room stays
		v := join(t, hub, "")
		send(t, hub, comment(1, 1))
		w := catchUp(t, v)
		require.Len(t, w.Comments, 1)
		b := next(t, v)
		require.Empty(t, b.Events)
		require.Nil(t, b.Encoded)
		quiet(t, v)
		v.Close()
		quiet(t, join(t, hub, b.Pos))
	})
}

func TestViewersOfOneReadingShareTheRestOfABatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		encoded := 0
		store, plane := &table{slow: time.Second}, &wire{from: "0"}
		hub := newHub(t, store, &live.Options{Backplane: plane, Encode: func(_ string, events []live.Event) []byte {
			encoded++
			return []byte(strconv.Itoa(len(events)))
		}})
		sent := send(t, store, comment(1, 1))
		var viewers []*live.Viewer
		var wg sync.WaitGroup
		for range 10 {
			v := join(t, hub, "")
			viewers = append(viewers, v)
			wg.Go(func() {
				_, err := v.CatchUp(t.Context(), 0, time.Minute, nil)
				assert.NoError(t, err)
			})
		}
		wg.Wait()
		require.Len(t, store.asked(), 1)
		for n := range 2 {
			plane.deliver([]rooms.Entry{entry(t, "1", live.Event{Kind: live.Sent, ID: sent.ID, Comment: &sent}), entry(t, "2", like(n))})
			sent = comment(1, 2)
			sent.ID = id(1, 2)
			sent.Sent = time.Now().Add(-time.Hour) // read too
			time.Sleep(time.Second)
			for _, v := range viewers {
				b := next(t, v)
				require.Equal(t, []int{n}, likes(b.Events))
				require.Equal(t, "1", string(b.Encoded))
			}
			require.Equal(t, 2*(n+1), encoded, "whole, and without what was read")
		}
	})
}
