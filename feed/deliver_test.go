package feed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// The process is killed at each write in turn, of a publish to 60 followers, 30
// of them inline, and of the delivery after it. The publish is repeated, which
// delivers to nobody; a worker finishes.
func TestAKilledDeliveryIsFinishedByAnother(t *testing.T) {
	t.Parallel()
	const followers = 60
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1})
	w.imported(t, "star", followers)
	kills := map[string]func(*faults.Injector, int){
		"applied":     (*faults.Injector).KillAt,
		"not applied": (*faults.Injector).KillBefore,
	}
	for name, kill := range faults.Sample(2, kills) {
		t.Run(name, func(t *testing.T) {
			last := 0
			for k, killed := faults.Size(1, 2), true; killed; k += faults.Size(1, 3) { // 2 is the publish
				a := activity("star", k)
				a.ID = w.mint(t)
				injector := faults.New(t, uint64(k), faults.Rates{})
				kill(injector, k)
				first := w.process(t, &feed.Options{InlineFollowers: followers / 2}, injector.Wrap)
				_, _, err := first.Outbox("star").Publish(t.Context(), a)
				if err == nil {
					_, err = first.Deliver(t.Context())
				}
				if err != nil {
					require.ErrorIs(t, err, faults.ErrKilled)
				}
				if killed = injector.Writes() >= k; killed { // Publish returns no errors of its delivery
					last = k
				}

				w.send(t, "star", a)
				deliverAll(t, w.later(t))
				reached := 0 // each edge has one entry
				for _, row := range w.rows(t) {
					if strings.HasPrefix(row.PK, "H#reader-") && strings.HasPrefix(row.SK, a.ID.String()) {
						reached++
					}
				}
				require.Equal(t, followers, reached, "after a kill at write %d", k)
				home := all(t, w.Home(reader(k)).List, 100)
				require.Equal(t, a.ID, home[0])
				require.NotContains(t, home[1:], a.ID)
			}
			require.Greater(t, last, faults.Size(8, 6), "shards, publish, 2 batches, checkpoint, claim, 2 batches, end")
		})
	}
}

func TestRunFinishesInlineDeliveries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := faults.Size(30, 14)
	w.imported(t, "star", n)
	ended := make(chan feed.Attempt, 10)
	worker := w.process(t, &feed.Options{
		Consistent:      true,
		InlineFollowers: 10,
		Poll:            time.Millisecond,
		OnAttempt:       func(d feed.Attempt) { ended <- d },
	})
	a := worker.send(t, "star", activity("star", 1))
	require.Equal(t, feed.Attempt{Owner: "star", ID: a.ID, Entries: 10}, <-ended)

	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error)
	go func() { stopped <- worker.Run(ctx) }()
	require.Equal(t, feed.Attempt{Owner: "star", ID: a.ID, Entries: n - 10, Done: true}, <-ended)
	for i := range n {
		require.Equal(t, []ids.ID{a.ID}, all(t, w.Home(fmt.Sprintf("reader-%d", i)).List, 10))
	}
	stop()
	require.ErrorIs(t, <-stopped, context.Canceled)
}

// watchedGraph calls walked before each Walk and returns its error.
type watchedGraph struct {
	feed.Graph
	walked func(followee string) error
}

func (g watchedGraph) Walk(ctx context.Context, followee string, req cursor.PageRequest) (cursor.Page[follow.Edge], error) {
	page, err := g.Graph.Walk(ctx, followee, req)
	return page, errors.Join(err, g.walked(followee))
}

func TestADeliveryStartsAgainIfItsCursorIsRefused(t *testing.T) {
	t.Parallel()
	n := faults.Size(30, 14)
	w := newWorld(t, nil)
	w.imported(t, "star", n)
	with := func(key byte) *feed.Repository {
		codec, err := cursor.Sealed(cursor.Keyring{Current: key, Keys: map[byte][]byte{key: []byte("0123456789abcdef0123456789abcdef")}})
		require.NoError(t, err)
		follows, err := follow.New(w.db, w.followTable, w.gen, &follow.Options{Codec: codec})
		require.NoError(t, err)
		feeds, err := feed.New(w.db, w.feedTable, w.gen, follows, &feed.Options{InlineFollowers: 10})
		require.NoError(t, err)
		return feeds
	}
	a, _, err := with(1).Outbox("star").Publish(t.Context(), activity("star", 1))
	require.NoError(t, err)
	delivered, err := with(2).Deliver(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, delivered)
	for i := range n {
		require.Equal(t, []ids.ID{a.ID}, all(t, w.Home(fmt.Sprintf("reader-%d", i)).List, 10))
	}
}

// The worker's clock is ahead by Retention.
func TestAWorkerWithAFastClockDeliversEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1})
	w.followedBy(t, "chris", 3)
	done := w.publish(t, "chris", 2)
	ahead := w.process(t, &feed.Options{Now: func() time.Time { return time.Now().Add(91 * 24 * time.Hour) }})

	// It dies in the middle, and its lease has the time of its own clock.
	injector := faults.New(t, 1, faults.Rates{})
	injector.KillAt(1)
	dying := w.process(t, &feed.Options{Now: func() time.Time { return time.Now().Add(91 * 24 * time.Hour) }}, injector.Wrap)
	_, err := dying.Deliver(t.Context())
	require.ErrorIs(t, err, faults.ErrKilled)

	require.Equal(t, 2, w.deliver(t), "no lease lasts longer than one taken now")
	for i := range 3 {
		require.Equal(t, newestFirst(done), all(t, w.Home(reader(i)).List, 10))
	}
	more := w.publish(t, "chris", 2)
	require.Equal(t, 2, ahead.deliver(t))
	require.Empty(t, w.jobs(t))
	for i := range 3 {
		require.Equal(t, newestFirst(append(done[:2:2], more...)), all(t, w.Home(reader(i)).List, 10))
	}
}

// Another worker ends the job between two pages; the first one stops.
func TestADeliveryWhoseJobIsGoneStops(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1})
	w.followedBy(t, "chris", 6)
	w.publish(t, "chris", 1)
	walks := 0
	var deliveries []feed.Attempt
	slow := w.over(t, watchedGraph{pagedGraph{w.follows}, func(string) error {
		if walks++; walks == 1 {
			for _, job := range w.jobs(t) {
				require.NoError(t, w.db.Table(w.feedTable).Delete("pk", job.PK).Range("sk", job.SK).Run(t.Context()))
			}
		}
		return nil
	}}, &feed.Options{OnAttempt: func(d feed.Attempt) { deliveries = append(deliveries, d) }})
	require.Zero(t, slow.deliver(t))
	require.Equal(t, 1, walks)
	require.Len(t, deliveries, 1)
	require.False(t, deliveries[0].Done)
}
