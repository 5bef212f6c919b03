package feed_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
)

// outboxes are read by a cache. A read takes a while and returns how many reads
// began before it.
type outboxes struct {
	takes   time.Duration
	fail    error
	back    time.Duration // by which the clock was turned back
	pause   chan struct{} // closed before the answer of the clock's call number pausing
	pausing atomic.Int32

	mu    sync.Mutex
	reads int
}

func (o *outboxes) read(ctx context.Context, _ string) ([]ids.ID, error) {
	o.mu.Lock()
	o.reads++
	n := o.reads
	o.mu.Unlock()
	select {
	case <-time.After(o.takes):
		return []ids.ID{ids.ID(n)}, o.fail
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (o *outboxes) now() time.Time {
	now := time.Now().Add(-o.back)
	if o.pausing.Add(-1) == 0 {
		<-o.pause
	}
	return now
}

// inBubble runs a test of a cache with a fake clock. It fails if a goroutine
// outlives the test.
func inBubble(t *testing.T, size int, o *outboxes, test func(t *testing.T, cache feed.PullCache)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cache, err := feed.NewPullCache(size, o.now, o.read)
		require.NoError(t, err)
		test(t, cache)
	})
}

func requireNewest(t *testing.T, cache feed.PullCache, owner string, want ids.ID) {
	t.Helper()
	got, err := cache.Newest(t.Context(), owner)
	require.NoError(t, err)
	require.Equal(t, []ids.ID{want}, got)
}

func TestOutboxesAreRememberedForFiveSecondsFromTheStartOfTheirRead(t *testing.T) {
	o := &outboxes{takes: 3 * time.Second}
	inBubble(t, 10, o, func(t *testing.T, cache feed.PullCache) {
		requireNewest(t, cache, "star", 1)
		time.Sleep(2*time.Second - 1)
		requireNewest(t, cache, "star", 1)
		time.Sleep(1 * time.Nanosecond)
		requireNewest(t, cache, "star", 2)

		o.back = time.Hour
		requireNewest(t, cache, "star", 3) // otherwise they would be known for an hour
		requireNewest(t, cache, "star", 3)
	})
}

func TestAPullCacheIsBounded(t *testing.T) {
	o := &outboxes{}
	inBubble(t, 10, o, func(t *testing.T, cache feed.PullCache) {
		for i := range 1_000 {
			requireNewest(t, cache, fmt.Sprint("star-", i), ids.ID(i+1))
			require.LessOrEqual(t, cache.Len(), 10)
		}
		requireNewest(t, cache, "star-990", 991)
		requireNewest(t, cache, "star-989", 1_001)
	})
}

// A reader finds that a read is too old, and another reads again meanwhile.
func TestAReadThatHasJustEndedIsNotRepeated(t *testing.T) {
	o := &outboxes{}
	inBubble(t, 10, o, func(t *testing.T, cache feed.PullCache) {
		requireNewest(t, cache, "star", 1)
		time.Sleep(5 * time.Second)
		o.pause = make(chan struct{})
		o.pausing.Store(2)
		var slow sync.WaitGroup
		slow.Go(func() {
			if got, err := cache.Newest(t.Context(), "star"); err != nil || got[0] != 2 {
				t.Error(got, err)
			}
		})
		synctest.Wait()
		requireNewest(t, cache, "star", 2)
		close(o.pause)
		slow.Wait()
		require.Equal(t, 2, o.reads)
	})
}

// A reader who comes late to a slow read must not get what is older than 5 s.
func TestAReadThatBeganLongAgoIsRepeated(t *testing.T) {
	o := &outboxes{takes: 8 * time.Second}
	inBubble(t, 10, o, func(t *testing.T, cache feed.PullCache) {
		var first sync.WaitGroup
		first.Go(func() { requireNewest(t, cache, "star", 1) })
		first.Go(func() {
			time.Sleep(5*time.Second - 1)
			requireNewest(t, cache, "star", 1)
		})
		time.Sleep(5 * time.Second)
		requireNewest(t, cache, "star", 2)
		first.Wait()
	})
}

// The read has the context of internal/share, which ends once all readers have given up.
func TestAReaderWhoGivesUpFailsNobodyElse(t *testing.T) {
	o := &outboxes{takes: time.Second}
	inBubble(t, 10, o, func(t *testing.T, cache feed.PullCache) {
		impatient, stop := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		readers.Go(func() {
			_, err := cache.Newest(impatient, "star")
			assert.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait() // it reads
		readers.Go(func() { requireNewest(t, cache, "star", 1) })
		synctest.Wait()
		stop()
		readers.Wait()
	})
}

// internal/share tests that readers share a read, its error and its panic.
func TestAFailedReadIsForgotten(t *testing.T) {
	broken := errors.New("broken")
	o := &outboxes{fail: broken}
	inBubble(t, 10, o, func(t *testing.T, cache feed.PullCache) {
		_, err := cache.Newest(t.Context(), "star")
		require.ErrorIs(t, err, broken)
		require.Zero(t, cache.Len())
		o.fail = nil
		requireNewest(t, cache, "star", 2)
	})
}
