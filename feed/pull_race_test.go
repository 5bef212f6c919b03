package feed_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// racing is two processes on the same tables, the first of which is shared by
// racing calls.
type racing struct {
	world
	clock    *clock
	injector *faults.Injector
	clean    world
}

func newRacing(t *testing.T, seed uint64) *racing {
	t.Helper()
	r := &racing{clock: &clock{}, injector: faults.New(t, seed, harsh)}
	tables := newWorld(t, nil)
	r.clean = tables.timed(t, r.clock, feed.Options{Consistent: true})
	r.world = tables.timed(t, r.clock, feed.Options{Consistent: true, InlineFollowers: 1}, r.injector.Wrap)
	return r
}

// post publishes until it succeeds, and does not stop at a failure.
func (r *racing) post(t *testing.T, source string, n int) ids.ID {
	t.Helper()
	a := activity(source, n)
	a.ID = r.mint(t)
	return retried(t, func() (feed.Activity, error) { return stored(r.Outbox(source).Publish(t.Context(), a)) }).ID
}

// switchTo begins a switch and makes some of its deliveries.
func (r *racing) switchTo(t *testing.T, source string, pulled bool) {
	t.Helper()
	retried(t, func() (bool, error) { return r.Outbox(source).SetPulled(t.Context(), pulled) })
	retried(t, func() (int, error) { return r.Deliver(t.Context()) })
}

// settled finishes all that waits without faults.
func (r *racing) settled(t *testing.T) {
	t.Helper()
	r.injector.Off()
	r.clock.advance(31 * time.Second) // past what it remembers
	r.clean.settle(t, r.clock)
}

// A reader unfollows and follows again, the source publishes, crosses the limit
// and goes back, all at once. Readers who follow in the end have everything, and
// the others have nothing.
func TestFollowsPublishesAndSwitchesMayRace(t *testing.T) {
	t.Parallel()
	r := newRacing(t, 5)
	for round := range faults.Seeds(50) {
		reader, source := fmt.Sprint("reader-", round), fmt.Sprint("source-", round)
		home := r.Home(reader)
		follow := func() { retried(t, func() (bool, error) { return home.Follow(t.Context(), source, nil) }) }
		r.injector.On()
		if round%3 > 0 {
			follow()
		}
		if round%2 == 1 {
			r.switchTo(t, source, true)
		}
		published := []ids.ID{r.post(t, source, 1)}
		if round%4 < 2 { // otherwise it remembers that the source was not Pulled
			r.clock.advance(31 * time.Second)
		}
		together(
			func() { retried(t, func() (bool, error) { return home.Unfollow(t.Context(), source, nil) }) },
			follow,
			func() {
				for n := range 2 {
					published = append(published, r.post(t, source, 2+n))
				}
			},
			func() { r.switchTo(t, source, true) },
			func() { r.switchTo(t, source, false) },
		)
		check := func(when string) {
			slices.Sort(published)
			slices.Reverse(published)
			_, err := r.clean.follows.Get(t.Context(), followEdge(reader, source))
			var want []ids.ID
			if err == nil {
				want = published
			}
			mode, _ := r.clean.Outbox(source).Mode(t.Context())
			require.Equal(t, want, all(t, r.clean.Home(reader).List, 2), "round %d, %s, following: %t, %s", round, when, err == nil, mode)
		}
		r.settled(t)
		check("at once")
		published = append(published, r.post(t, source, 4))
		r.settled(t)
		check("after another")
		retried(t, func() (bool, error) { return r.Outbox(source).SetPulled(t.Context(), round%2 == 0) })
		published = append(published, r.post(t, source, 5))
		r.settled(t)
		check("after another switch")
	}
	t.Logf("injected: %v", r.injector)
}
