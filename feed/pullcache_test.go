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

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// outboxes are read by a cache. A read takes a while and returns how many reads
// began before it.
type outboxes struct {
	takes   time.Duration
	fail    error
	panic   bool
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
	if o.panic {
		panic("broken")
	}
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

func TestReadersOfAnOutboxShareOneRead(t *testing.T) {
	o := &outboxes{takes: time.Second}
	inBubble(t, 10, o, func(t *testing.T, cache feed.PullCache) {
		var readers sync.WaitGroup
		for i := range 500 {
			readers.Go(func() {
				time.Sleep(time.Duration(i) * 5 * time.Millisecond) // before, while and after it is read
				if _, err := cache.Newest(t.Context(), fmt.Sprint("star-", i%10)); err != nil {
					t.Error(err)
				}
			})
		}
		readers.Wait()
		require.Equal(t, 10, o.reads)
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

func TestAFailedReadIsEverybodysErrorAndForgotten(t *testing.T) {
	broken := errors.New("broken")
	for name, o := range map[string]*outboxes{
		"failed":   {takes: time.Second, fail: broken},
		"panicked": {panic: true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 10, o, func(t *testing.T, cache feed.PullCache) {
				var readers sync.WaitGroup
				for range 10 {
					readers.Go(func() {
						_, err := cache.Newest(t.Context(), "star")
						var panicked *parallel.PanicError
						if !errors.Is(err, broken) && !errors.As(err, &panicked) {
							t.Error(err)
						}
					})
				}
				readers.Wait()
				require.Zero(t, cache.Len())
				reads := o.reads
				o.fail, o.panic = nil, false
				requireNewest(t, cache, "star", ids.ID(reads+1))
			})
		})
	}
}

func TestAReaderWhoGivesUpFailsNobodyElse(t *testing.T) {
	o := &outboxes{takes: time.Second}
	inBubble(t, 10, o, func(t *testing.T, cache feed.PullCache) {
		impatient, stop := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		readers.Go(func() {
			_, err := cache.Newest(impatient, "star")
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait() // the impatient one reads
		readers.Go(func() { requireNewest(t, cache, "star", 1) })
		synctest.Wait()
		stop()
		readers.Wait()
		require.Equal(t, 1, o.reads)
		requireNewest(t, cache, "star", 1)

		// Nobody waits any more: the read ends.
		time.Sleep(5 * time.Second)
		_, err := cache.Newest(impatient, "star")
		require.ErrorIs(t, err, context.Canceled)
		alone, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		_, err = cache.Newest(alone, "star")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		requireNewest(t, cache, "star", 3)
	})
}

func TestAnAbsurdPullCacheIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for size, ok := range map[int]bool{-1: false, 0: true, 100_000: true, 100_001: false} {
		_, err := withOptions(w, feed.Options{PullCache: size})()
		if ok {
			require.NoError(t, err)
			continue
		}
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, "Options.PullCache", invalid.Field)
	}
}
