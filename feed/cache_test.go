package feed_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
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
		page := pageOf(t, w.Home("jack").List, cursor.PageRequest{Limit: 20})
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
		w.send(t, "chris", kilobyte(30+n))
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

	consistent.remove(t, "chris", done[0].ID)
	require.Equal(t, want, all(t, w.Home("jack").List, 10), "still cached")
	require.Equal(t, want[:2], all(t, consistent.Home("jack").List, 10), "without a cache")
	now = now.Add(time.Minute)
	require.Equal(t, want[:2], all(t, w.Home("jack").List, 10))

	consistent.remove(t, "chris", done[1].ID)
	require.Equal(t, want[:2], all(t, w.Home("jack").List, 10), "still cached")
	now = now.Add(-time.Hour)
	require.Equal(t, want[:1], all(t, w.Home("jack").List, 10), "the clock was turned back")

	w.publish(t, "chris", 2)
	require.Len(t, all(t, w.Home("jack").List, 10), 3)
	first := pageOf(t, w.Home("jack").List, cursor.PageRequest{Limit: 1})
	w.unfollow(t, "jack", "chris", nil)
	require.Empty(t, pageOf(t, w.Home("jack").List, cursor.PageRequest{Cursor: first.Next}).Items, "headers are never cached")
}

func TestWritesUpdateTheCacheButWhatIsMissingIsNotCached(t *testing.T) {
	t.Parallel()
	cache := memoryCache(t, nil)
	w := newWorld(t, &feed.Options{Cache: cache})
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 2)
	require.Len(t, all(t, w.Home("jack").List, 10), 2)
	done = append(done, w.publish(t, "chris", 1)...)
	edit := done[1]
	edit.Data = []byte(`{"message":"better"}`)
	_, _, err := w.Outbox("chris").Update(t.Context(), edit)
	require.NoError(t, err)
	w.remove(t, "chris", done[0].ID)
	w.expire(t, "O#chris", done[2].ID.String())
	require.Equal(t, []feed.Activity{edit}, pageOf(t, w.Home("jack").List, cursor.PageRequest{}).Items)
	gone, known, absent := feed.CacheKey{Owner: "chris", ID: done[0].ID}, feed.CacheKey{Owner: "chris", ID: edit.ID}, feed.CacheKey{Owner: "chris", ID: done[2].ID}
	require.Equal(t, map[feed.CacheKey]feed.Cached{gone: {Gone: true}, known: {Activity: edit}}, cache.Get(t.Context(), []feed.CacheKey{gone, known, absent}))
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
		done = append(done, w.send(t, "star", kilobyte(n)))
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
			first := pageOf(t, plain.Home(reader(1)).List, cursor.PageRequest{Limit: 1})

			var armed, held atomic.Bool
			reading, release, joined := make(chan struct{}), make(chan struct{}), make(chan struct{})
			var once sync.Once
			w := plain.process(t, &feed.Options{Cache: panicking{memoryCache(t, nil), &armed}}, func(next aws.HTTPClient) aws.HTTPClient {
				return doer(func(r *http.Request) (*http.Response, error) {
					req, err := wire.Read(r)
					if err != nil {
						return nil, err
					}
					if has(req.Body, "O#star") && held.CompareAndSwap(false, true) {
						close(reading)
						<-release
					}
					// From a cursor, the second requests its header after it has
					// looked for reads in progress.
					if req.Op == "BatchGetItem" && has(req.Body, "H#"+reader(1)) {
						once.Do(func() { close(joined) })
					}
					return next.Do(req.Again())
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
