package notify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

// A Notify gets no answer. Its request is applied late, when the user's marks cover its
// id. Another process repeats it.
func TestARepeatMovesWhatItsUserWasNotShown(t *testing.T) {
	t.Parallel()
	const late = notify.Window/4 + time.Millisecond
	nothing := func(world, notify.In, notify.Notification) {}
	repeat := func(times int) func(world, notify.In, notify.Notification) {
		return func(w world, _ notify.In, n notify.Notification) {
			for range times {
				w.pass(late)
				require.Equal(t, isStored, w.process(t, nil).outcome(t, n))
			}
		}
	}
	for name, c := range map[string]struct {
		arrives time.Duration
		between func(w world, to notify.In, n notify.Notification) // the arrival and the repeat
		moves   bool
	}{
		"late":         {late, nothing, true},
		"in time":      {late - time.Millisecond, nothing, false},
		"long ago":     {15*time.Minute + time.Millisecond, nothing, false},
		"not long ago": {15 * time.Minute, nothing, true},
		"named by a mark": {late, func(w world, _ notify.In, _ notify.Notification) {
			w.seen(t, "bob")
			w.pass(time.Minute)
		}, false},
		"below a watermark": {time.Minute, func(w world, _ notify.In, _ notify.Notification) { w.seen(t, "bob") }, true},
		"read": {time.Minute, func(w world, to notify.In, _ notify.Notification) {
			require.NoError(t, errOf(w.MarkRead(t.Context(), "bob", shown(w.entry(t, to)))))
		}, false},
		"archived": {time.Minute, func(w world, to notify.In, _ notify.Notification) {
			does(t)(w.Archive(t.Context(), to))
		}, false},
		"below another event": {time.Minute, func(w world, to notify.In, _ notify.Notification) { w.put(t, to) }, true},
		"moved":               {time.Minute, repeat(1), false},
		"moved, and late":     {time.Minute, func(w world, to notify.In, n notify.Notification) { repeat(2)(w, to, n); w.pass(late) }, true},
		"moved long ago": {time.Minute, func(w world, to notify.In, n notify.Notification) {
			repeat(1)(w, to, n)
			w.pass(14 * time.Minute)
		}, false},
		"moved three times": {time.Minute, func(w world, to notify.In, n notify.Notification) { repeat(3)(w, to, n); w.pass(late) }, false},
	} {
		for _, actor := range []string{"chris", "ann"} { // by an update, and by a put
			w := newWorld(t, nil)
			w.store(t, w.like("ann"))
			requests := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "PutItem" || op == "UpdateItem" && actor != "ann" }}
			n := w.like(actor)
			_, _, err := w.process(t, nil, requests.Wrap).Notify(t.Context(), n)
			require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
			w.pass(c.arrives)
			require.NoError(t, errOf(w.MarkSeen(t.Context(), "bob", notify.View{At: ids.At(w.Now()), Newest: w.id()})))
			require.Equal(t, 1, requests.Arrive(t))
			before := w.group(t)
			c.between(w, notify.In{User: "bob", Group: before.SK[2:]}, n)
			before = w.group(t)
			require.Equal(t, isStored, w.process(t, nil).outcome(t, n))
			after := w.group(t)
			require.Equal(t, c.moves, after.Last > before.Last, name)
			require.Equal(t, before.N, after.N)
			if c.moves {
				require.Equal(t, 1, w.unseen(t, "bob"), name)
				require.Equal(t, isStored, w.process(t, nil).outcome(t, n))
				require.Equal(t, after, w.group(t), "it is in time")
			}
			require.True(t, w.retract(t, n))
			if after.N == 2 {
				require.Less(t, w.group(t).PlaceID(), n.Activity.ID, "it goes where it was before")
			}
		}
	}
}

// The answer comes so late that a mark may cover the write.
func TestAFullGroupThatRisesLateRisesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := w.like("ann")
	w.store(t, n)
	w.fill(t, n, group.Cap, filler)
	slow := &slowdown{clock: w.clock}
	slow.after = []func(){func() {}, func() { w.pass(notify.Window/4 + time.Millisecond) }} // the update is refused
	p := w.process(t, nil, slow.wrap)
	require.Equal(t, isFull, p.outcome(t, w.like("chris")))
	require.Zero(t, w.Now().Sub(w.group(t).PlaceID().Time()))
}

// The caller gives up when the next request was refused for now.
func TestALostAnswerIsNotForgotten(t *testing.T) {
	t.Parallel()
	for _, first := range []faults.Kind{faults.LostAfter, faults.None} { // the latter is answered late
		w := newWorld(t, nil)
		ctx, giveUp := context.WithCancel(t.Context())
		inject := faults.New(t, 1, faults.Rates{})
		inject.Script(func(_ string, _ []byte, n int) faults.Fault {
			if n == 1 {
				w.pass(time.Minute)
				return faults.Fault{Kind: first}
			}
			giveUp()
			return faults.Fault{Kind: faults.Throttled}
		})
		_, _, err := w.process(t, nil, inject.Wrap).Notify(ctx, w.like("ann"))
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
		require.EqualValues(t, 1, w.group(t).N)
	}
}

// A write is applied twice, or its answer is lost and it is sent again.
func TestAWriteSentTwiceReportsItsChange(t *testing.T) {
	t.Parallel()
	for _, kind := range []faults.Kind{faults.Twice, faults.LostAfter} {
		in, writes := faults.New(t, 1, faults.Rates{}), 0
		in.Script(func(op string, _ []byte, _ int) faults.Fault {
			if op != "UpdateItem" && op != "PutItem" {
				return faults.Fault{}
			}
			if writes++; kind == faults.LostAfter && writes%2 == 0 {
				return faults.Fault{}
			}
			return faults.Fault{Kind: kind}
		})
		w := newAudience(t, 0).process(t, nil, in.Wrap)
		w.watchers(t, w.answer("zoe"))
		for _, by := range []notify.CountBy{notify.ByActivity, notify.ByActor} {
			first, second := w.like("ann"), w.like("ann")
			first.CountBy, second.CountBy = by, by
			w.store(t, first, second) // by an update, and by a put
			require.Equal(t, w.group(t).Last, w.group(t).PlaceID())
			require.True(t, w.retract(t, second))
			require.False(t, w.retract(t, w.like("ann")), "it never came")
			if by == notify.ByActor {
				w.store(t, w.like("chris")) // the second was all of the first's actor
			}
			emptied, err := w.RetractTarget(t.Context(), "bob", first.Activity.Object)
			require.NoError(t, err)
			require.Equal(t, 1, emptied)
		}
	}
}

// A process remembers what it stored.
func TestARepeatByTheSameProcessMovesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := w.like("ann")
	w.store(t, n)
	before := w.group(t)
	w.pass(time.Minute)
	require.Equal(t, isStored, w.outcome(t, n))
	require.Equal(t, before, w.group(t))
	require.Equal(t, isStored, w.process(t, nil).outcome(t, n))
	require.Greater(t, w.group(t).Last, before.Last)
}

// Requests are lost, or held back and arrive after any time or never. Clocks differ by up
// to ten seconds. Lists and marks come between. If a Notify that got no answer is repeated
// within 15 minutes, until it has one, its entry is seen only if a mark's view had it.
func TestARepeatedNotifyIsUnseenUnlessItWasShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for seed := range faults.Seeds(60) {
		(&repeats{world: w, random: rand.New(rand.NewPCG(seed, 2)), user: fmt.Sprint("user ", seed)}).run(t)
	}
}

// repeats are calls of one user's Notify that others interrupt.
type repeats struct {
	world
	random *rand.Rand
	user   string
	calls  []*call
	views  []viewed
}

// call is a Notify that is repeated until it has an answer.
type call struct {
	event    notify.Notification
	began    time.Time
	late     []*faults.Late // requests that may arrive
	lost     int
	answered bool
	shown    bool // by a list whose view was marked
}

// viewed is a list, and the events that it showed.
type viewed struct {
	notify.View
	events []*call
}

func (r *repeats) run(t *testing.T) {
	t.Helper()
	reads := r.skewed(t, -5*time.Second+r.upTo(10*time.Second), nil)
	for range 60 {
		switch r.random.IntN(7) {
		case 0, 1:
			r.notify(t)
		case 6:
			if n := len(r.calls); n > 0 { // one that is shown or not: what is left of its group must not be hidden
				i := r.random.IntN(n)
				r.retract(t, r.calls[i].event)
				r.calls = slices.Delete(r.calls, i, i+1)
			}
		case 2:
			for _, c := range r.calls {
				if len(c.late) > 0 && r.random.IntN(4) == 0 {
					c.late[0].Arrive(t)
					c.late = c.late[1:]
				}
			}
		case 3:
			r.pass(r.upTo([]time.Duration{time.Second, 12 * time.Second, 2 * notify.Window}[r.random.IntN(3)]))
			continue
		case 4:
			r.views = append(r.views, viewed{notify.See(reads.list(t, r.user)), r.listed(t)})
			continue
		default:
			if len(r.views) > 0 {
				v := r.views[r.random.IntN(len(r.views))]
				require.NoError(t, errOf(reads.MarkSeen(t.Context(), r.user, v.View)))
				for _, c := range v.events {
					c.shown = true
				}
			}
		}
		r.check(t)
	}
}

func (r *repeats) upTo(d time.Duration) time.Duration {
	return time.Duration(r.random.Int64N(int64(d)))
}

// notify begins a call, or repeats one that has no answer. Two writes of it at most are lost.
func (r *repeats) notify(t *testing.T) {
	t.Helper()
	var waiting []*call
	for _, c := range r.calls {
		if !c.answered && r.Now().Sub(c.began) < 14*time.Minute {
			waiting = append(waiting, c)
		}
	}
	var c *call
	if len(waiting) > 0 && r.random.IntN(2) == 0 {
		c = waiting[r.random.IntN(len(waiting))]
	} else {
		c = &call{event: r.of(t, in(r.user, r.random.IntN(4))), began: r.Now()}
		r.calls = append(r.calls, c)
	}
	given := c.lost
	late := &faults.Late{Holds: func(op string, _ []byte) bool {
		held := (op == "UpdateItem" || op == "PutItem") && (c.lost > given || c.lost < 2 && r.random.IntN(2) == 0)
		if held {
			c.lost = given + 1
		}
		return held
	}}
	inject := faults.New(t, r.random.Uint64(), faults.Standard)
	p := r.skewed(t, -5*time.Second+r.upTo(10*time.Second), nil, late.Wrap, inject.Wrap)
	_, _, err := p.Notify(t.Context(), c.event)
	c.answered = err == nil
	if c.lost > given {
		c.late = append(c.late, late)
	}
}

// listed are the calls whose events are stored.
func (r *repeats) listed(t *testing.T) (events []*call) {
	t.Helper()
	stored := map[string]bool{}
	for _, item := range r.groupItems(t, r.user) {
		for name := range item {
			stored[name] = true
		}
	}
	for _, c := range r.calls {
		if stored["e"+c.event.Activity.ID.String()] {
			events = append(events, c)
		}
	}
	return events
}

func (r *repeats) check(t *testing.T) {
	t.Helper()
	unseen := map[string]bool{}
	for _, e := range r.list(t, r.user) {
		unseen[e.Group] = !e.Seen
	}
	for _, c := range r.calls {
		about := c.event.Activity.Object.String()
		require.True(t, !c.answered || c.shown || unseen[about+"#like#2026-03-10"], "%s: %v of %s", r.user, c.event.Activity.ID, about)
	}
}
