package live_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
)

// Many like one comment while the first count is being read. One more read is
// enough for all of them, and the last count published is the right one.
func TestTheLastCountPublishedIsRight(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &table{}
		hub := newHub(t, store, nil)
		for n := range 2 {
			send(t, hub, comment(1, n))
		}
		store.slow = time.Second
		v := join(t, hub, "")
		like := func(ctx context.Context, n int) error {
			_, err := hub.Like(ctx, danmu.Action{Object: room, ID: id(1, n), User: "ann"})
			return err
		}
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, like(t.Context(), 0)) })
		synctest.Wait()
		gone, leave := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer leave()
		impatient, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		wg.Go(func() { assert.ErrorIs(t, like(gone, 0), context.DeadlineExceeded) })
		synctest.Wait()
		wg.Go(func() { assert.ErrorIs(t, like(impatient, 0), context.DeadlineExceeded) })
		for range 10 {
			wg.Go(func() { assert.NoError(t, like(t.Context(), 0)) })
		}
		wg.Go(func() { assert.NoError(t, like(t.Context(), 1)) }) // does not wait for others
		wg.Wait()
		require.LessOrEqual(t, len(store.asked()), 4)

		var last int64
		published := map[danmu.ID]int64{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for {
			b, err := v.Next(ctx)
			if err != nil {
				break
			}
			for _, e := range b.Events {
				require.Equal(t, live.Liked, e.Kind)
				published[e.ID] = e.Likes
				if e.ID == id(1, 0) {
					require.Greater(t, e.Likes, last)
					last = e.Likes
				}
			}
		}
		require.Equal(t, map[danmu.ID]int64{id(1, 0): 13, id(1, 1): 1}, published)
	})
}
