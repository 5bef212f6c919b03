package feed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// reads makes a home read outboxes, each by an edge of its own.
func (w world) reads(t testing.TB, reader string, sources ...string) {
	t.Helper()
	for _, source := range sources {
		w.readsRange(t, reader, source, 0, 0)
	}
}

// readsRange makes a home read a part of an outbox.
func (w world) readsRange(t testing.TB, reader, source string, since, until ids.ID) {
	t.Helper()
	edge := w.mint(t)
	err := dynamotest.DB(t).Table(w.feedTable).Update("pk", keys.Join("H", reader)).Range("sk", "~").
		SetExpr("$ = ?", keys.Join("pull", edge.String(), source), pull{Since: since, Until: until, At: edge}).Run(t.Context())
	require.NoError(t, err)
}

// mixture publishes n activities of four authors, some to topics, some removed.
func (w world) mixture(t testing.TB, n int) []feed.Activity {
	t.Helper()
	var as []feed.Activity
	for i := range n {
		owner := []string{"ann", "ben", "joe", "sue"}[i*i%7%4]
		a := activity(owner, i%5)                                                   // repeats objects of earlier activities
		a.ID = ids.At(time.Now().Add(time.Duration(i-n)*time.Minute)) + ids.ID(i+1) // old ones may have expired
		if i%3 == 0 {
			a.Verb = "like"
		}
		if i%4 == 1 {
			a.To = []string{"birds"}
		}
		if i%8 == 2 {
			a.To = []string{"birds", "paris"}
		}
		as = append(as, w.send(t, owner, a))
	}
	for _, i := range []int{n / 2, n - 3} {
		w.remove(t, as[i].Owner, as[i].ID)
	}
	return as
}

var optionsOfHomes = map[string]feed.Options{
	"plain":       {},
	"filtered":    {Filter: hideVerb("like", new(int))},
	"reposts":     {About: aboutObject, RepostWindow: 6},
	"capped":      {HomeCap: 11},
	"window of 2": {About: aboutObject, RepostWindow: 2},
}

// A home shows the same pages however its sources' activities reach it.
func TestPulledHomesShowWhatPushedOnesDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	sources := []string{"ann", "ben", "joe", "birds", "paris"}
	about := w.process(t, &feed.Options{Consistent: true, About: aboutObject, InlineFollowers: 10})
	for _, name := range []string{"pushed", "mixed", "topics", "both"} {
		follows := map[string][]string{
			"pushed": sources, "mixed": {"ann", "birds"}, "topics": {"ann", "ben", "joe"}, "both": sources,
		}[name]
		_, err := w.Home(name).FollowMany(t.Context(), follows, nil)
		require.NoError(t, err)
	}
	w.reads(t, "pulled", sources...)
	w.reads(t, "mixed", "ben", "joe", "paris") // authors pulled and their topic pushed
	w.reads(t, "topics", "birds", "paris")     // and the reverse
	w.reads(t, "both", sources...)
	n := faults.Size(40, 18)
	as := about.mixture(t, n)
	homes := faults.Some(1, "mixed", "both", "pulled", "topics")

	check := func(t *testing.T, opts feed.Options) {
		opts.Consistent = true
		feeds := w.process(t, &opts)
		whole := feeds.Home("pushed").List
		for _, limit := range faults.Some(1, 9, 2, 50) {
			want, end := walk(t, whole, limit)
			require.NotEmpty(t, want)
			up := readUpFrom(t, whole, end, limit)
			for _, name := range homes {
				if name == "both" && opts.About != nil {
					continue // has two entries of each activity in the window
				}
				got, last := walk(t, feeds.Home(name).List, limit)
				require.Equal(t, owned(want), owned(got), "%s down by %d", name, limit)
				require.Equal(t, owned(up), owned(readUpFrom(t, feeds.Home(name).List, last, limit)), "%s up by %d", name, limit)
			}
		}
	}
	for name, opts := range faults.Sample(5, optionsOfHomes, "filtered") {
		t.Run(name, func(t *testing.T) { check(t, opts) })
	}
	t.Run("aged", func(t *testing.T) {
		check(t, feed.Options{Now: func() time.Time { return as[n/2].ID.Time().Add(90 * 24 * time.Hour) }})
	})
	for _, name := range append(homes, "pushed") {
		_, err := w.Home(name).Trim(t.Context(), as[n/4].ID)
		require.NoError(t, err)
	}
	if faults.Full() {
		t.Run("trimmed", func(t *testing.T) { check(t, feed.Options{}) })
	}
	t.Run("trimmed, with reposts", func(t *testing.T) { check(t, feed.Options{About: aboutObject, RepostWindow: 6}) })
}

func TestPulledSourcesMayShareEveryID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1})
	w.reads(t, "joe", trickyOwners...)
	var done []feed.Activity
	for n := range 3 {
		id := w.mint(t)
		for _, source := range trickyOwners {
			a := activity(source, n)
			a.ID, a.Owner = id, source
			done = append(done, a)
		}
	}
	w.layEach(t, done)
	requireExact(t, w.Home("joe").List, inHome(done))
	reposting := w.process(t, &feed.Options{Consistent: true, About: ownID, RepostWindow: 3})
	sizes := faults.Some(1, 5, 1, 2)
	requireSizes(t, reposting.Home("joe").List, inHome(done), sizes)
	// Some of them also as entries.
	w.subscribe(t, "joe", "a#")
	w.subscribe(t, "joe", `a\`)
	requireSizes(t, w.Home("joe").List, inHome(done), sizes)
}

// The caller chose one ID for the edges to an author and to a topic. An activity
// of both has one key then, and shows until the last of them is unfollowed.
func TestEdgesOfTwoSourcesWithOneIDDoNotHideEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	edge := w.mint(t)
	putAttributes(t, w, map[string]any{
		keys.Join("pull", edge.String(), "birds"): pull{At: edge},
		keys.Join("end", "chris"):                 ending{edge, edge},
	})
	a := w.send(t, "chris", addressed("chris", 1, "birds"))
	w.putEntries(t, []entry{entryOf(a, "chris", edge)})
	require.Equal(t, []ids.ID{a.ID}, all(t, w.Home("jack").List, 1))
}

// What lies beyond the range of a pull is not shown, and outboxes that end
// above or begin below what a page shows are not read.
func TestAHomeReadsTheRangesOfItsPulls(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil)
	as := w.lay(t, "chris", activities("chris", 30))
	w.readsRange(t, "jack", "chris", as[20].ID, as[25].ID)
	w.readsRange(t, "jack", "chris", 0, as[5].ID)
	ann := w.lay(t, "ann", activities("ann", 9))
	w.readsRange(t, "jack", "ann", ann[3].ID, 0)
	ben := w.lay(t, "ben", activities("ben", 30)) // above all
	w.reads(t, "jack", "ben")
	want := inHome(slices.Concat(as[:5], as[20:25], ann[3:], ben))
	requireSizes(t, w.Home("jack").List, want, faults.Some(1, 10, 1, 2))

	cold := w.process(t, &feed.Options{}, meter.Wrap)
	meter.AtMost(t, "5 of an outbox without a bound, and one with", dynamotest.Cost{Requests: 4, Read: 7}, func() {
		page := pageOf(t, cold.Home("jack").List, cursor.PageRequest{Limit: 5})
		require.Equal(t, want[:5], owned(page.Items))
	})
	page := pageOf(t, w.Home("jack").List, cursor.PageRequest{Limit: 38})
	meter.AtMost(t, "below ann's", dynamotest.Cost{Requests: 6, Read: 7}, func() {
		below := pageOf(t, cold.Home("jack").List, cursor.PageRequest{Limit: 8, Cursor: page.Next})
		require.Equal(t, want[38:], owned(below.Items))
		require.Empty(t, below.Next)
	})
}

// The cursors of a walk were made before the home read any outbox.
func TestASwitchBetweenTwoPagesLosesNothing(t *testing.T) {
	t.Parallel()
	for name, opts := range faults.Sample(3, map[string]feed.Options{
		"plain":   {},
		"reposts": {About: ownID, RepostWindow: 4},
		"cached":  {Cache: memoryCache(t, nil)},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts.Consistent = opts.Cache == nil
			w := newWorld(t, &opts)
			home := w.Home("jack")
			w.subscribe(t, "jack", "chris")
			var as []feed.Activity
			for range 6 {
				as = append(as, w.publish(t, "chris", 1)...)
				as = append(as, w.lay(t, "star", activities("star", 2))...)
			}
			chris := slices.DeleteFunc(slices.Clone(as), func(a feed.Activity) bool { return a.Owner == "star" })
			first := pageOf(t, home.List, cursor.PageRequest{Limit: 2})
			require.Equal(t, inHome(chris)[:2], owned(first.Items))
			second := pageOf(t, home.List, cursor.PageRequest{Limit: 2, Cursor: first.Next})
			last := pageOf(t, home.List, cursor.PageRequest{Limit: 100, Cursor: second.Next})
			require.Empty(t, last.Next)

			w.reads(t, "jack", "star")
			below := inHome(as)
			below = below[slices.Index(below, owned(second.Items)[1])+1:]
			for _, limit := range faults.Some(1, 3, 1, 20) {
				list := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[feed.Activity], error) {
					if req.Cursor == "" {
						req.Cursor = second.Next
					}
					return home.List(ctx, req)
				}
				got, _ := walk(t, list, limit)
				require.Equal(t, below, owned(got), "down by %d", limit)
				above := inHome(as)
				above = above[:slices.Index(above, owned(second.Items)[0])]
				require.Equal(t, above, owned(readUpFrom(t, home.List, second.Prev, limit)), "up by %d", limit)
			}
			// A poll and the end of a walk, where there are no entries.
			polled := pageOf(t, home.List, cursor.PageRequest{Cursor: first.Prev})
			require.Equal(t, inHome(as)[:2], owned(polled.Items))
			w.publish(t, "star", 1)
			polled = pageOf(t, home.List, cursor.PageRequest{Cursor: polled.Prev})
			require.Len(t, polled.Items, 1)
			polled = pageOf(t, home.List, cursor.PageRequest{Cursor: polled.Prev})
			require.Empty(t, polled.Items)
		})
	}
}

// The last entry is at the cursor, and what the home reads lies below it.
func TestAWalkThatHasNoMoreEntriesFindsOutboxes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	old := w.publish(t, "star", 3)
	w.subscribe(t, "jack", "chris")
	w.publish(t, "chris", 2)
	page := pageOf(t, w.Home("jack").List, cursor.PageRequest{Limit: 1})
	entries := page.Next
	w.expire(t, "H#jack", newestFirst(w.publish(t, "nobody", 1))[0].String())
	page = pageOf(t, w.Home("jack").List, cursor.PageRequest{Limit: 1, Cursor: entries})
	w.expire(t, "H#jack", page.Items[0].ID.String())
	meter := dynamotest.NewMeter()
	cold := w.process(t, &feed.Options{}, meter.Wrap)
	meter.AtMost(t, "no entry", costs(t).Of("Home.List", "no entry below a cursor"), func() {
		page := pageOf(t, cold.Home("jack").List, cursor.PageRequest{Cursor: entries})
		require.Empty(t, page.Items)
	})
	w.reads(t, "jack", "star")
	page = pageOf(t, w.Home("jack").List, cursor.PageRequest{Cursor: entries})
	require.Equal(t, inHome(old), owned(page.Items))
}

// The window below an activity is read to its end, however many reads of large
// rows that takes. Each asks for a bounded number of rows.
func TestAWindowOfLargeRowsIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.reads(t, "jack", "star")
	window := faults.Size(26, 20)
	large := text(`"` + strings.Repeat("x", 390<<10) + `"`) // 3 a read
	rows := make([]any, window+1)
	for i := range rows {
		a := activity("star", i)
		rows[i] = dynamo.Item{
			"pk": text("O#star"), "sk": text(w.mint(t).String()), "verb": text(a.Verb), "data": large,
			"actor": text(a.Actor.String()), "object": text(a.Object.String()), "about": text(a.Object.String()),
		}
	}
	_, err := w.db.Table(w.feedTable).Batch().Write().Put(rows...).Run(t.Context())
	require.NoError(t, err)
	var most, reads int64
	in := faults.New(t, 1, faults.Rates{})
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		var query struct{ Limit int64 }
		if op == "Query" && has(body, "O#star") {
			reads++
			require.NoError(t, json.Unmarshal(body, &query))
			most = max(most, query.Limit)
		}
		return faults.Fault{}
	})
	home := w.process(t, &feed.Options{Consistent: true, About: aboutObject, RepostWindow: window}, in.Wrap).Home("jack")
	page := pageOf(t, home.List, cursor.PageRequest{Limit: 1})
	require.Len(t, page.Items, 1)
	require.Greater(t, reads, int64(6))
	require.LessOrEqual(t, int(reads), 6+costs(t).Times(float64(window)*390/1024, "Home.List", "each 1 MB of an outbox within the RepostWindow").Requests)
	require.LessOrEqual(t, most, int64(256))
}

// A page makes a bounded number of requests whatever an outbox or a header
// contains.
func TestHostileOutboxesAndHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	old := w.publish(t, "evil", 3)
	tombstones := make([]any, faults.Size(5_000, 600))
	for i := range tombstones {
		tombstones[i] = w.tombstone(feed.Activity{Owner: "evil", ID: w.mint(t)})
	}
	w.putItems(t, tombstones)
	w.reads(t, "jack", "evil", "chris")
	want := inHome(append(old, w.publish(t, "chris", 2)...))
	attributes := map[string]any{}
	for i := range faults.Size(4_000, 400) {
		attributes[fmt.Sprintf("end#source-%010d", i)] = ending{1, w.mint(t)}
	}
	putAttributes(t, w, attributes)
	stated := costs(t)
	most := stated.Of("Home.List", "a page of 20", "the queries past hidden entries").
		Plus(stated.Times(2, "Home.List", "each outbox, up to 8 activities of 1 KB")).
		Plus(stated.Times(2*5, "Home.List", "each of up to 5 more reads of an outbox, for twice as many as the last")).
		Plus(stated.Times(6, "Home.List", "each 100 activities that hidden entries name")).
		Plus(stated.Times(6, "Home.List", "each query with activities that were erased or that a replica lacks"))
	for _, opts := range faults.Some(1, feed.Options{About: aboutObject}, feed.Options{}) {
		meter := dynamotest.NewMeter()
		opts.Consistent = true
		home := w.process(t, &opts, meter.Wrap).Home("jack")
		for _, limit := range faults.Some(1, 1, 20) {
			bounded := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[feed.Activity], error) {
				meter.Take()
				page, err := home.List(ctx, req)
				require.LessOrEqual(t, meter.Take().Requests, most.Requests)
				return page, err
			}
			got, _ := walk(t, bounded, limit)
			require.Equal(t, want, owned(got), "by %d", limit)
		}
	}
}

func TestDamagedRowsOfAnOutboxAreLeftOut(t *testing.T) {
	t.Parallel()
	var corrupt reported
	w := newWorld(t, nil)
	w.reads(t, "jack", "chris")
	as := w.lay(t, "chris", activities("chris", 5))
	var junk []any
	for _, prefix := range []string{as[1].ID.String() + "x", as[3].ID.String() + "\x00", "0junk", "7", "8x"} {
		for n := range faults.Size(30, 12) {
			junk = append(junk, dynamo.Item{"pk": text("O#chris"), "sk": text(fmt.Sprint(prefix, n))})
		}
	}
	_, err := w.db.Table(w.feedTable).Batch().Write().Put(junk...).Run(t.Context())
	require.NoError(t, err)
	w.damage(t, "O#chris", as[2].ID.String(), dynamo.Item{"owner": number("1")})
	want := inHome(slices.Delete(slices.Clone(as), 2, 3))
	for _, opts := range faults.Some(1, feed.Options{About: aboutObject, RepostWindow: 3}, feed.Options{}) {
		opts.Consistent, opts.OnCorrupt = true, corrupt.add
		requireExact(t, w.process(t, &opts).Home("jack").List, want)
	}
	require.Contains(t, corrupt.take(), "O#chris / "+as[2].ID.String())
}

// Items are just under 1 KB. The activities of all sources lie among each other.
func TestPagesOfPulledSourcesCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var as []feed.Activity
	var entries []entry
	publish := func(owner string, n int) {
		a := kilobyte(n)
		a.ID, a.Actor.ID, a.Owner = w.mint(t), owner, owner
		as = append(as, a)
		if owner == "chris-0123456789" {
			entries = append(entries, entryOf(a, owner, 1))
		}
	}
	sources := 0
	stated := costs(t)
	for _, c := range []struct {
		sources int
		hidden  dynamotest.Cost
	}{
		{1, dynamotest.Cost{Requests: 9, Read: 30}},
		{10, dynamotest.Cost{Requests: 39, Read: 110}},
		{100, dynamotest.Cost{Requests: 208, Read: 213.5}},
	} {
		if c.sources != 10 && !faults.Full() {
			continue
		}
		for ; sources < c.sources; sources++ {
			w.reads(t, "jack", fmt.Sprintf("source-%09d", sources))
		}
		for n := range 12 {
			if c.sources < 100 {
				publish("chris-0123456789", n)
				publish("chris-0123456789", n)
			}
			for i := range c.sources {
				if c.sources < 100 || n%12 == 0 {
					publish(fmt.Sprintf("source-%09d", i), n)
				}
			}
		}
		w.layEach(t, as)
		w.putEntries(t, entries)
		as, entries = nil, nil
		meter := dynamotest.NewMeter()
		cold := w.process(t, &feed.Options{}, meter.Wrap)
		var page cursor.Page[feed.Activity]
		list := func(home feed.Home, limit, want int, at cursor.Cursor) func() {
			return func() {
				page = pageOf(t, home.List, cursor.PageRequest{Limit: limit, Cursor: at})
				require.Len(t, page.Items, want)
			}
		}
		name := fmt.Sprintf("%d pulled: ", c.sources)
		top := stated.Of("Home.List", "a page of 20").Plus(stated.Times(float64(c.sources), "Home.List", "each outbox, up to 8 activities of 1 KB"))
		t.Log(name, meter.AtMost(t, name+"top", top, list(cold.Home("jack"), 20, 20, "")))
		list(cold.Home("jack"), 5, 5, "")()
		meter.Take()
		below := top.Plus(stated.Times(float64(1+c.sources/50), "Home.List", "with outboxes, from a cursor, each 4 KB of the home's header"))
		t.Log(name, meter.AtMost(t, name+"from a cursor", below, list(cold.Home("jack"), 20, 20, page.Next)))
		filtered := w.process(t, &feed.Options{Filter: hideVerb("add", new(int))}, meter.Wrap)
		t.Log(name, meter.AtMost(t, name+"all hidden", c.hidden, list(filtered.Home("jack"), 20, 0, "")))
	}
}

func TestACursorOfAHomeThatReadsOutboxesIsOfNoOtherList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.reads(t, "jack", "chris")
	as := w.publish(t, "chris", 3)
	page := pageOf(t, w.Home("jack").List, cursor.PageRequest{Limit: 1})
	codec := cursor.Plain()
	pos, err := codec.Decode(cursor.Scope{List: "feed/home", Partition: "jack"}, page.Next)
	require.NoError(t, err)
	require.EqualValues(t, 'D', pos[0])
	forged := codec.Encode(cursor.Scope{List: "feed/outbox", Partition: "chris"}, append([]byte("D"), as[1].ID.String()...))
	_, err = w.Outbox("chris").List(t.Context(), cursor.PageRequest{Cursor: forged})
	require.ErrorIs(t, err, cursor.ErrInvalid)

	// Once the home reads none, its cursors are as before, and a noted one works.
	require.NoError(t, w.db.Table(w.feedTable).Delete("pk", "H#jack").Range("sk", "~").Run(t.Context()))
	page = pageOf(t, w.Home("jack").List, cursor.PageRequest{Cursor: page.Prev})
	require.Empty(t, page.Items)
	pos, err = codec.Decode(cursor.Scope{List: "feed/home", Partition: "jack"}, page.Prev)
	require.NoError(t, err)
	require.EqualValues(t, 'u', pos[0])
}
