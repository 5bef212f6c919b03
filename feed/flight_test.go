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

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
)

// panicking is a cache that fails whoever fills it first.
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

// Two readers miss the same activities. The first one's read fails, and the
// second, which waits for it, loses nothing.
func TestWhoSharesAFailedReadLosesNothing(t *testing.T) {
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
					// The second asks for its header once it has looked for flights.
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
				page, err := w.Home(reader(1)).List(t.Context(), cursor.PageRequest{})
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
			require.Equal(t, want, newestFirst(reverse(page.Items)))
		})
	}
}
