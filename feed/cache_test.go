package feed_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func memoryCache(t testing.TB, opts *feed.MemoryCacheOptions) *feed.MemoryCache {
	t.Helper()
	cache, err := feed.NewMemoryCache(opts)
	require.NoError(t, err)
	return cache
}

func TestACacheSavesReads(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &feed.Options{Cache: memoryCache(t, nil)}, meter.Wrap)
	w.subscribe(t, "jack", "chris")
	as := make([]feed.Activity, 30)
	for n := range as {
		as[n] = kilobyte(n)
	}
	w.layHome(t, "chris", as)
	page := func() []feed.Activity {
		page, err := w.Home("jack").List(t.Context(), cursor.PageRequest{Limit: 20})
		require.NoError(t, err)
		require.Len(t, page.Items, 20)
		return page.Items
	}
	var cold, warm []feed.Activity
	meter.AtMost(t, "cold", costs(t).Of("Home.List"), func() { cold = page() })
	meter.AtMost(t, "all known", dynamotest.Cost{Requests: 2, Read: 1.5}, func() { warm = page() })
	require.Equal(t, cold, warm)
	warm[0].Data[0] = 'x'
	require.Equal(t, cold, page(), "a reader may change a page")

	for n := range 2 { // 19 of 21 are cached
		_, _, err := w.Outbox("chris").Publish(t.Context(), kilobyte(30+n))
		require.NoError(t, err)
	}
	meter.AtMost(t, "90 % known", costs(t).Of("Home.List", "90 % of it in the cache"), func() { page() })
}

func TestCachedActivitiesExpire(t *testing.T) {
	t.Parallel()
	now := time.Now()
	w := newWorld(t, &feed.Options{Cache: memoryCache(t, &feed.MemoryCacheOptions{TTL: time.Minute, Now: func() time.Time { return now }})})
	consistent := w.process(t, &feed.Options{Consistent: true, Cache: memoryCache(t, nil)})
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 3)
	want := newestFirst(done)
	require.Equal(t, want, all(t, w.Home("jack").List, 10))
	require.Equal(t, want, all(t, consistent.Home("jack").List, 10))

	_, err := consistent.Outbox("chris").Remove(t.Context(), done[0].ID)
	require.NoError(t, err)
	require.Equal(t, want, all(t, w.Home("jack").List, 10), "still cached")
	require.Equal(t, want[:2], all(t, consistent.Home("jack").List, 10), "without a cache")
	now = now.Add(time.Minute)
	require.Equal(t, want[:2], all(t, w.Home("jack").List, 10))

	_, err = consistent.Outbox("chris").Remove(t.Context(), done[1].ID)
	require.NoError(t, err)
	require.Equal(t, want[:2], all(t, w.Home("jack").List, 10), "still cached")
	now = now.Add(-time.Hour)
	require.Equal(t, want[:1], all(t, w.Home("jack").List, 10), "the clock was turned back")

	_, err = w.Home("jack").Unfollow(t.Context(), "chris", nil)
	require.NoError(t, err)
	require.Empty(t, all(t, w.Home("jack").List, 10), "headers are never cached")
}

func TestWritesUpdateTheCache(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Cache: memoryCache(t, nil)})
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 2)
	require.Len(t, all(t, w.Home("jack").List, 10), 2)
	edit := done[1]
	edit.Data = []byte(`{"message":"better"}`)
	_, _, err := w.Outbox("chris").Update(t.Context(), edit)
	require.NoError(t, err)
	_, err = w.Outbox("chris").Remove(t.Context(), done[0].ID)
	require.NoError(t, err)
	page, err := w.Home("jack").List(t.Context(), cursor.PageRequest{})
	require.NoError(t, err)
	require.Equal(t, []feed.Activity{edit}, page.Items)
}

func TestTombstonesAreCachedButMissingActivitiesAreNot(t *testing.T) {
	t.Parallel()
	cache := memoryCache(t, nil)
	w := newWorld(t, &feed.Options{Cache: cache})
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 2)
	_, err := w.Outbox("chris").Remove(t.Context(), done[0].ID)
	require.NoError(t, err)
	w.expire(t, "O#chris", done[1].ID.String())
	require.Empty(t, all(t, w.Home("jack").List, 10))
	gone := feed.CacheKey{Owner: "chris", ID: done[0].ID}
	absent := feed.CacheKey{Owner: "chris", ID: done[1].ID}
	require.Equal(t, map[feed.CacheKey]feed.Cached{gone: {Gone: true}}, cache.Get(t.Context(), []feed.CacheKey{gone, absent}))
}

func TestConcurrentMissesShareOneRead(t *testing.T) {
	t.Parallel()
	readers, n := faults.Size(20, 8), faults.Size(20, 8)
	meter := dynamotest.NewMeter()
	injector := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, &feed.Options{Cache: memoryCache(t, nil)}, meter.Wrap, injector.Wrap)
	w.followedBy(t, "star", readers)
	var done []feed.Activity
	for n := range n {
		a := kilobyte(n)
		a, _, err := w.Outbox("star").Publish(t.Context(), a)
		require.NoError(t, err)
		done = append(done, a)
	}
	meter.Price().Take()
	var group sync.WaitGroup
	for i := range readers {
		group.Go(func() {
			page, err := w.Home(reader(i)).List(t.Context(), cursor.PageRequest{Limit: 20})
			if err != nil || len(page.Items) != len(done) {
				t.Errorf("%d items, %v", len(page.Items), err)
			}
		})
	}
	group.Wait()
	// Each reader reads its own entries and header. The activities are read
	// once, or twice if a reader asked the cache just before they were stored.
	require.Less(t, meter.Take().Read, float64(readers)*1.5+float64(n))
}

func TestAnInvalidCacheSizeIsRefused(t *testing.T) {
	t.Parallel()
	for field, opts := range map[string]feed.MemoryCacheOptions{"Size": {Size: -1}, "TTL": {TTL: -1}} {
		_, err := feed.NewMemoryCache(&opts)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, field, invalid.Field)
	}
}

// Two readers miss the same activities, and the second waits for the first. The
// first one's read fails; the second reads them itself.
func TestAFailedSharedReadIsReadAgain(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(stop func(), armed *atomic.Bool){
		"stopped":  func(stop func(), _ *atomic.Bool) { stop() },
		"panicked": func(_ func(), armed *atomic.Bool) { armed.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain := newWorld(t, nil)
			plain.followedBy(t, "star", 2)
			want := newestFirst(plain.publish(t, "star", 5))
			first, err := plain.Home(reader(1)).List(t.Context(), cursor.PageRequest{Limit: 1})
			require.NoError(t, err)

			var armed, held atomic.Bool
			reading, release, joined := make(chan struct{}), make(chan struct{}), make(chan struct{})
			var once sync.Once
			w := plain.process(t, &feed.Options{Cache: panicking{memoryCache(t, nil), &armed}}, func(next aws.HTTPClient) aws.HTTPClient {
				return doer(func(r *http.Request) (*http.Response, error) {
					body, err := io.ReadAll(r.Body)
					if err != nil {
						return nil, err
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
					if bytes.Contains(body, []byte("O#star")) && held.CompareAndSwap(false, true) {
						close(reading)
						<-release
					}
					// From a cursor, the second requests its header after it has
					// looked for reads in progress.
					if bytes.Contains(body, []byte("H#"+reader(1))) && strings.HasSuffix(r.Header.Get("X-Amz-Target"), "BatchGetItem") {
						once.Do(func() { close(joined) })
					}
					return next.Do(r)
				})
			})
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var failing sync.WaitGroup
			failing.Go(func() {
				defer func() { _ = recover() }()
				if _, err := w.Home(reader(0)).List(ctx, cursor.PageRequest{}); err == nil {
					t.Error("the first reader did not fail")
				}
			})
			<-reading
			waiting := make(chan cursor.Page[feed.Activity], 1)
			failing.Go(func() {
				page, err := w.Home(reader(1)).List(t.Context(), cursor.PageRequest{Cursor: first.Next})
				if err != nil {
					t.Error(err)
				}
				waiting <- page
			})
			<-joined
			fail(stop, &armed)
			close(release)
			failing.Wait()
			page := <-waiting
			require.Equal(t, want[1:], newestFirst(reverse(page.Items)))
		})
	}
}

// panicking is a cache whose first Put panics.
type panicking struct {
	feed.Cache
	armed *atomic.Bool
}

func (c panicking) Put(ctx context.Context, found map[feed.CacheKey]feed.Cached) {
	if len(found) > 0 && c.armed.CompareAndSwap(true, false) {
		panic("boom")
	}
	c.Cache.Put(ctx, found)
}

// All activities of the page are in the cache, so that only the header is read.
func TestAPageFromTheCacheHidesWhatAnUnfollowDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Cache: memoryCache(t, nil)})
	w.subscribe(t, "jack", "chris")
	w.publish(t, "chris", 5)
	home := w.Home("jack")
	require.Len(t, all(t, home.List, 2), 5)
	first, err := home.List(t.Context(), cursor.PageRequest{Limit: 2})
	require.NoError(t, err)
	_, err = w.Home("jack").Unfollow(t.Context(), "chris", nil)
	require.NoError(t, err)
	rest, err := home.List(t.Context(), cursor.PageRequest{Cursor: first.Next})
	require.NoError(t, err)
	require.Empty(t, rest.Items)
}
