package feed_test

import (
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// stage is a world whose chris is switched while others are held.
type stage struct {
	world
	t         *testing.T
	clock     *clock
	published []feed.Activity
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, clock: &clock{}}
	s.world = newWorld(t, nil).timed(t, s.clock, feed.Options{Consistent: true})
	return s
}

// both yields true and false by their names.
func both(yes, no string) iter.Seq2[string, bool] {
	return maps.All(map[string]bool{yes: true, no: false})
}

// other is another process, which stops once before a request for which on is
// true, does something, and goes on. The test fails if it never stops.
func (s *stage) other(on func(string, []byte) bool, do func()) world {
	s.t.Helper()
	return s.timed(s.t, s.clock, feed.Options{Consistent: true}, held(s.t, on, do))
}

// post publishes as chris, by a process that no longer remembers his mode.
func (s *stage) post(n int) {
	s.t.Helper()
	s.clock.advance(31 * time.Second)
	s.postAtOnce(n)
}

func (s *stage) postAtOnce(n int) {
	s.t.Helper()
	s.published = append(s.published, s.publish(s.t, "chris", n)...)
}

// switchTo is a whole switch.
func (s *stage) switchTo(pulled bool) {
	s.t.Helper()
	s.setPulled(s.t, "chris", pulled)
	s.settle(s.t, s.clock)
	s.requireMode(map[bool]feed.Mode{true: feed.Pulled, false: feed.Pushed}[pulled])
}

func (s *stage) requireMode(want feed.Mode) {
	s.t.Helper()
	require.Equal(s.t, want, s.mode(s.t, "chris"))
}

// requireHome compares a home with what was published, in both directions if CI is set.
func (s *stage) requireHome(reader string, want []feed.Activity) {
	s.t.Helper()
	sorted := slices.SortedFunc(slices.Values(want), newer)
	if len(sorted) == 0 {
		require.Empty(s.t, all(s.t, s.Home(reader).List, 5))
		return
	}
	requireSizes(s.t, s.Home(reader).List, owned(sorted), faults.Some(1, 5, 1))
}

func TestAPublisherWithOldKnowledgeLosesNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.subscribe(t, "jack", "chris")
	s.postAtOnce(2) // and remembers that chris is not Pulled
	stale := *s
	stale.world = s.timed(t, s.clock, feed.Options{Consistent: true})
	fresh := stale.world
	stale.world = s.world
	s.world = fresh
	s.setPulled(t, "chris", true)
	s.deliver(t)
	s.requireMode(feed.Pulled)
	before := len(s.entriesOf(t, "jack"))
	stale.postAtOnce(1)
	require.Len(t, s.entriesOf(t, "jack"), before+1, "its knowledge was old")
	s.requireHome("jack", stale.published)
	s.clock.advance(31 * time.Second)
	stale.postAtOnce(1)
	require.Len(t, s.entriesOf(t, "jack"), before+1, "30 s later it reads again")
	s.requireHome("jack", stale.published)

	// What it knows about a Pulled source it reads again for each activity.
	s.setPulled(t, "chris", false)
	stale.postAtOnce(1)
	require.Len(t, s.entriesOf(t, "jack"), before+2)
	s.deliver(t)
	s.requireMode(feed.Pushed)
	stale.postAtOnce(1)
	require.Len(t, s.entriesOf(t, "jack"), before+3)
	s.requireHome("jack", stale.published)
	require.True(t, s.unfollow(t, "jack", "chris", nil))
	s.requireHome("jack", nil)
}

func TestAnIDFromBeforeASwitchIsPublishedAfterIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.subscribe(t, "jack", "chris")
	late := func() (a feed.Activity) {
		a = activity("chris", 100+len(s.published))
		a.ID = s.mint(t)
		return a
	}
	post := func(a feed.Activity) {
		s.clock.advance(31 * time.Second)
		a = s.send(t, "chris", a)
		s.published = append(s.published, a)
		s.requireHome("jack", s.published)
	}
	for range 2 {
		minted := []feed.Activity{late(), late(), late(), late()}
		s.post(1)
		s.setPulled(t, "chris", true)
		post(minted[0])
		s.settle(t, s.clock)
		post(minted[1])
		s.post(1)
		s.setPulled(t, "chris", false)
		post(minted[2])
		s.settle(t, s.clock)
		post(minted[3])
		s.post(1)
	}
	require.True(t, s.unfollow(t, "jack", "chris", nil))
	s.requireHome("jack", nil)
}

// A worker is held before each write of a switch in turn, until others have
// made the next switch, or both.
func TestAWorkerThatWakesAfterTheNextSwitchChangesNothing(t *testing.T) {
	t.Parallel()
	for name, held := range map[string]func(string, []byte) bool{
		"it tells a home": writing(`"H#jack"`, "pull#"),
		"it ends":         writing(`"O#chris"`, "mode"),
		"its job ends":    writing("J#", "chris#switch"),
	} {
		for how, pulled := range both("over", "back") {
			for then, twice := range both("twice", "once") {
				if !faults.Full() && (twice || name == "its job ends" || !pulled && name == "it ends") {
					continue
				}
				t.Run(how+", before "+name+", "+then, func(t *testing.T) {
					t.Parallel()
					s := newStage(t)
					s.subscribe(t, "jack", "chris")
					s.post(2)
					if !pulled {
						s.switchTo(true)
						s.post(1)
					}
					s.setPulled(t, "chris", pulled)
					last := !pulled
					frozen := s.other(held, func() {
						s.post(1)
						s.switchTo(!pulled)
						s.post(1)
						if twice {
							s.switchTo(pulled)
							last = pulled
							s.post(1)
						}
					})
					_, _ = frozen.Deliver(t.Context())
					s.requireMode(map[bool]feed.Mode{true: feed.Pulled, false: feed.Pushed}[last])
					for _, p := range s.pullsOf(t, "jack") {
						require.Equal(t, last, p.Until == 0, "whether the home reads on")
					}
					s.post(1)
					s.requireHome("jack", s.published)
					s.switchTo(!last)
					s.post(1)
					s.requireHome("jack", s.published)
					s.subscribe(t, "sue", "chris") // this follow knows what the others know
					s.requireHome("sue", s.published)
				})
			}
		}
	}
}

// A follow has read the source's header; then the source is switched, once or
// twice.
func TestAFollowWhoseHeaderReadLiesBeforeASwitch(t *testing.T) {
	t.Parallel()
	for how, pulled := range both("over", "back") {
		for times, twice := range both("twice", "once") {
			for which, copies := range both("with copies", "without copies") {
				if pulled && !copies {
					continue // nothing comes after the read
				}
				if !faults.Full() && (twice == pulled || !pulled && copies) {
					continue
				}
				t.Run(how+", "+times+", "+which, func(t *testing.T) {
					t.Parallel()
					s := newStage(t)
					s.post(3)
					old := s.published
					held := reading(`"O#chris"`, "KeyCondition") // the copies
					if !pulled {
						s.switchTo(true)
						held = writing(`"H#jack"`)
					}
					follower := s.other(held, func() {
						s.switchTo(pulled)
						s.post(1)
						if twice {
							s.switchTo(!pulled)
							s.post(1)
						}
					})
					limit := 0
					if !copies {
						limit = -1
					}
					_, err := follower.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{CopyLimit: limit})
					require.NoError(t, err)
					want := func() []feed.Activity {
						if !copies && !twice {
							return s.published[len(old):]
						}
						return s.published // a walk shows what came in the day before the edge
					}
					s.requireHome("jack", want())
					for _, pulled := range faults.Some(1, false, true, false) {
						s.switchTo(pulled)
						s.post(1)
						s.requireHome("jack", want())
					}
					require.True(t, s.unfollow(t, "jack", "chris", nil))
					s.requireHome("jack", nil)
				})
			}
		}
	}
}

// Readers follow and unfollow while a worker goes from one page of followers to
// the next.
func TestFollowsAndUnfollowsInTheMidstOfASwitch(t *testing.T) {
	t.Parallel()
	for how, pulled := range both("over", "back") {
		if !pulled && !faults.Full() {
			continue
		}
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			for i := range 7 {
				s.subscribe(t, reader(i), "chris")
			}
			s.post(2)
			if !pulled {
				s.switchTo(true)
				s.post(1)
			}
			kept := map[string][]feed.Activity{}
			s.setPulled(t, "chris", pulled)
			worker := s.other(writing("J#", "cursor"), func() { // the first checkpoint
				s.post(1)
				for i := range 7 {
					name := reader(i)
					switch i % 4 {
					case 0:
						require.True(t, s.unfollow(t, name, "chris", nil))
						kept[name] = nil
					case 1:
						require.True(t, s.unfollow(t, name, "chris", keep))
						kept[name] = slices.Clone(s.published)
					case 2:
						require.True(t, s.unfollow(t, name, "chris", &feed.UnfollowOptions{KeepHistory: i%8 == 2}))
						s.subscribe(t, name, "chris")
					}
				}
				for i := range 4 {
					s.subscribe(t, reader(10+i), "chris")
				}
				s.post(1)
			})
			worker.paged(t, &feed.Options{Consistent: true, Now: s.clock.now}).deliver(t)
			for range faults.Size(3, 1) {
				s.settle(t, s.clock)
				s.post(1)
				for _, i := range []int{0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13} {
					want, ended := kept[reader(i)]
					if !ended {
						want = s.published
					}
					require.Equal(t, newestFirst(want), all(t, s.Home(reader(i)).List, faults.Size(3, 10)), reader(i))
				}
				pulled = !pulled
				s.setPulled(t, "chris", pulled)
			}
		})
	}
}

// Every read of the source's outbox that may be eventually consistent finds it
// empty.
func TestSwitchesAndFollowsTrustNoReplicaThatLags(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	injector := faults.New(t, 1, faults.Rates{})
	injector.Script(func(op string, body []byte, _ int) faults.Fault {
		if reading(`"O#chris"`)(op, body) && !has(body, `"ConsistentRead":true`) {
			return faults.Fault{Kind: faults.Stale}
		}
		return faults.Fault{}
	})
	lagging := s.timed(t, s.clock, feed.Options{}, injector.Wrap)
	follows := func(reader string) {
		_, err := lagging.Home(reader).Follow(t.Context(), "chris", nil)
		require.NoError(t, err)
	}
	follows("jack")
	for _, pulled := range []bool{true, false, true} {
		s.post(2)
		lagging.setPulled(t, "chris", pulled)
		lagging.deliver(t)
		s.requireMode(map[bool]feed.Mode{true: feed.Pulled, false: feed.Pushed}[pulled])
		a := lagging.send(t, "chris", activity("chris", 3))
		require.Equal(t, !pulled, slices.Contains(s.entriesOf(t, "jack"), a.ID), "whether it is delivered")
		s.published = append(s.published, a)
		s.requireHome("jack", s.published)
	}
	s.post(1)
	follows("sue")
	lagging.unfollow(t, "jack", "chris", keep)
	kept := slices.Clone(s.published)
	s.requireHome("jack", kept)
	s.requireHome("sue", kept)
	s.post(1)
	s.requireHome("jack", kept)
	s.requireHome("sue", s.published)
}

// A home reads two ranges of an outbox, and nothing between them.
func TestAFollowAfterAKeptOneLeavesAGap(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.switchTo(true)
	s.subscribe(t, "jack", "chris")
	s.post(2)
	require.True(t, s.unfollow(t, "jack", "chris", keep))
	want := slices.Clone(s.published)
	s.post(2)
	_, err := s.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{CopyLimit: -1})
	require.NoError(t, err)
	gap := len(s.published)
	for _, pulled := range []bool{true, false, true} {
		s.switchTo(pulled)
		s.post(1)
		s.requireHome("jack", append(slices.Clone(want), s.published[gap:]...))
	}
	require.True(t, s.unfollow(t, "jack", "chris", nil))
	s.requireHome("jack", nil)
}
