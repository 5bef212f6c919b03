package feed_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// Each request of a follow is late: the caller gives up, repeats, undoes it,
// and then the first arrives.
func TestALateFollowRevivesNothing(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"TransactWriteItems", "BatchWriteItem"} {
		for _, named := range []bool{true, false} {
			t.Run(op, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				w.publish(t, "chris", 2)
				jack := w.Home("jack")
				id := acknowledged(t, func() (ids.ID, error) { return w.gen.Next(t.Context()) })
				opts := &feed.FollowOptions{ID: id}
				late := &faults.Late{Holds: func(on string, _ []byte) bool { return on == op }}
				_, err := w.process(t, nil, late.Wrap).Home("jack").Follow(t.Context(), "chris", opts)
				require.Error(t, err)

				if named {
					created, err := jack.Follow(t.Context(), "chris", opts)
					require.NoError(t, err)
					require.True(t, created)
					_, err = jack.Unfollow(t.Context(), "chris", nil)
					require.NoError(t, err)
				} else { // nothing stands yet, but its identity is known
					_, err = jack.Unfollow(t.Context(), "chris", &feed.UnfollowOptions{ID: id})
					require.NoError(t, err)
				}
				late.Arrive(t)
				requireNotFollowing(t, w, "jack", "chris")
				w.publish(t, "chris", 1)
				require.Empty(t, all(t, jack.List, 10))
				_, err = jack.Follow(t.Context(), "chris", opts)
				require.ErrorIs(t, err, plaza.ErrRemoved)

				w.subscribe(t, "jack", "chris")
				require.Len(t, all(t, jack.List, 10), 3)
			})
		}
	}
}

// Each request of an unfollow is late: meanwhile the source is followed again.
func TestALateUnfollowEndsNothingNew(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"UpdateItem", "TransactWriteItems"} {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.subscribe(t, "jack", "chris")
			done := w.publish(t, "chris", 2)
			late := &faults.Late{Holds: func(on string, _ []byte) bool { return on == op }}
			_, err := w.process(t, nil, late.Wrap).Home("jack").Unfollow(t.Context(), "chris", nil)
			require.Error(t, err)
			_, err = w.Home("jack").Unfollow(t.Context(), "chris", nil)
			require.NoError(t, err)
			w.subscribe(t, "jack", "chris")
			// A second time, whose mark is above the first.
			_, err = w.Home("jack").Unfollow(t.Context(), "chris", nil)
			require.NoError(t, err)
			late.Arrive(t)
			require.Empty(t, all(t, w.Home("jack").List, 10))
			w.subscribe(t, "jack", "chris")
			require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 10))
		})
	}
}

func requireNotFollowing(t testing.TB, w world, reader, source string) {
	t.Helper()
	_, err := w.follows.Get(t.Context(), followEdge(reader, source))
	require.ErrorIs(t, err, plaza.ErrNotFound)
}

func TestAnUnfollowByIDLeavesAnotherEdge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	first := acknowledged(t, func() (ids.ID, error) { return w.gen.Next(t.Context()) })
	_, err := w.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{ID: first})
	require.NoError(t, err)
	_, err = w.Home("jack").Unfollow(t.Context(), "chris", &feed.UnfollowOptions{ID: first})
	require.NoError(t, err)
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 1)
	removed, err := w.Home("jack").Unfollow(t.Context(), "chris", &feed.UnfollowOptions{ID: first})
	require.NoError(t, err)
	require.False(t, removed)
	require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 10))
	edge, err := w.follows.Get(t.Context(), followEdge("jack", "chris"))
	require.NoError(t, err)
	removed, err = w.Home("jack").Unfollow(t.Context(), "chris", &feed.UnfollowOptions{ID: edge.ID})
	require.NoError(t, err)
	require.True(t, removed)
	require.Empty(t, all(t, w.Home("jack").List, 10))
}

func TestKeptHistoryCanBeCleared(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, w world){
		"kept": func(t *testing.T, w world) {
			_, err := w.Home("jack").Unfollow(t.Context(), "chris", &feed.UnfollowOptions{KeepHistory: true})
			require.NoError(t, err)
		},
		"ended in the graph": func(t *testing.T, w world) {
			removed, err := w.follows.Unfollow(t.Context(), followEdge("jack", "chris"))
			require.NoError(t, err)
			require.True(t, removed)
		},
		"forgotten by the graph": func(t *testing.T, w world) {
			require.NoError(t, w.follows.Erase(t.Context(), "jack"))
			table := w.db.Table(w.followTable)
			require.NoError(t, table.Delete("pk", "E#jack").Range("sk", "chris").Run(t.Context()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			minute := w.process(t, &feed.Options{Consistent: true, Now: func() time.Time { return time.Now().Add(2 * time.Minute) }})
			w.subscribe(t, "jack", "chris")
			w.subscribe(t, "jack", "ann")
			w.publish(t, "chris", 2)
			anns := w.publish(t, "ann", 1)
			end(t, w)
			require.Len(t, all(t, w.Home("jack").List, 10), 3)

			removed, err := minute.Home("jack").Unfollow(t.Context(), "chris", &feed.UnfollowOptions{KeepHistory: true})
			require.NoError(t, err)
			require.False(t, removed)
			require.Len(t, all(t, w.Home("jack").List, 10), 3)

			removed, err = minute.Home("jack").Unfollow(t.Context(), "chris", nil)
			require.NoError(t, err)
			require.False(t, removed)
			require.Equal(t, newestFirst(anns), all(t, w.Home("jack").List, 10))

			// Edges of this minute might be hidden by what is marked for two minutes ahead.
			id, err := ids.Backdate(time.Now().Add(90*time.Second), "jack/chris")
			require.NoError(t, err)
			_, err = minute.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{ID: id})
			require.ErrorIs(t, err, plaza.ErrInvalid, "the graph's clock is right")
		})
	}
}

func TestAFollowAtThatMomentIsNotClearedAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, err := w.Home("jack").Unfollow(t.Context(), "chris", nil)
	require.NoError(t, err)
	// Its id is from a machine whose clock is behind.
	id, err := ids.Backdate(time.Now().Add(-30*time.Second), "jack/chris")
	require.NoError(t, err)
	created, err := w.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{ID: id})
	require.NoError(t, err)
	require.True(t, created)
	done := w.publish(t, "chris", 1)
	require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 10))
}

// unfollowing calls before ahead of each Unfollow.
type unfollowing struct {
	feed.Graph
	before func()
}

func (g unfollowing) Unfollow(ctx context.Context, e follow.Edge) (bool, error) {
	g.before()
	return g.Graph.Unfollow(ctx, e)
}

// The follow arrives, and brings an entry, while its unfollow is under way.
func TestAnUnfollowByIDHidesWhatItsFollowBringsMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	id := acknowledged(t, func() (ids.ID, error) { return w.gen.Next(t.Context()) })
	feeds, err := feed.New(w.db, w.feedTable, w.gen, unfollowing{w.follows, func() {
		_, _, err := w.follows.Follow(t.Context(), follow.Edge{Follower: "jack", Followee: "chris", ID: id})
		require.NoError(t, err)
		w.publish(t, "chris", 1)
	}}, nil)
	require.NoError(t, err)
	removed, err := feeds.Home("jack").Unfollow(t.Context(), "chris", &feed.UnfollowOptions{ID: id})
	require.NoError(t, err)
	require.True(t, removed)
	require.Empty(t, all(t, w.Home("jack").List, 10))
}

func TestIDsFromTheFutureAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ahead, err := ids.Backdate(time.Now().Add(2*time.Minute), "chris")
	require.NoError(t, err)
	soon, err := ids.Backdate(time.Now().Add(30*time.Second), "chris")
	require.NoError(t, err)
	a := activity("chris", 1)
	for id, want := range map[ids.ID]error{ahead: plaza.ErrInvalid, soon: nil} {
		a.ID = id
		_, err = w.Outbox("chris").Publish(t.Context(), a)
		require.ErrorIs(t, err, want)
		_, err = w.Outbox("ann").PublishMany(t.Context(), []feed.Activity{a})
		require.ErrorIs(t, err, want)
		_, err = w.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{ID: id})
		require.ErrorIs(t, err, want)
		_, err = w.Home("jack").Unfollow(t.Context(), "chris", &feed.UnfollowOptions{ID: id})
		require.ErrorIs(t, err, want)
	}
	_, err = w.Outbox("chris").Remove(t.Context(), ahead)
	require.NoError(t, err, "it names what may exist")
}

// A worker whose clock is ahead by Retention delivers as any other.
func TestAWorkersClockLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1})
	w.followedBy(t, "chris", 3)
	done := w.publish(t, "chris", 2)
	ahead := w.process(t, &feed.Options{Now: func() time.Time { return time.Now().Add(91 * 24 * time.Hour) }})

	// It dies once in the middle, and holds the job by its own clock.
	injector := faults.New(t, 1, faults.Rates{})
	injector.KillAt(1)
	dying := w.process(t, &feed.Options{Now: func() time.Time { return time.Now().Add(91 * 24 * time.Hour) }}, injector.Wrap)
	_, err := dying.Deliver(t.Context())
	require.ErrorIs(t, err, faults.ErrKilled)

	delivered, err := w.Deliver(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, delivered, "no lease lasts longer than one taken now")
	for i := range 3 {
		require.Equal(t, newestFirst(done), all(t, w.Home(reader(i)).List, 10))
	}
	more := w.publish(t, "chris", 2)
	delivered, err = ahead.Deliver(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, delivered)
	require.Empty(t, w.jobs(t))
	for i := range 3 {
		require.Equal(t, newestFirst(append(done[:2:2], more...)), all(t, w.Home(reader(i)).List, 10))
	}
}

// A lease of now is respected, also by a clock that is a little behind.
func TestALeaseKeepsOthersAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1})
	w.followedBy(t, "chris", 3)
	w.publish(t, "chris", 1)
	injector := faults.New(t, 1, faults.Rates{})
	injector.KillAt(1)
	_, err := w.process(t, nil, injector.Wrap).Deliver(t.Context())
	require.ErrorIs(t, err, faults.ErrKilled)
	behind := w.process(t, &feed.Options{Now: func() time.Time { return time.Now().Add(-50 * time.Second) }})
	for _, other := range []world{w, behind} {
		delivered, err := other.Deliver(t.Context())
		require.NoError(t, err)
		require.Zero(t, delivered)
	}
}

// The job was ended by another between two pages: whoever walks on stops there.
func TestADeliveryWhoseJobIsGoneStops(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1})
	w.followedBy(t, "chris", 6)
	w.publish(t, "chris", 1)
	walks := 0
	var heard []feed.Delivery
	slow, err := feed.New(w.db, w.feedTable, w.gen, watchedGraph{pagedGraph{w.follows}, func(string) error {
		if walks++; walks == 1 {
			for _, job := range w.jobs(t) {
				require.NoError(t, w.db.Table(w.feedTable).Delete("pk", job.PK).Range("sk", job.SK).Run(t.Context()))
			}
		}
		return nil
	}}, &feed.Options{OnDelivery: func(d feed.Delivery) { heard = append(heard, d) }})
	require.NoError(t, err)
	delivered, err := slow.Deliver(t.Context())
	require.NoError(t, err)
	require.Zero(t, delivered)
	require.Equal(t, 1, walks)
	require.Len(t, heard, 1)
	require.False(t, heard[0].Done)
}

// A checkpoint that fails ends the attempt.
func TestADeliveryWhoseCheckpointFailsSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1})
	w.followedBy(t, "chris", 6)
	done := w.publish(t, "chris", 1)
	injector := faults.New(t, 1, faults.Rates{})
	injector.KillBefore(3) // claim, batch, checkpoint
	process := w.process(t, nil, injector.Wrap)
	dying, err := feed.New(process.db, w.feedTable, w.gen, pagedGraph{process.follows}, nil)
	require.NoError(t, err)
	_, err = dying.Deliver(t.Context())
	require.ErrorIs(t, err, faults.ErrKilled)
	require.Len(t, w.jobs(t), 1)
	settle(t, w.later(t))
	require.Equal(t, newestFirst(done), all(t, w.Home(reader(5)).List, 10))
}

func TestHistoryLiesInOutboxesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	var old []feed.Activity
	for year := 2019; year <= 2024; year++ {
		at := time.Date(year, 3, 1, 12, 0, 0, 0, time.UTC)
		a := addressed("chris", year, "birds")
		var err error
		a.ID, err = ids.Backdate(at, "chris/picture/"+a.Object.ID)
		require.NoError(t, err)
		a.ForeignID = a.Object.String()
		old = append(old, a)
	}
	for range 2 { // an import is repeated
		stored, err := w.Outbox("chris").PublishMany(t.Context(), old)
		require.NoError(t, err)
		require.Equal(t, 2019, stored[0].Time.Year())
		again, err := w.Outbox("chris").Publish(t.Context(), old[3])
		require.NoError(t, err)
		require.Equal(t, stored[3], again)
	}
	require.Empty(t, w.jobs(t))
	require.Equal(t, newestFirst(old), all(t, w.Outbox("chris").List, 4), "in order")
	require.Equal(t, newestFirst(old), all(t, w.Outbox("birds").List, 4))
	w.subscribe(t, "ann", "chris")
	for _, reader := range []string{"jack", "ann"} {
		require.Empty(t, all(t, w.Home(reader).List, 10))
	}
	for _, row := range w.rows(t) {
		require.False(t, strings.HasPrefix(row.PK, "H#") || strings.HasPrefix(row.PK, "J"), row.PK)
	}
	recent, err := ids.Backdate(time.Now().Add(-89*24*time.Hour), "chris/picture/recent")
	require.NoError(t, err)
	a := activity("chris", 1)
	a.ID = recent
	_, err = w.Outbox("chris").Publish(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, []ids.ID{recent}, all(t, w.Home("jack").List, 10))
}

// What is still being delivered comes beside what Follow copies.
func TestCopyLimitBoundsWhatFollowCopies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, JobShards: 1})
	as, err := w.Outbox("chris").PublishMany(t.Context(), activities("chris", 130))
	require.NoError(t, err)
	w.subscribe(t, "jack", "chris")
	require.Len(t, all(t, w.Home("jack").List, 100), 100)
	delivered, err := w.Deliver(t.Context())
	require.NoError(t, err)
	require.Equal(t, 130, delivered, "of a shard, by pages")
	require.Equal(t, newestFirst(as), all(t, w.Home("jack").List, 100))
}

func TestAPanicOfOneIsItsError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, About: func(a feed.Activity) feed.Ref {
		if a.Object.ID == "2" {
			panic("boom")
		}
		return feed.Ref{}
	}})
	as, err := w.Outbox("chris").PublishMany(t.Context(), activities("chris", 3))
	var partial *feed.PartialError
	require.ErrorAs(t, err, &partial)
	require.Len(t, partial.Errs, 1)
	require.Len(t, all(t, w.Outbox("chris").List, 10), 2)

	bad := activity("ann", 2)
	plain := w.process(t, nil)
	_, err = plain.Outbox("ann").Publish(t.Context(), bad)
	require.NoError(t, err)
	_, err = w.Home("jack").FollowMany(t.Context(), []string{"ann", "chris"}, nil)
	require.ErrorAs(t, err, &partial)
	require.Len(t, partial.Errs, 1)
	require.Len(t, as, 3)
}

func TestVerifyAndInitKnowTheTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	require.ErrorIs(t, w.Verify(t.Context()), plaza.ErrTable, "it has no expiry")
	client := w.db.Client()
	_, err := client.UpdateTimeToLive(context.Background(), feed.TTL(w.feedTable))
	require.NoError(t, err)
	require.NoError(t, w.Verify(t.Context()))
	require.NoError(t, w.Init(t.Context()))
	require.NoError(t, w.Init(t.Context()))
	require.NoError(t, w.Verify(t.Context()))
	err = w.db.Table(w.feedTable).Update("pk", "~").Range("sk", "~").Set("feature", "danmu").Run(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, w.Verify(t.Context()), plaza.ErrTable)
	require.ErrorIs(t, w.Init(t.Context()), plaza.ErrTable)
}
