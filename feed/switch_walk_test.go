package feed_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// paged is w with pages of two followers.
func (w world) paged(t testing.TB, opts *feed.Options) world {
	t.Helper()
	return w.over(t, pagedGraph{w.follows}, opts)
}

func TestASwitchTellsEveryHome(t *testing.T) {
	t.Parallel()
	const followers = 5
	w := newWorld(t, nil)
	w.followedBy(t, "chris", followers)
	var deliveries []feed.Attempt
	worker := w.paged(t, &feed.Options{OnAttempt: func(d feed.Attempt) { deliveries = append(deliveries, d) }})
	deliver := func() feed.Attempt {
		t.Helper()
		deliveries = nil
		require.Equal(t, 1, worker.deliver(t))
		require.Len(t, deliveries, 1)
		return deliveries[0]
	}
	pushed := w.publish(t, "chris", 1)[0].ID

	at := w.setPulled(t, "chris", true)
	opening := w.publish(t, "chris", 1)[0].ID
	require.Equal(t, feed.Attempt{Owner: "chris", ID: at, Switch: true, Entries: followers, Done: true}, deliver())
	require.Equal(t, sourceMode{feed.Pulled, at}, w.storedMode(t, "chris"))
	for i := range followers {
		p := w.pullOf(t, reader(i))
		require.Equal(t, homePull{"chris", p.Edge, pull{Since: ids.At(p.Edge.Time().Add(-24 * time.Hour)), At: at}}, p)
	}

	fresh := w.process(t, nil) // it remembers no mode
	pulled := fresh.send(t, "chris", activity("chris", 2))
	newest, _, err := fresh.Outbox("ann").Publish(t.Context(), addressed("ann", 1, "chris"))
	require.NoError(t, err, "chris has a reference")
	require.Empty(t, w.jobs(t))

	at = w.setPulled(t, "chris", false)
	closing := fresh.publish(t, "chris", 1)[0].ID
	_, err = fresh.Outbox("chris").Remove(t.Context(), closing)
	require.NoError(t, err, "a tombstone counts")
	require.Equal(t, feed.Attempt{Owner: "chris", ID: at, Switch: true, Entries: followers, Done: true}, deliver())
	require.Equal(t, sourceMode{feed.Pushed, at}, w.storedMode(t, "chris"))
	for i := range followers {
		p := w.pullOf(t, reader(i))
		require.Equal(t, homePull{"chris", p.Edge, pull{Since: p.Since, Until: closing + 1, At: at}}, p)
		require.Equal(t, []ids.ID{closing, opening, pushed}, w.entriesOf(t, reader(i)))
		require.Less(t, pulled.ID, newest.ID)
	}

	// Over again: the homes read without a bound.
	at = w.switched(t, "chris", true)
	for i := range followers {
		p := w.pullOf(t, reader(i))
		require.Equal(t, homePull{"chris", p.Edge, pull{Since: p.Since, At: at}}, p)
	}
	// The graph alone makes an edge, and the next switch finds it.
	_, _, err = w.follows.Follow(t.Context(), followEdge("late", "chris"))
	require.NoError(t, err)
	at = w.setPulled(t, "chris", true)
	require.Equal(t, feed.Attempt{Owner: "chris", ID: at, Switch: true, Entries: followers + 1, Done: true}, deliver())
	require.Equal(t, at, w.pullOf(t, "late").At)
}

func TestADamagedRowDoesNotHideWhatIsBelowIt(t *testing.T) {
	t.Parallel()
	var corrupt reported
	w := newWorld(t, &feed.Options{Consistent: true, OnCorrupt: corrupt.add})
	w.followedBy(t, "chris", 1)
	w.switched(t, "chris", true)
	w.switched(t, "chris", false)
	require.Equal(t, ids.ID(1), w.pullOf(t, reader(0)).Until, "the outbox is empty")
	w.switched(t, "chris", true)
	a := w.publish(t, "chris", 1)[0]
	w.put(t, []row{{PK: "O#chris", SK: "5-damaged"}, {PK: "O#chris", SK: "6"}})
	w.setPulled(t, "chris", false)
	require.Equal(t, 1, w.deliver(t))
	require.Equal(t, a.ID+1, w.pullOf(t, reader(0)).Until)
	require.Contains(t, corrupt.take(), "O#chris / 6")
}

// The process is killed at each write of a switch in turn, and another finishes.
func TestAKilledSwitchIsFinishedByAnother(t *testing.T) {
	t.Parallel()
	const followers = 5
	kills := map[string]func(*faults.Injector, int){
		"applied":     (*faults.Injector).KillAt,
		"not applied": (*faults.Injector).KillBefore,
	}
	for name, kill := range kills {
		for _, pulled := range []bool{true, false} {
			if !faults.Full() && (pulled || name == "applied") {
				continue
			}
			t.Run(fmt.Sprint(name, ", pulled ", pulled), func(t *testing.T) {
				t.Parallel()
				w, last := newWorld(t, nil), 0
				for k, killed := faults.Size(1, 8), true; killed; k += faults.Size(1, 7) {
					star := fmt.Sprint("star ", name, pulled, k)
					w.followedBy(t, star, followers)
					if !pulled {
						w.switched(t, star, true)
					}
					a, _, err := w.process(t, nil).Outbox(star).Publish(t.Context(), activity(star, k))
					require.NoError(t, err)
					in := faults.New(t, uint64(k), faults.Rates{})
					kill(in, k)
					first := w.process(t, nil, in.Wrap).paged(t, &feed.Options{Parallel: 1})
					_, err = first.Outbox(star).SetPulled(t.Context(), pulled)
					if err == nil {
						_, err = first.Deliver(t.Context())
					}
					if killed = err != nil; killed {
						require.ErrorIs(t, err, faults.ErrKilled)
						last = k
					}
					at := w.switched(t, star, pulled)
					until := ids.ID(0)
					if !pulled {
						until = a.ID + 1
					}
					for i := range followers {
						mine := slices.DeleteFunc(w.pullsOf(t, reader(i)), func(p homePull) bool { return p.Source != star })
						require.Len(t, mine, 1, "after a kill at write %d", k)
						require.Equal(t, until, mine[0].Until, "after a kill at write %d", k)
						require.LessOrEqual(t, mine[0].At, at)
					}
				}
				require.Greater(t, last, faults.Size(11, 7), "shards, begin, claim, 5 homes, 2 checkpoints, mode, end")
			})
		}
	}
}

func TestAnOvertakenSwitchDoesNoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.followedBy(t, "chris", 3)
	over := w.setPulled(t, "chris", true)
	back := w.setPulled(t, "chris", false)
	var mu sync.Mutex
	deliveries := map[ids.ID]feed.Attempt{}
	worker := w.process(t, &feed.Options{OnAttempt: func(d feed.Attempt) {
		mu.Lock()
		defer mu.Unlock()
		deliveries[d.ID] = d
	}})
	require.Equal(t, 1, worker.deliver(t))
	require.Equal(t, map[ids.ID]feed.Attempt{
		over: {Owner: "chris", ID: over, Switch: true},
		back: {Owner: "chris", ID: back, Switch: true, Done: true},
	}, deliveries)
	require.Empty(t, w.jobs(t))
	require.Equal(t, sourceMode{feed.Pushed, back}, w.storedMode(t, "chris"))
	for i := range 3 {
		require.Empty(t, w.pullsOf(t, reader(i)))
	}

	// And while it is under way: it stops at its next page.
	w.setPulled(t, "chris", true)
	later := w.later(t)
	walks := 0
	slow := w.over(t, watchedGraph{pagedGraph{w.follows}, func(string) error {
		if walks++; walks == 1 {
			w.setPulled(t, "chris", false)
			deliverAll(t, later)
		}
		return nil
	}}, nil)
	require.Zero(t, slow.deliver(t))
	require.Equal(t, 1, walks)
	require.Equal(t, feed.Pushed, w.storedMode(t, "chris").Mode)
	require.Empty(t, w.jobs(t))
}

func TestAHomeThatCannotKnowKeepsASwitchOpen(t *testing.T) {
	t.Parallel()
	followers := faults.Size(7, 5)
	for name, tc := range faults.Sample(2, map[string]struct {
		spoil func(w world, reader string)
		want  error
	}{
		"full": {func(w world, reader string) { w.crowd(t, reader, 500) }, feed.ErrTooManyPulled},
		"damaged": {func(w world, reader string) {
			w.put(t, []row{{PK: "H#" + reader, SK: "~"}})
			w.damage(t, "H#"+reader, "~", dynamo.Item{"floor": text("x")})
		}, plaza.ErrCorrupt},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.followedBy(t, "chris", followers)
			tc.spoil(w, reader(3))
			at := w.setPulled(t, "chris", true)
			var clock clock
			var deliveries []feed.Attempt
			meter := dynamotest.NewMeter()
			worker := w.process(t, nil, meter.Wrap).paged(t, &feed.Options{Now: clock.now, Parallel: 1, OnAttempt: func(d feed.Attempt) { deliveries = append(deliveries, d) }})
			for attempt := range faults.Size(3, 2) {
				meter.Take()
				deliveries = nil
				delivered, err := worker.Deliver(t.Context())
				require.ErrorIs(t, err, tc.want)
				require.Zero(t, delivered)
				require.Len(t, deliveries, 1)
				require.ErrorIs(t, deliveries[0].Err, tc.want)
				require.False(t, deliveries[0].Done)
				if attempt == 0 {
					require.Equal(t, followers-1, deliveries[0].Entries)
				} else {
					require.LessOrEqual(t, meter.Take().Write, 6.0, "it goes on to no further page")
				}
				require.Equal(t, sourceMode{feed.Opening, at}, w.storedMode(t, "chris"))
				for i := range followers {
					if i != 3 {
						require.Equal(t, at, w.pullOf(t, reader(i)).At, "the others know")
					}
				}
				_, err = worker.Deliver(t.Context())
				require.NoError(t, err, "it is left alone for a while")
				clock.advance(time.Minute)
			}
			a := w.publish(t, "chris", 1)[0].ID
			require.Equal(t, []ids.ID{a}, w.entriesOf(t, reader(0)), "deliveries reach all")
			require.Equal(t, []ids.ID{a}, w.entriesOf(t, reader(3)))

			w.expire(t, "H#"+reader(3), "~")
			require.Equal(t, 1, worker.deliver(t))
			require.Equal(t, sourceMode{feed.Pulled, at}, w.storedMode(t, "chris"))
			require.Equal(t, at, w.pullOf(t, reader(3)).At)
		})
	}
}

func TestASwitchCostsARequestAFollower(t *testing.T) {
	t.Parallel()
	n := faults.Size(1_100, 4)
	meter := dynamotest.NewMeter()
	w := newWorld(t, &feed.Options{}, meter.Wrap)
	w.imported(t, "star-0123456789a", n)
	star := w.Outbox("star-0123456789a")
	_, _, err := star.Publish(t.Context(), kilobyte(1))
	require.NoError(t, err)
	deliverAll(t, w.later(t))
	set := func(pulled bool) func() {
		return func() {
			changed, err := star.SetPulled(t.Context(), pulled)
			require.NoError(t, err)
			require.True(t, changed)
		}
	}
	deliver := func() { require.Equal(t, 1, w.deliver(t)) }
	stated, f := costs(t), float64(n)
	begins := stated.Of("Outbox.SetPulled", "a switch")
	cost := stated.Of("Repository.Deliver", "a switch", "the claim and the end of a job", "nothing to do").
		Plus(stated.Times(f, "Repository.Deliver", "each follower, of a switch")).
		Plus(stated.Times(f/1_000+1, "Repository.Deliver", "each 1,000 followers, of a switch"))
	meter.AtMost(t, "begin over", begins, set(true))
	meter.AtMost(t, "over", cost, deliver)
	meter.AtMost(t, "mode", stated.Of("Outbox.Mode"), func() {
		_, err := star.Mode(t.Context())
		require.NoError(t, err)
	})
	fresh := w.process(t, nil, meter.Wrap)
	fresh.send(t, "somebody else", activity("x", 1))
	publishes := stated.Of("Outbox.Publish", "by a Pulled owner with no To").Plus(stated.Of("Repository.Deliver", "the followers of a Pulled source"))
	meter.AtMost(t, "publish", publishes, func() {
		fresh.send(t, "star-0123456789a", kilobyte(2))
	})
	meter.AtMost(t, "begin back", begins, set(false))
	meter.AtMost(t, "back", cost, deliver)
	set(true)()
	meter.AtMost(t, "over again", cost.Plus(stated.Times(f, "Repository.Deliver", "each home that already reads the outbox")), deliver)
	set(false)()
	deliver()
	meter.AtMost(t, "begin nothing", stated.Of("Outbox.SetPulled", "nothing to do"), func() {
		changed, err := star.SetPulled(t.Context(), false)
		require.NoError(t, err)
		require.False(t, changed)
	})
	another := w.process(t, nil, meter.Wrap)
	meter.AtMost(t, "a process's first", begins.Plus(stated.Of("Outbox.SetPulled", "a process's first")), func() {
		another.setPulled(t, "other-0123456789", true)
	})
}
