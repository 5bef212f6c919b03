package feed_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// A process is killed before and after its first write, its third and so on: once between
// any two. Another one works off what waits and repeats the calls.
func TestADeadProcessLeavesHomesRight(t *testing.T) {
	if !faults.Full() {
		t.Skip("by default switches and calls are killed in tests of their own")
	}
	t.Parallel()
	kills := map[string]func(*faults.Injector, int){
		"applied":     (*faults.Injector).KillAt,
		"not applied": (*faults.Injector).KillBefore,
	}
	calls := map[string]struct {
		pulled, follows bool // before
		calls           []call
		has             string // jack, in the end: all, none, or the history from when he unfollowed
	}{
		"over":                    {false, true, []call{(*cast).over}, "all"},
		"back":                    {true, true, []call{(*cast).back}, "all"},
		"over again":              {true, true, []call{(*cast).over}, "all"},
		"follow":                  {true, false, []call{(*cast).follow}, "all"},
		"unfollow":                {true, true, []call{(*cast).unfollow}, "none"},
		"keep":                    {true, true, []call{(*cast).keep}, "history"},
		"follow again":            {true, true, []call{(*cast).unfollow, (*cast).follow}, "all"},
		"keep and follow again":   {true, true, []call{(*cast).keep, (*cast).follow}, "all"},
		"follow and unfollow":     {true, false, []call{(*cast).follow, (*cast).unfollow}, "none"},
		"follow and keep, pushed": {false, false, []call{(*cast).follow, (*cast).keep}, "history"},
	}
	for name, tc := range calls {
		for how, kill := range kills {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				tables, clock := newWorld(t, nil), &clock{}
				w := tables.timed(t, clock, feed.Options{Consistent: true})
				for k, killed := 1, true; killed; k += 2 {
					c := &cast{t: t, clock: clock, world: w, jack: fmt.Sprint("jack-", k), chris: fmt.Sprint("chris-", k)}
					for i := range 2 {
						c.subscribe(t, fmt.Sprint(reader(i), "-", k), c.chris)
					}
					if tc.follows {
						c.subscribe(t, c.jack, c.chris)
					}
					if c.post(2); tc.pulled {
						require.NoError(t, c.over(w))
						c.post(1)
					}
					injector := faults.New(t, uint64(k), faults.Rates{})
					kill(injector, k)
					dying := tables.timed(t, clock, feed.Options{Consistent: true}, injector.Wrap)
					for _, call := range tc.calls {
						if err := call(c, dying); err != nil {
							break
						}
					}
					killed = injector.Writes() >= k
					had := c.published
					if tc.has == "all" && tc.follows && len(tc.calls) == 1 {
						require.Equal(t, newestFirst(had), all(t, c.Home(c.jack).List, 2), "write %d, at once", k)
					}
					if k%4 == 1 {
						c.post(1) // before anybody finishes
					}
					w.settle(t, clock)
					for _, call := range tc.calls {
						require.NoError(t, call(c, w))
					}
					may := c.published
					for range 2 {
						c.post(1)
						w.settle(t, clock)
						got := all(t, c.Home(c.jack).List, 2)
						switch tc.has {
						case "all":
							require.Equal(t, newestFirst(c.published), got, "write %d", k)
						case "none":
							require.Empty(t, got, "write %d", k)
						case "history":
							require.Subset(t, newestFirst(may), got, "write %d", k)
							require.Subset(t, got, newestFirst(had), "write %d", k)
						}
						for i := range 2 {
							require.Equal(t, newestFirst(c.published), all(t, c.Home(fmt.Sprint(reader(i), "-", k)).List, 3), "write %d", k)
						}
						c.toggle()
					}
				}
			})
		}
	}
}

// call is made by the process that dies, and then by another.
type call func(c *cast, by world) error

// cast is a source and its readers.
type cast struct {
	world
	t           *testing.T
	clock       *clock
	jack, chris string
	published   []feed.Activity
}

func (c *cast) post(n int) { c.published = append(c.published, c.publish(c.t, c.chris, n)...) }

func (c *cast) over(w world) error { return c.switched(w, true) }
func (c *cast) back(w world) error { return c.switched(w, false) }

func (c *cast) switched(w world, pulled bool) error {
	if _, err := w.Outbox(c.chris).SetPulled(c.t.Context(), pulled); err != nil {
		return err
	}
	_, err := w.Deliver(c.t.Context())
	return err
}

func (c *cast) toggle() {
	mode, err := c.Outbox(c.chris).Mode(c.t.Context())
	require.NoError(c.t, err)
	require.NoError(c.t, c.switched(c.world, mode != feed.Pulled))
	after, err := c.Outbox(c.chris).Mode(c.t.Context())
	require.NoError(c.t, err)
	require.NotEqual(c.t, mode, after)
}

func (c *cast) follow(w world) error {
	_, err := w.Home(c.jack).Follow(c.t.Context(), c.chris, nil)
	return err
}

func (c *cast) unfollow(w world) error {
	_, err := w.Home(c.jack).Unfollow(c.t.Context(), c.chris, nil)
	return err
}

func (c *cast) keep(w world) error {
	_, err := w.Home(c.jack).Unfollow(c.t.Context(), c.chris, &feed.UnfollowOptions{KeepHistory: true})
	return err
}
