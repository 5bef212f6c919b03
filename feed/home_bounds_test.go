package feed_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Whatever a home contains, a page takes at most six queries, paging ends, and
// the pages show exactly what they should.
func TestAPageMakesABoundedNumberOfRequests(t *testing.T) {
	t.Parallel()
	type edge struct {
		source string
		id     ids.ID
	}
	n := ids.ID(faults.Size(300, 30))
	edges := func(first, step ids.ID) (of []edge) { // of chris
		for i := range n {
			of = append(of, edge{"chris", first + i*step})
		}
		return of
	}
	var topics []edge
	for i := range 63 {
		topics = append(topics, edge{fmt.Sprint("topic-", i%21), ids.ID(i + 1)})
	}
	for name, tc := range faults.Sample(2, map[string]struct {
		edges []edge // bring all activities
		hides ids.ID // those up to this one
		nth   int    // every nth activity shows,
		birds ids.ID // and comes by this edge of birds too
	}{
		"one source, followed many times and still followed":       {edges(1, 1), n - 1, 1, 0},
		"only the first follow stands":                             {edges(2, 1), n + 1, 1, 1},
		"every other activity also from a source that is followed": {edges(1, 2), 2 * n, 2, n},
		"everything unfollowed":                                    {edges(1, 1), n, 0, 0},
		"21 sources, each followed three times":                    {topics, 42, 1, 0},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			var entries []entry
			var show []feed.Activity
			sources := map[string]bool{}
			for i, a := range w.lay(t, "chris", activities("chris", 3)) {
				for _, e := range tc.edges {
					entries = append(entries, entryOf(a, e.source, e.id))
					sources[e.source] = true
				}
				if tc.nth == 0 || i%tc.nth != 0 {
					continue
				}
				if show = append(show, a); tc.birds != 0 {
					entries = append(entries, entryOf(a, "birds", tc.birds))
				}
			}
			w.putEntries(t, entries)
			for source := range sources {
				w.hideEdges(t, source, tc.hides)
			}
			for window, opts := range faults.Sample(2, map[string]feed.Options{
				"no window": {}, "window of 3": {About: aboutObject, RepostWindow: 3}, "window of 100": {About: aboutObject, RepostWindow: 100},
			}) {
				t.Run(window, func(t *testing.T) {
					list := counted(t, w, opts)
					for _, limit := range faults.Some(1, 3, 1, 8) {
						requireWalk(t, list, limit, inHome(show))
					}
				})
			}
		})
	}
}

// entry is an item of a home, as deliveries write it.
type entry struct {
	PK     string `dynamo:"pk"`
	SK     string `dynamo:"sk"`
	Source string `dynamo:"source,omitempty"`
	About  string `dynamo:"about,omitempty"`
	TTL    int64  `dynamo:"ttl"`
}

// ending hides the entries of a source's edges up to Edge.
type ending struct {
	Edge     ids.ID `dynamo:"edge"`
	Unfollow ids.ID `dynamo:"unfollow"`
}

// entryOf is the entry of a in jack's home that source's edge brought.
func entryOf(a feed.Activity, source string, edge ids.ID) entry {
	e := entry{PK: "H#jack", SK: keys.Join(a.ID.String(), a.Owner, edge.String()), About: a.Object.String(), TTL: math.MaxInt32}
	if source != a.Owner {
		e.Source = source
	}
	return e
}

func (w world) putEntries(t testing.TB, entries []entry) {
	t.Helper()
	items := make([]any, len(entries))
	for i := range entries {
		items[i] = entries[i]
	}
	w.putItems(t, items)
}

// hideEdges hides the entries of source's edges up to this one in jack's home.
func (w world) hideEdges(t testing.TB, source string, edge ids.ID) {
	t.Helper()
	unfollow := w.mint(t)
	err := dynamotest.DB(t).Table(w.feedTable).Update("pk", "H#jack").Range("sk", "~").
		SetExpr("$ = ?", keys.Join("end", source), ending{edge, unfollow}).Run(t.Context())
	require.NoError(t, err)
}

// counted is a lister that fails if a page takes more than 6 queries or 6 reads
// of activities.
func counted(t testing.TB, w world, opts feed.Options) lister {
	t.Helper()
	var queries, others atomic.Int64
	injector := faults.New(t, 1, faults.Rates{})
	injector.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "Query" {
			queries.Add(1)
		} else {
			others.Add(1)
		}
		return faults.Fault{}
	})
	opts.Consistent = true
	most := costs(t).Of("Home.List", "the queries past hidden entries")
	list := w.process(t, &opts, injector.Wrap).Home("jack").List
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[feed.Activity], error) {
		queries.Store(0)
		others.Store(0)
		page, err := list(ctx, req)
		require.LessOrEqual(t, int(queries.Load()), most.Requests, "queries of a page")
		require.LessOrEqual(t, others.Load(), int64(6), "reads of activities of a page of %d", req.Limit)
		return page, err
	}
}

// requireWalk reads a home to its end by pages of limit, and back from the end
// and from the middle.
func requireWalk(t testing.TB, list lister, limit int, want []feed.CacheKey) {
	t.Helper()
	want, got := append([]feed.CacheKey{}, want...), []feed.CacheKey{}
	var above []int // how many items are above each page
	var prevs []cursor.Cursor
	req := cursor.PageRequest{Limit: limit}
	for {
		page := pageOf(t, list, req)
		if page.Prev != "" {
			above, prevs = append(above, len(got)), append(prevs, page.Prev)
		}
		got = append(got, owned(page.Items)...)
		if page.Next == "" {
			break
		}
		require.NotEqual(t, req.Cursor, page.Next, "a page that leads nowhere")
		req.Cursor = page.Next
	}
	require.Equal(t, want, got, "by %d", limit)
	for _, i := range []int{len(prevs) / 2, len(prevs) - 1} {
		if i >= 0 && i < len(prevs) {
			require.Equal(t, want[:above[i]], owned(readUpFrom(t, list, prevs[i], limit)), "up by %d", limit)
		}
	}
}

// entriesBelow are up to window entries directly below those of a.
func entriesBelow(entries []entry, a feed.Activity, window int) []entry {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b entry) int {
		if a.SK > b.SK {
			return -1
		}
		return 1
	})
	at := slices.IndexFunc(sorted, func(e entry) bool { return e.SK < a.ID.String() })
	if at < 0 {
		return nil
	}
	return sorted[at:min(at+window, len(sorted))]
}

func TestTombstonesAndFiltersKeepPagesCheap(t *testing.T) {
	t.Parallel()
	const many = 261
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1})
	hides := hideVerb("like", new(int))
	var entries []entry
	var stored, show []feed.Activity
	var tombstones []any
	for i, a := range activities("chris", many) {
		a.ID, a.Owner = w.mint(t), "chris"
		entries = append(entries, entryOf(a, "chris", 1))
		switch {
		case i == 0 || i == many-1:
			stored, show = append(stored, a), append(show, a)
		case i%3 == 0:
			tombstones = append(tombstones, w.tombstone(a))
		case i%3 == 1: // the others have gone
			a.Verb = "like"
			stored = append(stored, a)
		}
	}
	w.lay(t, "chris", stored)
	w.putEntries(t, entries)
	w.putItems(t, tombstones)
	for _, opts := range faults.Some(1, feed.Options{Filter: hides, About: aboutObject}, feed.Options{Filter: hides}) {
		list := counted(t, w, opts)
		got, last := walk(t, list, 2)
		require.Equal(t, inHome(show), owned(got))
		require.Equal(t, inHome(show)[:1], owned(readUpFrom(t, list, last, 2)))
	}
	meter := dynamotest.NewMeter()
	outbox, most := w.process(t, nil, meter.Wrap).Outbox("chris"), costs(t).Of("Outbox.List", "the queries past removed activities")
	for req := (cursor.PageRequest{Limit: 1}); ; {
		meter.Take()
		page := pageOf(t, outbox.List, req)
		require.LessOrEqual(t, meter.Take().Requests, most.Requests)
		if req.Cursor = page.Next; page.Next == "" {
			break
		}
	}
}

func TestDamagedKeysDoNotStopPaging(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	as := w.publish(t, "chris", 4)
	var entries []entry
	for i, a := range as {
		entries = append(entries, entryOf(a, "chris", 1))
		for n := range 150 {
			if i == 1 || i == 2 {
				entries = append(entries, entry{PK: "H#jack", SK: fmt.Sprintf("%v#%d", a.ID+1, n), TTL: math.MaxInt32})
			}
		}
	}
	w.putEntries(t, entries)
	for _, opts := range faults.Some(1, feed.Options{About: aboutObject}, feed.Options{}) {
		for _, limit := range faults.Some(1, 2, 1, 8) {
			requireWalk(t, counted(t, w, opts), limit, inHome(as))
		}
	}
}

func TestExpiredEntriesAreNotReadToTheEnd(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil)
	publish := func(n int) []feed.Activity {
		as := make([]feed.Activity, n)
		for i := range as {
			as[i] = activity("chris", i+1)
		}
		return w.lay(t, "chris", as)
	}
	publish(350)
	then := time.Now()
	for id := ids.ID(0); !id.Time().After(then); { // until ids are later than then
		id = w.mint(t)
	}
	fresh := publish(50)
	aged := w.process(t, &feed.Options{Consistent: true, Now: func() time.Time { return then.Add(90 * 24 * time.Hour) }}, meter.Wrap)
	meter.AtMost(t, "copy 50 young ones of 400", dynamotest.Cost{Requests: 5, Write: 60, Read: 27}, func() { aged.subscribe(t, "jack", "chris") })
	require.Equal(t, newestFirst(fresh), all(t, w.Home("jack").List, 100))
}
