package feed_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

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
