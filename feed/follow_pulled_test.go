package feed_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestAFollowOfAPulledSourceAddsAPull(t *testing.T) {
	t.Parallel()
	for _, mode := range []feed.Mode{feed.Opening, feed.Pulled} {
		for limit, none := range map[int]bool{0: false, 7: false, -1: true} {
			if !faults.Full() && (limit == 0 || (limit == 7) != (mode == feed.Opening)) {
				continue
			}
			t.Run(fmt.Sprint(mode, limit), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				shown := newestFirst(w.publish(t, "chris", 3))
				if none {
					shown = nil
				}
				w.switchTo(t, "chris", mode)
				for _, first := range []bool{true, false} {
					created, err := w.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{CopyLimit: limit})
					require.NoError(t, err)
					require.Equal(t, first, created)
					edge := w.edge(t, "jack", "chris")
					want := pull{At: w.storedMode(t, "chris").At}
					if none {
						want.Since = edge
					}
					require.Equal(t, map[ids.ID]pull{edge: want}, pulls(t, w, "jack", "chris"))
					require.Empty(t, w.entriesOf(t, "jack"), "instead of copies")
					require.Equal(t, shown, all(t, w.Home("jack").List, 2))
				}
			})
		}
	}
}

func TestAFollowOfAClosingSourceCopies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.publish(t, "chris", 3)
	w.switchTo(t, "chris", feed.Pulled)
	for _, mode := range []feed.Mode{feed.Closing, feed.Pushed} {
		w.switchTo(t, "chris", feed.Pulled)
		w.switchTo(t, "chris", mode)
		w.subscribe(t, string(mode), "chris")
		require.Empty(t, pulls(t, w, string(mode), "chris"))
		require.Len(t, w.entriesOf(t, string(mode)), 3)
	}
}

// The switch writes the pull before the follow does, with a later since.
func TestAFollowThatASwitchOvertookCopies(t *testing.T) {
	t.Parallel()
	for limit, copies := range map[int]int{0: 2, -1: 0} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.publish(t, "chris", 2)
			following := w.before(t, func() { w.switchTo(t, "chris", feed.Pulled) }, "BatchGetItem", "O#chris")
			created, err := following.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{CopyLimit: limit})
			require.NoError(t, err)
			require.True(t, created)
			edge := w.edge(t, "jack", "chris")
			require.Equal(t, map[ids.ID]pull{
				edge: {Since: ids.At(edge.Time().Add(-24 * time.Hour)), At: w.storedMode(t, "chris").At},
			}, pulls(t, w, "jack", "chris"))
			require.Len(t, w.entriesOf(t, "jack"), copies)
		})
	}
}

// The unfollow comes between the follow's edge and its pull.
func TestAnUnfollowDuringAFollowOfAPulledSource(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*feed.UnfollowOptions{"removed": nil, "kept": keep} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.publish(t, "chris", 2)
			w.switchTo(t, "chris", feed.Pulled)
			following := w.before(t, func() {
				w.unfollow(t, "jack", "chris", opts)
			}, "UpdateItem", "pull#")
			following.subscribe(t, "jack", "chris")
			requireNotFollowing(t, w, "jack", "chris")
			for _, p := range pulls(t, w, "jack", "chris") {
				require.True(t, name == "kept" && p.Kept && p.Until == 1)
			}
			require.Empty(t, all(t, w.Home("jack").List, 10))
		})
	}
}

// crowd makes a home read n outboxes, those of "source-000" and so on.
func (w world) crowd(t testing.TB, reader string, n int) {
	t.Helper()
	attributes := map[string]any{}
	edge := ids.At(time.Now().Add(-time.Hour))
	for i := range n {
		attributes[feed.PullName(edge+ids.ID(i), fmt.Sprintf("source-%03d", i))] = pull{At: edge}
	}
	if n >= 500 {
		attributes["crowded"] = true
	}
	w.setAttributes(t, reader, attributes)
}

func TestAFollowIsErrTooManyPulledOnceAHomeReads500Outboxes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.crowd(t, "jack", 499)
	for _, source := range []string{"ann", "bob", "chris"} {
		w.switchTo(t, source, feed.Pulled)
	}
	jack := w.Home("jack")
	w.subscribe(t, "jack", "ann") // the 500th
	w.subscribe(t, "jack", "ann")
	for range 2 {
		created, err := jack.Follow(t.Context(), "bob", nil)
		require.ErrorIs(t, err, feed.ErrTooManyPulled)
		require.ErrorIs(t, err, plaza.ErrBusy)
		require.False(t, created)
		requireNotFollowing(t, w, "jack", "bob")
		require.Empty(t, pulls(t, w, "jack", "bob"))
	}
	_, _, err := w.follows.Follow(t.Context(), followEdge("jack", "chris"))
	require.NoError(t, err)
	created, err := jack.Follow(t.Context(), "chris", nil)
	require.ErrorIs(t, err, feed.ErrTooManyPulled)
	require.False(t, created)
	edge := w.edge(t, "jack", "chris")

	many, err := w.process(t, &feed.Options{Parallel: 1}).Home("jack").FollowMany(t.Context(), []string{"bob", "dora", "eve"}, nil)
	require.ErrorIs(t, err, feed.ErrTooManyPulled)
	require.ErrorIs(t, many[0].Err, feed.ErrTooManyPulled)
	require.Equal(t, []plaza.Result[string]{{Value: "dora", Changed: true}, {Value: "eve", Changed: true}}, many[1:], "pushed ones need no room")
	requireNotFollowing(t, w, "jack", "bob")

	// A switch meets the full home, and the source stays Opening.
	w.subscribe(t, "reader-0", "dora")
	w.setPulled(t, "dora", true)
	_, err = w.Deliver(t.Context())
	require.ErrorIs(t, err, feed.ErrTooManyPulled)
	require.Len(t, pulls(t, w, "reader-0", "dora"), 1)
	require.Equal(t, feed.Opening, w.mode(t, "dora"))

	for i, follow := range []string{"chris", "dora", "bob"} {
		_, err = jack.Follow(t.Context(), "bob", nil)
		require.ErrorIs(t, err, feed.ErrTooManyPulled)
		_, err = jack.Unfollow(t.Context(), fmt.Sprintf("source-%03d", i), nil)
		require.NoError(t, err)
		w.subscribe(t, "jack", follow)
		require.Len(t, pulls(t, w, "jack", follow), 1)
	}
	require.Equal(t, edge, w.edge(t, "jack", "chris"))
	deliverAll(t, w.later(t))
	require.Equal(t, feed.Pulled, w.mode(t, "dora"))
}

// The edge is from before its source was to be pulled; the repeat is late.
func TestARefusedRepeatLeavesAnEdgeFromBeforeTheSwitch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	opts := func() *feed.FollowOptions {
		return &feed.FollowOptions{ID: w.mint(t)}
	}
	before := opts()
	created, err := w.Home("jack").Follow(t.Context(), "chris", before)
	require.NoError(t, err)
	require.True(t, created)
	w.crowd(t, "jack", 500)
	for id := ids.ID(0); !id.Time().After(before.ID.Time()); {
		id = opts().ID
	}
	w.switchTo(t, "chris", feed.Opening)
	created, err = w.Home("jack").Follow(t.Context(), "chris", before)
	require.ErrorIs(t, err, feed.ErrTooManyPulled)
	require.True(t, created)
	require.Equal(t, before.ID, w.edge(t, "jack", "chris"))

	w.switchTo(t, "ann", feed.Opening)
	after := opts()
	for !after.ID.Time().After(w.storedMode(t, "ann").At.Time()) {
		after = opts()
	}
	_, err = w.Home("jack").Follow(t.Context(), "ann", after)
	require.ErrorIs(t, err, feed.ErrTooManyPulled)
	requireNotFollowing(t, w, "jack", "ann")
	_, err = w.Home("jack").Follow(t.Context(), "ann", after)
	require.ErrorIs(t, err, plaza.ErrRemoved)
}

// Neither the pulls of kept edges nor those that a switch has bounded before
// anything count.
func TestPullsWithoutARangeDoNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.switchTo(t, "chris", feed.Pulled)
	now := ids.At(time.Now())
	attributes := map[string]any{}
	for i := range ids.ID(600) {
		attributes[feed.PullName(now+i, fmt.Sprintf("source-%03d", i))] = []pull{
			{Until: 1, Kept: true, At: now}, {Since: now, Until: now, At: now}, {Until: ids.At(time.Now().Add(-91 * 24 * time.Hour)), At: now},
		}[i%3]
	}
	attributes["crowded"] = true // they counted once
	putAttributes(t, w, attributes)
	w.subscribe(t, "jack", "chris")
	require.Len(t, pulls(t, w, "jack", "chris"), 1)
	require.NotContains(t, headerItem(t, w, "jack"), "crowded")
}

// A call that ends at any of its requests is completed by a repeat.
func TestACallOnAPulledSourceThatEndsAnywhereIsCompletedByARepeat(t *testing.T) {
	t.Parallel()
	for _, mode := range faults.Some(1, feed.Pulled, feed.Pushed, feed.Opening) {
		for name, call := range map[string]func(context.Context, feed.Home, ids.ID) error{
			"follow": func(ctx context.Context, home feed.Home, id ids.ID) error {
				_, err := home.Follow(ctx, "chris", &feed.FollowOptions{ID: id})
				return err
			},
			"follow many": func(ctx context.Context, home feed.Home, _ ids.ID) error {
				_, err := home.FollowMany(ctx, []string{"ann", "chris"}, nil)
				return err
			},
			"unfollow": func(ctx context.Context, home feed.Home, _ ids.ID) error {
				_, err := home.Unfollow(ctx, "ann", nil)
				return err
			},
			"keep": func(ctx context.Context, home feed.Home, _ ids.ID) error {
				_, err := home.Unfollow(ctx, "ann", keep)
				return err
			},
		} {
			t.Run(fmt.Sprint(mode, " ", name), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				anns, done := []feed.Activity{}, []feed.Activity{}
				publish := func() {
					anns = append(anns, w.publish(t, "ann", 1)...)
					done = append(append(done, anns[len(anns)-1]), w.publish(t, "chris", 1)...)
				}
				publish()
				for _, source := range []string{"ann", "chris"} {
					if mode != feed.Pushed {
						w.switchTo(t, source, mode)
					}
				}
				for _, kind := range faults.Some(1, faults.KilledAfter, faults.KilledBefore, faults.None) {
					for at, more := faults.Size(1, 2), true; more; at++ {
						reader := fmt.Sprint("reader-", kind, at)
						w.subscribe(t, reader, "ann")
						ctx, cancel := context.WithCancel(t.Context())
						defer cancel()
						injector := faults.New(t, 1, faults.Rates{})
						more = false
						injector.Script(func(_ string, _ []byte, n int) faults.Fault {
							if n != at {
								return faults.Fault{}
							}
							more = true
							if kind == faults.None {
								cancel()
							}
							return faults.Fault{Kind: kind}
						})
						id := w.mint(t)
						err := call(ctx, w.process(t, nil, injector.Wrap).Home(reader), id)
						require.Equal(t, more, err != nil, "request %d", at)
						if kind == faults.None && more {
							require.ErrorIs(t, err, context.Canceled, "request %d", at)
						}
						require.NoError(t, call(t.Context(), w.Home(reader), id))
						kept := slices.Clone(anns)
						publish()
						want := map[string][]feed.Activity{"follow": done, "follow many": done, "keep": kept}
						require.Equal(t, newestFirst(want[name]), all(t, w.Home(reader).List, faults.Size(1, 3)))
						if !faults.Full() {
							break
						}
					}
				}
			})
		}
	}
}

func TestCallsOnPulledSourcesCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &feed.Options{}, meter.Wrap)
	const source, reader = "chris-0123456789", "jack-01234567890"
	for n := range 3 {
		w.send(t, source, kilobyte(n))
	}
	w.switchTo(t, source, feed.Pulled)
	jack := w.Home(reader)
	follow := func() { w.subscribe(t, reader, source) }
	unfollow := func(opts *feed.UnfollowOptions) func() {
		return func() {
			_, err := jack.Unfollow(t.Context(), source, opts)
			require.NoError(t, err)
		}
	}
	stated := costs(t)
	follows, ends := stated.Of("Home.Follow", "of a Pulled source"), stated.Of("Home.Unfollow", "unfollow")
	kept := stated.Of("Home.Unfollow", "KeepHistory where the home reads the outbox", "KeepHistory, each 4 KB of the outbox's newest activity")
	meter.AtMost(t, "follow", follows, follow)
	meter.AtMost(t, "repeated follow", follows.Plus(stated.Of("Home.Follow", "the edge stood, or has an ID of the caller's")), follow)
	meter.AtMost(t, "unfollow", ends, unfollow(nil))
	follow()
	meter.AtMost(t, "keep", ends.Plus(kept), unfollow(keep))
	meter.AtMost(t, "repeated keep", stated.Of("Home.Unfollow", "without an edge"), unfollow(keep))
	follow()
	forgets := stated.Of("Home.Unfollow", "the home forgets what has expired, or history that earlier follows kept")
	meter.AtMost(t, "unfollow with older pulls", ends.Plus(forgets), unfollow(nil))
	meter.AtMost(t, "unfollow without an edge", stated.Of("Home.Unfollow", "without an edge"), unfollow(nil))
	meter.AtMost(t, "unfollow by an ID, without an edge", stated.Of("Home.Unfollow", "without an edge, by an ID"), unfollow(&feed.UnfollowOptions{ID: w.mint(t)}))
	w.subscribe(t, reader, "pushed")
	meter.AtMost(t, "keep of a pushed source", ends, func() { w.unfollow(t, reader, "pushed", keep) })

	edge := ids.At(time.Now())
	tells := stated.Of("Repository.Deliver", "each follower, of a switch")
	opens := func(reader string, at ids.ID) func() {
		return func() {
			changed, err := w.Home(reader).OpenPull(t.Context(), source, edge, edge-1, at)
			require.NoError(t, err)
			require.True(t, changed)
		}
	}
	closes := func(reader, source string, edge, at ids.ID) func() {
		return func() {
			changed, err := w.Home(reader).ClosePull(t.Context(), source, edge, ids.At(time.Now()), at)
			require.NoError(t, err)
			require.True(t, changed)
		}
	}
	meter.AtMost(t, "open", tells, opens("ann", edge))
	meter.AtMost(t, "open again", tells.Plus(stated.Of("Repository.Deliver", "each home that already reads the outbox")), opens("ann", edge+1))
	meter.AtMost(t, "close", tells, closes("ann", source, edge, edge+2))

	// Each call forgets an old unfollow.
	forget := func() { putAttributes(t, w, map[string]any{"end#a": ending{1, old()}}) }
	forget()
	meter.AtMost(t, "open and forget", tells.Plus(stated.Of("Repository.Deliver", "each home that forgets what has expired", "each home that forgets unfollows", "each unfollow that it forgets")), opens("jack", edge))
	forget()
	meter.AtMost(t, "follow and forget", follows.Plus(stated.Of("Home.Follow", "the home forgets what has expired", "the home forgets unfollows", "each unfollow that it forgets")), func() { w.subscribe(t, "jack", source) })
	forget()
	meter.AtMost(t, "unfollow and forget", ends.Plus(forgets).Plus(stated.Of("Home.Unfollow", "the home forgets unfollows", "each unfollow that it forgets")), func() { w.unfollow(t, "jack", source, nil) })

	const size = 37.0 // of the header, in KB
	w.crowd(t, "jack", 500)
	meter.AtMost(t, "follow without room", follows.Plus(stated.Of("Home.Follow", "the home has no room")).
		Plus(stated.Times(2*size, "Home.Follow", "each KB of the home's header, for each write")).
		Plus(stated.Times(size/4, "Home.Follow", "each further 4 KB of the home's header")), func() {
		_, err := w.Home("jack").Follow(t.Context(), source, nil)
		require.ErrorIs(t, err, feed.ErrTooManyPulled)
	})
	first := slices.Min(slices.Collect(maps.Keys(pulls(t, w, "jack", "source-000"))))
	meter.AtMost(t, "close, of a large header", tells.Plus(stated.Times(size, "Repository.Deliver", "each further KB of a home's header")), closes("jack", "source-000", first, edge))
	meter.AtMost(t, "unfollow, of a large header", stated.Of("Home.Unfollow", "without an edge").Plus(forgets).
		Plus(stated.Times(2*size, "Home.Unfollow", "each further KB of the home's header")), func() { w.unfollow(t, "jack", "source-001", nil) })
}
