package feed_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// handClock moves only when a test moves it.
type handClock struct{ nanos atomic.Int64 }

func newHandClock() *handClock {
	c := &handClock{}
	c.nanos.Store(time.Now().UnixNano())
	return c
}

func (c *handClock) now() time.Time       { return time.Unix(0, c.nanos.Load()) }
func (c *handClock) pass(d time.Duration) { c.nanos.Add(int64(d)) }

// starWorld has homes that read outboxes through caches.
type starWorld struct {
	world // reads consistently, without a cache
	clock *handClock

	posted int
	last   ids.ID
}

// newStarWorld has n Pulled sources, "star-0" and so on, and a pushed one,
// "pal". "jack" follows all. Its own lists, with opts, are consistent.
func newStarWorld(t testing.TB, n int, opts feed.Options) *starWorld {
	t.Helper()
	w := &starWorld{world: newWorld(t, nil), clock: newHandClock()}
	opts.Consistent, opts.Now, opts.PullCache = true, w.clock.now, 0
	w.world = w.process(t, &opts)
	for i := range n {
		w.setPulled(t, star(i), true)
	}
	deliverAll(t, w.later(t))
	w.followStars(t, "jack", n)
	w.subscribe(t, "jack", "pal")
	return w
}

func star(i int) string { return fmt.Sprint("star-", i) }

func (w *starWorld) followStars(t testing.TB, reader string, n int) {
	t.Helper()
	for i := range n {
		w.subscribe(t, reader, star(i))
	}
}

// cached is a process that remembers outboxes.
func (w *starWorld) cached(t testing.TB, opts feed.Options, wrap ...func(aws.HTTPClient) aws.HTTPClient) world {
	t.Helper()
	if opts.PullCache == 0 {
		opts.PullCache = 1_000
	}
	opts.Now = w.clock.now
	return w.process(t, &opts, wrap...)
}

// next is an activity whose id is of the clock's time.
func (w *starWorld) next(owner string) feed.Activity {
	w.posted++
	a := kilobyte(w.posted * w.posted % 23) // repeats objects
	a.Actor.ID, a.Owner = owner, owner
	a.ID = max(ids.At(w.clock.now()), w.last+1)
	w.last = a.ID
	return a
}

// post publishes the next activity of owner.
func (w *starWorld) post(t testing.TB, owner string) feed.Activity {
	t.Helper()
	return w.send(t, owner, w.next(owner))
}

// posts stores n activities of each star, and passes the time in which all is
// remembered.
func (w *starWorld) posts(t testing.TB, stars, n int) []feed.Activity {
	t.Helper()
	var as []feed.Activity
	for range n {
		for i := range stars {
			as = append(as, w.next(star(i)))
		}
	}
	w.layEach(t, as)
	w.clock.pass(10 * time.Second)
	return as
}

// outboxReads counts the queries of outboxes.
func outboxReads(t testing.TB, counter *atomic.Int64) func(aws.HTTPClient) aws.HTTPClient {
	in := faults.New(t, 1, faults.Rates{})
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "Query" && has(body, "O#star") {
			counter.Add(1)
		}
		return faults.Fault{}
	})
	return in.Wrap
}

func TestARememberedOutboxIsNotRead(t *testing.T) {
	t.Parallel()
	for _, stars := range faults.Some(1, 4, 10, 100) {
		t.Run(fmt.Sprint(stars), func(t *testing.T) {
			t.Parallel()
			w := newStarWorld(t, stars, feed.Options{})
			w.posts(t, stars, max(2, 30/stars))
			meter := dynamotest.NewMeter()
			page := func(w world) func() {
				return func() {
					page := pageOf(t, w.Home("jack").List, cursor.PageRequest{Limit: 20})
					require.Len(t, page.Items, 20)
				}
			}
			header := float64((stars*120/1024)/4) * 0.5 // beyond the first 4 KB
			plain, bodies := w.cached(t, feed.Options{}, meter.Wrap), w.cached(t, feed.Options{Cache: memoryCache(t, nil)}, meter.Wrap)
			meter.AtMost(t, "cold", dynamotest.Cost{Requests: stars + 2, Read: 11 + header + 5*float64(stars)}, page(plain))
			page(bodies)()
			ids := dynamotest.Cost{Requests: 2, Read: 11 + header}
			t.Log("ids:", meter.AtMost(t, "ids", ids, page(plain)))
			t.Log("bodies:", meter.AtMost(t, "ids and bodies", dynamotest.Cost{Requests: 1, Read: 0.5 + header}, page(bodies)))

			w.clock.pass(5*time.Second - 1)
			meter.AtMost(t, "at the end of the 5 s", ids, page(plain))
		})
	}
}

func TestEditsAndRemovalsShowAtOnceThoughTheIDsAreRemembered(t *testing.T) {
	t.Parallel()
	w := newStarWorld(t, 1, feed.Options{})
	w.posts(t, 1, 5)
	var reads atomic.Int64
	cached := w.cached(t, feed.Options{}, outboxReads(t, &reads))
	list := cached.Home("jack").List
	as, _ := walk(t, list, 10)
	require.Len(t, as, 5)

	w.remove(t, "star-0", as[1].ID)
	as[3].Verb = "edited"
	_, _, err := w.Outbox("star-0").Update(t.Context(), as[3])
	require.NoError(t, err)
	now, _ := walk(t, list, 10)
	require.Equal(t, []feed.Activity{as[0], as[2], as[3], as[4]}, now)
	require.EqualValues(t, 1, reads.Load())

	w.unfollow(t, "jack", "star-0", nil)
	require.Empty(t, all(t, list, 10))
}

func TestAnActivityShowsFiveSecondsLaterAtTheLatest(t *testing.T) {
	t.Parallel()
	w := newStarWorld(t, 2, feed.Options{})
	w.posts(t, 2, 2)
	cached, consistent := w.cached(t, feed.Options{}), w.cached(t, feed.Options{Consistent: true})
	require.Len(t, all(t, cached.Home("jack").List, 10), 4)
	require.Len(t, all(t, consistent.Home("jack").List, 10), 4)
	w.post(t, "star-0")
	pushed := w.post(t, "pal")
	require.Len(t, all(t, consistent.Home("jack").List, 10), 6)
	w.clock.pass(5*time.Second - 1)
	got := all(t, cached.Home("jack").List, 10)
	require.Len(t, got, 5)
	require.Equal(t, pushed.ID, got[0], "only pulled sources are late")
	w.clock.pass(1)
	require.Equal(t, all(t, consistent.Home("jack").List, 10), all(t, cached.Home("jack").List, 10))
}

// Pages joined are those without a cache, also below the rows that it has, while
// activities arrive.
func TestPagesThroughThePullCacheAreExact(t *testing.T) {
	t.Parallel()
	for name, opts := range faults.Sample(3, map[string]feed.Options{
		"plain":   {},
		"reposts": {About: aboutObject, RepostWindow: 10},
		"small":   {PullCache: 1},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStarWorld(t, 3, opts)
			var as []feed.Activity
			for n := range 90 { // of one source more than are remembered
				if n%18 == 0 {
					w.layEach(t, as)
					as = nil
					w.post(t, "pal")
				}
				as = append(as, w.next(star(n%4%3))) // star-0 has twice as many
			}
			w.layEach(t, as)
			w.clock.pass(10 * time.Second)
			cached := w.cached(t, opts).Home("jack").List
			for i, limit := range faults.Some(1, 18, 2, 7, 50) {
				want, end := walk(t, w.Home("jack").List, limit)
				arriving := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[feed.Activity], error) {
					page, err := cached(ctx, req)
					if w.last%8 < 5 {
						w.post(t, star(i%3))
					}
					w.clock.pass(time.Duration(len(page.Items)) * 300 * time.Millisecond)
					return page, err
				}
				w.clock.pass(5 * time.Second)
				got, _ := walk(t, arriving, limit)
				require.Equal(t, owned(want), owned(got), "down by %d", limit)
				w.clock.pass(10 * time.Second)
				require.Equal(t, owned(readUpFrom(t, w.Home("jack").List, end, limit)), owned(readUpFrom(t, cached, end, limit)), "up by %d", limit)
			}
		})
	}
}

// Two processes poll by turns while activities arrive. Nothing is jumped over,
// and nothing shows twice.
func TestPollsUpwardsSkipNothingThatTheCacheLacked(t *testing.T) {
	t.Parallel()
	for name, opts := range faults.Sample(2, map[string]feed.Options{
		"plain":   {},
		"reposts": {About: aboutObject, RepostWindow: 3},
	}) {
		for seed := range uint64(faults.Size(4, 1)) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(seed, 20))
				w := newStarWorld(t, 3, opts)
				w.posts(t, 3, 1)
				processes := []world{w.cached(t, opts), w.cached(t, opts)}
				page, err := processes[0].Home("jack").List(t.Context(), cursor.PageRequest{})
				require.NoError(t, err)
				at := page.Prev
				w.clock.pass(time.Second)

				var want, got []feed.CacheKey
				poll := func() int {
					page, err := processes[random.IntN(2)].Home("jack").List(t.Context(), cursor.PageRequest{Cursor: at, Limit: 1 + random.IntN(8)})
					require.NoError(t, err)
					at = page.Prev
					for _, a := range reverse(page.Items) {
						got = append(got, feed.CacheKey{Owner: a.Owner, ID: a.ID})
					}
					return len(page.Items)
				}
				for range faults.Size(40, 16) {
					owner := []string{star(0), star(1), star(2), "pal", "pal"}[random.IntN(5)]
					a := w.post(t, owner)
					want = append(want, feed.CacheKey{Owner: a.Owner, ID: a.ID})
					w.clock.pass(time.Duration(random.IntN(1_500)) * time.Millisecond)
					if random.IntN(2) == 0 {
						poll()
					}
				}
				w.clock.pass(7 * time.Second)
				for before := at; ; before = at {
					if poll() == 0 && at == before {
						break
					}
				}
				if opts.About != nil {
					all, _ := walk(t, w.Home("jack").List, 100)
					want = owned(reverse(all[:len(all)-len(page.Items)]))
				}
				require.Equal(t, want, got)
			})
		}
	}
}

// A poll that may show nothing yet costs one round, and is at most 6 s late.
func TestAPollWaitsForWhatTheCacheMayLack(t *testing.T) {
	t.Parallel()
	w := newStarWorld(t, 2, feed.Options{})
	w.posts(t, 2, 1)
	meter := dynamotest.NewMeter()
	cached := w.cached(t, feed.Options{}, meter.Wrap).Home("jack")
	page := pageOf(t, cached.List, cursor.PageRequest{})
	first := page
	poll := func() []feed.Activity {
		page = pageOf(t, cached.List, cursor.PageRequest{Cursor: page.Prev})
		return page.Items
	}
	w.clock.pass(time.Second)
	pulled := w.post(t, "star-1")
	w.clock.pass(time.Second)
	pushed := w.post(t, "pal")
	for range 3 {
		before := page.Prev
		meter.AtMost(t, "a poll", dynamotest.Cost{Requests: 2, Read: 1.5}, func() { require.Empty(t, poll()) })
		require.Equal(t, before, page.Prev)
		w.clock.pass(time.Second - 1)
	}
	w.clock.pass(3) // the outboxes are read again
	require.Equal(t, []feed.Activity{pushed, pulled}, poll())

	// What is no longer read to its end need not be waited for.
	for i := range 2 {
		w.setPulled(t, star(i), false)
	}
	deliverAll(t, w.later(t))
	w.clock.pass(10 * time.Second)
	now := w.post(t, "star-0")
	page = first
	require.Equal(t, []feed.Activity{now, pushed, pulled}, poll())
}

// An activity may be published somewhat later than its id was made.
func TestAPollDoesNotPassASlowPublish(t *testing.T) {
	t.Parallel()
	w := newStarWorld(t, 1, feed.Options{})
	w.posts(t, 1, 1)
	list := w.cached(t, feed.Options{}).Home("jack").List
	page := pageOf(t, list, cursor.PageRequest{})
	w.clock.pass(10 * time.Second)
	slow := kilobyte(0)
	slow.ID = ids.At(w.clock.now())
	w.clock.pass(time.Millisecond)
	fast := w.post(t, "pal")
	w.clock.pass(998 * time.Millisecond)
	first := pageOf(t, list, cursor.PageRequest{Cursor: page.Prev})
	slow = w.send(t, "star-0", slow)
	w.clock.pass(5 * time.Second)
	second := pageOf(t, list, cursor.PageRequest{Cursor: first.Prev})
	require.Equal(t, []feed.Activity{fast, slow}, append(second.Items, first.Items...))
}

// Damaged entries, which no page shows, must not lead a poll past what the
// cache lacks.
func TestAPollDoesNotPassWhatTheCacheLackedOverDamagedEntries(t *testing.T) {
	t.Parallel()
	w := newStarWorld(t, 1, feed.Options{})
	w.posts(t, 1, 1)
	list := w.cached(t, feed.Options{OnCorrupt: func(*plaza.CorruptError) {}}).Home("jack").List
	page := pageOf(t, list, cursor.PageRequest{})
	w.clock.pass(time.Second)
	late := w.post(t, "star-0")
	for n := range 40 { // more than a page reads
		sk := keys.Join(ids.At(w.clock.now().Add(time.Duration(n+1)*time.Millisecond)).String(), "pal", ids.ID(1).String())
		require.NoError(t, w.db.Table(w.feedTable).Put(map[string]string{"pk": "H#jack", "sk": sk}).Run(t.Context()))
	}
	w.clock.pass(time.Second)
	page = pageOf(t, list, cursor.PageRequest{Cursor: page.Prev, Limit: 1})
	require.Empty(t, page.Items)
	w.clock.pass(5 * time.Second)
	page = pageOf(t, list, cursor.PageRequest{Cursor: page.Prev, Limit: 1})
	require.Equal(t, []feed.Activity{late}, page.Items)
}

// A walk that is deep in an outbox does not fill the cache at each page.
func TestAPageBelowTheRememberedRowsReadsOnlyTheOutbox(t *testing.T) {
	t.Parallel()
	w := newStarWorld(t, 1, feed.Options{})
	w.posts(t, 1, 60)
	var reads atomic.Int64
	list := w.cached(t, feed.Options{}, outboxReads(t, &reads)).Home("jack").List
	req := cursor.PageRequest{Limit: 40}
	for _, want := range []int64{2, 1, 1} { // the first page fills the cache
		reads.Store(0)
		page := pageOf(t, list, req)
		require.Equal(t, want, reads.Load())
		req = cursor.PageRequest{Limit: 5, Cursor: page.Next}
		w.clock.pass(10 * time.Second)
	}
	want := pageOf(t, w.Home("jack").List, req)
	require.Len(t, want.Items, 5)
	cold, err := w.cached(t, feed.Options{}).Home("jack").List(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, want.Items, cold.Items, "a process that knows nothing yet")
}
