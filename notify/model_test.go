package notify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// memory is what bob's groups must be, by verb.
type memory map[string]*remembered

type remembered struct {
	events []*event // in the order of their writes
	cut    ids.ID   // all until then were retracted
}

type event struct {
	notify.Notification
	write ids.ID
	off   bool
}

func (e *event) same(n notify.Notification) bool {
	if e.CountBy == notify.ByActor && n.CountBy == notify.ByActor {
		return e.Activity.Actor == n.Activity.Actor
	}
	return e.Activity.ID == n.Activity.ID
}

func (g *remembered) find(n notify.Notification) *event {
	for _, e := range g.events {
		if e.same(n) {
			return e
		}
	}
	if n.Activity.ID <= g.cut {
		return &event{Notification: n, off: true}
	}
	return nil
}

func (g *remembered) put(e *event) {
	g.events = append(slices.DeleteFunc(g.events, func(known *event) bool { return known.same(e.Notification) }), e)
}

func (g *remembered) live() []*event {
	return slices.DeleteFunc(slices.Clone(g.events), func(e *event) bool { return e.off })
}

// outcome is what Notify must answer.
func (g *remembered) outcome(n notify.Notification) (o string, created bool) {
	known := g.find(n)
	switch {
	case known == nil || known.Activity.ID < n.Activity.ID:
		return isStored, true
	case known.off:
		return isDropped, false
	}
	return isStored, false
}

// retracts reports whether Retract writes, and whether the event counted.
func (g *remembered) retracts(n notify.Notification) (writes, counted bool) {
	known := g.find(n)
	writes = known == nil || known.Activity.ID < n.Activity.ID || known.Activity.ID == n.Activity.ID && !known.off
	return writes, known != nil && !known.off
}

// compare compares the table with what it must be.
func (m memory) compare(t require.TestingT, groups []storedGroup) {
	names := map[string]storedGroup{}
	for _, g := range groups {
		if g.Place != "" {
			names[g.SK] = g
		}
	}
	for verb, must := range m {
		name := "G#photo:1#" + verb + "#2026-03-10"
		g, listed := names[name]
		delete(names, name)
		live := must.live()
		slices.Reverse(live)
		var actors []string
		for _, e := range live {
			if len(actors) < 5 && !slices.Contains(actors, e.Activity.Actor.ID) {
				actors = append(actors, e.Activity.Actor.ID)
			}
		}
		require.Equal(t, len(live) > 0, listed, verb)
		if !listed {
			continue
		}
		require.EqualValues(t, len(live), g.N)
		require.Equal(t, len(live), g.live)
		require.Equal(t, fmt.Sprint(actors), "["+g.actors()+"]")
		require.Equal(t, live[0].write, g.PlaceID())
		require.Contains(t, g.Data, live[0].Activity.ID.String())
	}
	require.Empty(t, names)
}

// drawn is a source of choices.
type drawn func(n int) int

// call makes a random call, and changes m as it must change the table. repeat makes
// it again until it is acknowledged; then created and changed may be a repeat's.
func (m memory) call(t require.TestingT, w world, known *[]notify.Notification, draw drawn, repeat func(func() error) (again bool)) {
	ctx := context.Background()
	n := w.like(fmt.Sprint("fan", draw(7)))
	n.Activity.Verb = []string{"like", "share"}[draw(2)]
	n.CountBy = []notify.CountBy{notify.ByActivity, notify.ByActor}[draw(2)]
	*known = append(*known, n)
	if draw(2) == 0 {
		n = (*known)[draw(len(*known))]
	}
	must := m[n.Activity.Verb]
	switch op := draw(12); {
	case op < 7:
		outcome, creates := must.outcome(n)
		var res notify.Result
		var created bool
		again := repeat(func() (err error) { res, created, err = w.Notify(ctx, n); return err })
		require.Equal(t, outcome, outcomeOf(res))
		if !again {
			require.Equal(t, creates, created)
		}
		if creates {
			must.put(&event{Notification: n, write: res.Last})
		}
	case op < 11:
		retracts, counted := must.retracts(n)
		var changed bool
		again := repeat(func() (err error) { changed, err = w.Retract(ctx, n); return err })
		if !again {
			require.Equal(t, retracts && counted, changed)
		}
		if retracts {
			must.put(&event{Notification: n, off: true})
		}
	case draw(4) == 0:
		emptied, want := 0, 0
		again := repeat(func() (err error) {
			emptied, err = w.RetractTarget(ctx, "bob", feed.Ref{Kind: "photo", ID: "1"})
			return err
		})
		for _, g := range m {
			if len(g.live()) > 0 {
				*g = remembered{cut: w.id()}
				want++
			}
		}
		if !again {
			require.Equal(t, want, emptied)
		}
	}
}

// once is a repeat that needs none.
func once(t require.TestingT) func(func() error) bool {
	return func(call func() error) bool {
		require.NoError(t, call())
		return false
	}
}

func TestGroupsAreWhatIsLeftOfTheirEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	processes := []world{w, w.process(t, nil)}
	rapid.Check(t, func(r *rapid.T) {
		require.NoError(r, w.Erase(t.Context(), "bob"))
		m := memory{"like": {}, "share": {}}
		var known []notify.Notification
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "choice") }
		for range draw(40) {
			m.call(r, processes[draw(2)], &known, draw, once(r))
			m.compare(r, w.groups(t, "bob"))
		}
	})
}

// harsh is faults.Standard with other failures that may pass.
var harsh = faults.Rates{LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05, Conflict: 0.05, Stale: 0.20}

func TestNothingIsLostOrDoubledUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, harsh)
			w := newWorld(t, nil, in.Wrap)
			processes := []world{w, w.process(t, nil, in.Wrap)}
			random := rand.New(rand.NewPCG(seed, 1))
			m := memory{"like": {}, "share": {}}
			var known []notify.Notification
			for range 60 {
				m.call(t, processes[random.IntN(2)], &known, random.IntN, func(call func() error) bool {
					return faults.Acknowledged(t, call) > 1
				})
			}
			in.Off()
			m.compare(t, w.groups(t, "bob"))
		})
	}
}

func TestARepeatAfterACrashLeavesTheSame(t *testing.T) {
	t.Parallel()
	for _, kill := range faults.Some(1, (*faults.Injector).KillAt, (*faults.Injector).KillBefore) {
		for name, call := range map[string]func(world, notify.Notification) (bool, error){
			"first": func(w world, n notify.Notification) (bool, error) {
				_, created, err := w.Notify(t.Context(), n)
				return created, err
			},
			"retract": func(w world, n notify.Notification) (bool, error) { return w.Retract(t.Context(), n) },
			"retract target": func(w world, n notify.Notification) (bool, error) {
				k, err := w.RetractTarget(t.Context(), "bob", n.Activity.Object)
				return k > 0, err
			},
		} {
			for k := 1; ; k++ {
				w, whole := newWorld(t, nil), newWorld(t, nil)
				in := faults.New(t, 1, faults.Rates{})
				kill(in, k)
				killed := w.process(t, nil, in.Wrap)
				n := w.like("ann")
				if name != "first" {
					other := w.like("ben")
					other.Activity.Verb = "share"
					w.store(t, n, other)
					whole.store(t, n, other)
				}
				_, err := call(killed, n)
				require.NoError(t, errOf(call(whole, n)))
				if in.Writes() < k {
					require.NoError(t, err)
					break
				}
				require.ErrorIs(t, err, faults.ErrKilled)
				require.NoError(t, errOf(call(w, n)))
				require.Equal(t, shapes(whole.groups(t, "bob")), shapes(w.groups(t, "bob")), "%s, write %d", name, k)
			}
		}
	}
}

// shapes are groups without what differs between tables. They keep how often each was
// written.
func shapes(groups []storedGroup) []storedGroup {
	for i := range groups {
		g := &groups[i]
		g.Last, g.TTL = 0, 0
		if g.Place != "" {
			g.Place = "listed"
		}
	}
	return groups
}

// The SDK sends each write twice, and this call made the change.
func TestAWriteSentTwiceReportsItsChange(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" || op == "PutItem" {
			return faults.Fault{Kind: faults.Twice}
		}
		return faults.Fault{}
	})
	for _, by := range []notify.CountBy{notify.ByActivity, notify.ByActor} {
		first, second := w.like("ann"), w.like("ann")
		first.CountBy, second.CountBy = by, by
		w.store(t, first, second) // by an update, and by a put
		require.Equal(t, w.group(t).Last, w.group(t).PlaceID())
		require.True(t, w.retract(t, second))
		require.False(t, w.retract(t, w.like("ann")), "it never came")
		emptied, err := w.RetractTarget(t.Context(), "bob", first.Activity.Object)
		require.NoError(t, err)
		if by == notify.ByActivity {
			require.Equal(t, 1, emptied)
		}
	}
}

func TestAnImpatientCallerGetsTheFirstAnswerByARepeat(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"UpdateItem", "PutItem"} {
		in := faults.New(t, 1, faults.Rates{})
		w := newWorld(t, nil, in.Wrap)
		w.store(t, w.like("ann"))
		in.Script(func(got string, _ []byte, _ int) faults.Fault {
			if got == op {
				return faults.Fault{Kind: faults.Hung}
			}
			return faults.Fault{}
		})
		n := w.like(map[string]string{"UpdateItem": "chris", "PutItem": "ann"}[op])
		ctx, cancel := context.WithCancel(t.Context())
		var created bool
		answered := make(chan error)
		go func() {
			var err error
			_, created, err = w.Notify(ctx, n)
			answered <- err
		}()
		for w.group(t).N < 2 { // it is applied
			runtime.Gosched()
		}
		cancel()
		err := <-answered
		require.Error(t, err)
		require.False(t, created)
		in.Off()
		g := w.group(t)
		res, created, err := w.Notify(t.Context(), n)
		require.NoError(t, err)
		require.False(t, created)
		require.Equal(t, notify.Result{Group: "photo:1#like#2026-03-10", Last: g.Last}, res)
		require.Equal(t, g, w.group(t))
	}
}
