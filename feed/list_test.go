package feed_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

func TestOutboxIsAList(t *testing.T) {
	if !faults.Full() {
		t.Skip("by default internal/store tests such a list")
	}
	t.Parallel()
	testList(t, feed.Options{}, func(w world, owner, _ string) (lister, string) {
		return w.Outbox(owner).List, "O#" + owner
	})
}

func TestHomeIsAList(t *testing.T) {
	t.Parallel()
	hidesNothing := func(_ context.Context, _ string, as []feed.Activity) ([]bool, error) {
		return make([]bool, len(as)), nil
	}
	clock := newHandClock()
	leaping := func() time.Time { // each page reads the outbox again
		clock.pass(6 * time.Second)
		return clock.now()
	}
	pushed := func(w world, owner, reader string) (lister, string) {
		w.subscribe(t, reader, owner)
		return w.Home(reader).List, "H#" + reader
	}
	pulled := func(w world, owner, reader string) (lister, string) {
		w.switched(t, owner, true)
		list, _ := pushed(w, owner, reader)
		return list, "O#" + owner
	}
	for name, tc := range faults.Sample(6, map[string]struct {
		opts feed.Options
		made func(w world, owner, reader string) (lister, string)
	}{
		"as it is":                 {feed.Options{}, pushed},
		"with everything switched": {feed.Options{HomeCap: 1 << 20, About: ownID, Filter: hidesNothing, OwnHome: true}, pushed},
		"pulled":                   {feed.Options{HomeCap: 1 << 20, About: ownID}, pulled},
		"pulled, remembered":       {feed.Options{PullCache: 10, Now: leaping}, pulled},
		"in groups": {feed.Options{}, func(w world, owner, reader string) (lister, string) {
			_, partition := pushed(w, owner, reader)
			return ungrouped(t, w.Home(reader).Grouped), partition
		}},
	}, "with everything switched") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testList(t, tc.opts, tc.made)
		})
	}
}

// ownID is an Options.About under which no activity repeats another.
func ownID(a feed.Activity) feed.Ref { return feed.Ref{ID: a.ID.String()} }

// testList runs the contract of lists. made returns the list and its partition.
// owner publishes and reader reads.
func testList(t *testing.T, opts feed.Options, made func(w world, owner, reader string) (lister, string)) {
	meter := dynamotest.NewMeter()
	codec, err := cursor.Sealed(cursor.Keyring{Keys: map[byte][]byte{0: []byte("0123456789abcdef0123456789abcdef")}})
	require.NoError(t, err)
	opts.Consistent, opts.Codec = opts.PullCache == 0, codec
	w := newWorld(t, &opts, meter.Wrap)
	requests, lists := 0, 0
	other := sync.OnceValue(func() lister { // most checks do not read it
		page, _ := made(w, "owner-other", "reader-other")
		w.publish(t, "owner-other", 3)
		return page
	})
	pagetest.Run(t, func(t *testing.T) pagetest.List[feed.Activity] {
		lists++
		owner, reader := fmt.Sprint("owner-", lists), fmt.Sprint("reader-", lists)
		page, partition := made(w, owner, reader)
		return pagetest.List[feed.Activity]{
			Page: page,
			ID:   func(a feed.Activity) string { return a.ID.String() },
			Others: []pagetest.Other{pagetest.Foreign("another partition", func(ctx context.Context, req cursor.PageRequest) (cursor.Page[feed.Activity], error) {
				return other()(ctx, req)
			})},
			Requests: func() int {
				requests += meter.Take().Requests
				return requests
			},
			Brief: true, // other lists of internal/store run all checks
			Add:   func(_ context.Context, n int) []string { return w.addAlike(t, n, owner, partition) },
			Hide: func(ctx context.Context, id string) {
				parsed, err := ids.Parse(id)
				require.NoError(t, err)
				_, err = w.Outbox(owner).Remove(ctx, parsed)
				require.NoError(t, err)
			},
			Remove: func(ctx context.Context, id string) {
				w.expire(t, partition, id)
			},
		}
	})
}

// addAlike lays n activities of owner, and entries if the list is a home's.
func (w world) addAlike(t testing.TB, n int, owner, partition string) (added []string) {
	t.Helper()
	var entries []entry
	for _, a := range w.lay(t, owner, activities(owner, n)) {
		added = append(added, a.ID.String())
		if strings.HasPrefix(partition, "H#") {
			e := entryOf(a, owner, 1)
			e.PK, e.About = partition, a.ID.String()
			entries = append(entries, e)
		}
	}
	w.putEntries(t, entries)
	return added
}

// expire deletes the items of a partition whose sort keys begin with prefix, as
// DynamoDB's expiry would.
func (w world) expire(t testing.TB, partition, prefix string) {
	t.Helper()
	table := w.db.Table(w.feedTable)
	var items []struct {
		SK string `dynamo:"sk"`
	}
	require.NoError(t, table.Get("pk", partition).Range("sk", "BEGINS_WITH", prefix).Consistent(true).All(t.Context(), &items))
	for _, item := range items {
		require.NoError(t, table.Delete("pk", partition).Range("sk", item.SK).Run(t.Context()))
	}
}
