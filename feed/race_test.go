package feed_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// together runs calls concurrently and waits for them.
func together(calls ...func()) {
	var group sync.WaitGroup
	for _, call := range calls {
		group.Go(call)
	}
	group.Wait()
}

func TestUnfollowRefollowAndDeliveryMayRace(t *testing.T) {
	t.Parallel()
	injector := faults.New(t, 17, harsh)
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1}, injector.Wrap)
	later := w.later(t)
	ctx := t.Context()
	for round := range faults.Seeds(100) {
		reader, source := fmt.Sprint("reader-", round), fmt.Sprint("source-", round)
		home, outbox := w.Home(reader), w.Outbox(source)
		publish := func(n int) ids.ID {
			a := activity(source, n)
			a.ID = retried(t, func() (ids.ID, error) { return w.gen.Next(ctx) })
			return retried(t, func() (feed.Activity, error) { return stored(outbox.Publish(ctx, a)) }).ID
		}
		follow := func() { retried(t, func() (bool, error) { return home.Follow(ctx, source, nil) }) }
		unfollow := func() { retried(t, func() (bool, error) { return home.Unfollow(ctx, source, nil) }) }

		follow()
		first := publish(1)
		var second ids.ID
		together(unfollow, follow, func() {
			second = publish(2)
			retried(t, func() (int, error) { return w.Deliver(ctx) })
		})

		injector.Off()
		deliverAll(t, later)
		_, err := w.follows.Get(ctx, followEdge(reader, source))
		var want []ids.ID
		if err == nil {
			want = []ids.ID{second, first}
		} else {
			require.ErrorIs(t, err, plaza.ErrNotFound)
		}
		require.Equal(t, want, all(t, home.List, 10), "round %d, following: %t", round, err == nil)
		injector.On()
	}
}

func TestAPublishDuringAFollowShowsExactlyOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for round := range faults.Seeds(100) {
		reader, source := fmt.Sprint("reader-", round), fmt.Sprint("source-", round)
		var published []feed.Activity
		together(
			func() { w.subscribe(t, reader, source) },
			func() { published = w.publish(t, source, 1) },
		)
		require.Equal(t, newestFirst(published), all(t, w.Home(reader).List, 10), "round %d", round)
	}
}

func TestOldActivitiesShowOnceWhileNewOnesArrive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	old := newestFirst(w.layHome(t, "chris", activities("chris", faults.Size(100, 60))))
	var got []ids.ID
	ctx, stop := context.WithCancel(t.Context())
	together(
		func() {
			for n := range 500 {
				if _, _, err := w.Outbox("chris").Publish(ctx, activity("chris", n)); err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					return
				}
			}
		},
		func() {
			defer stop()
			page, err := w.Home("jack").List(t.Context(), cursor.PageRequest{Limit: 10})
			for err == nil {
				for _, a := range page.Items {
					if a.ID <= old[0] {
						got = append(got, a.ID)
					}
				}
				if page.Next == "" {
					return
				}
				page, err = w.Home("jack").List(t.Context(), cursor.PageRequest{Limit: 10, Cursor: page.Next})
			}
			t.Error(err)
		},
	)
	require.Equal(t, old, got)
}

func TestConcurrentPublishesOfAForeignIDStoreOneActivity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	rounds := faults.Size(20, 5)
	for round := range rounds {
		var mu sync.Mutex
		answers := map[ids.ID]bool{}
		publish := func() {
			a := activity("chris", round)
			a.ForeignID = a.Object.String()
			a, _, err := w.Outbox("chris").Publish(t.Context(), a)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[a.ID] = true
		}
		together(publish, publish, publish, publish)
		require.Len(t, answers, 1)
	}
	require.Len(t, all(t, w.Outbox("chris").List, 100), rounds)
}
