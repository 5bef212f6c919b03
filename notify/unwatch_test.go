package notify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

func (w world) unwatch(t testing.TB, n notify.Notification, want bool) {
	t.Helper()
	changed, err := w.RetractWatchers(t.Context(), question, n)
	require.NoError(t, err)
	require.Equal(t, want, changed)
}

// having are the watchers whose list has an entry.
func (a audience) having(t testing.TB, watchers int) (users []string) {
	t.Helper()
	for n := range watchers {
		if len(a.list(t, watcher(n))) > 0 {
			users = append(users, watcher(n))
		}
	}
	return users
}

func TestWhatWatchersGotIsTakenBack(t *testing.T) {
	t.Parallel()
	a := newAudience(t, 5)
	n, other := a.answer("zoe"), a.answer("eve")
	a.watchers(t, n)
	a.deliverAll(t)
	require.Equal(t, watchersTo(5), a.having(t, 5))
	a.unwatch(t, n, true)
	a.unwatch(t, n, false)
	require.Len(t, a.jobs(t), 1)
	_, err := a.follows(t, nil).Unfollow(t.Context(), follow.Edge{Follower: watcher(3), Followee: question.String()})
	require.NoError(t, err)
	var attempts []notify.Attempt
	done, err := a.process(t, &notify.Options{OnAttempt: func(d notify.Attempt) { attempts = append(attempts, d) }}).Deliver(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, done)
	require.Equal(t, []notify.Attempt{{Object: question, ID: n.Activity.ID, Retract: true, Watchers: 4, Done: true}}, attempts)
	require.Equal(t, []string{watcher(3)}, a.having(t, 5), "who stopped following may keep it")

	a.follow(t, "new", question)
	a.watchers(t, n)
	a.deliverAll(t)
	require.Empty(t, a.list(t, "new"), "it was taken back")
	a.unwatch(t, n, false)
	a.deliverAll(t)
	a.watchers(t, other)
	a.deliverAll(t)
	require.Equal(t, watchersTo(3), a.having(t, 3), "another answer arrives")
	require.Len(t, a.list(t, "new"), 1)

	old := a.answer("zoe")
	a.pass(91 * 24 * time.Hour)
	a.unwatch(t, old, false)
	require.Empty(t, a.jobs(t))
}

// It is taken back while its delivery is at each of its pages, or before it.
func TestADeliveryStopsOnceItIsTakenBack(t *testing.T) {
	t.Parallel()
	const watchers = 6
	for page := range 4 {
		a := newAudience(t, watchers)
		n := a.answer("zoe")
		a.watchers(t, n)
		walked := 0
		follows := graph{a.follows(t, nil), 2}
		w := a.process(t, &notify.Options{Watchers: walks(func(ctx context.Context, followee string, req cursor.PageRequest) (cursor.Page[follow.Edge], error) {
			if walked++; walked == page {
				a.unwatch(t, n, true)
			}
			return follows.Walk(ctx, followee, req)
		})})
		if page == 0 {
			a.unwatch(t, n, true)
		}
		require.NoError(t, errOf(w.Deliver(t.Context())))
		a.deliverAll(t)
		require.Empty(t, a.having(t, watchers), "page %d", page)
		require.Empty(t, a.jobs(t))
	}
}

// A watcher whose notification failed is not tried again once it was taken back; one whose
// retraction failed is.
func TestARetryOfOneWatcherObeysTheRetraction(t *testing.T) {
	t.Parallel()
	a := newAudience(t, 3)
	n := a.answer("zoe")
	a.watchers(t, n)
	failing := a.process(t, &notify.Options{Policy: failingFor(func(user string) bool { return user == watcher(1) })})
	require.ErrorIs(t, errOf(failing.Deliver(t.Context())), errBroken)
	require.Equal(t, []string{watcher(0), watcher(2)}, a.having(t, 3))
	a.pass(31 * time.Second)

	in := faults.New(t, 1, faults.Rates{})
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "PutItem" && bytes.Contains(body, []byte(`"N#w002"`)) {
			return faults.Fault{Kind: faults.Throttled}
		}
		return faults.Fault{}
	})
	a.unwatch(t, n, true)
	require.Error(t, errOf(a.process(t, nil, in.Wrap).Deliver(t.Context())))
	require.Equal(t, []string{watcher(2)}, a.having(t, 3))
	jobs := a.jobs(t)
	require.Len(t, jobs, 1)
	require.Equal(t, watcher(2), jobs[0].User)
	a.deliverAll(t)
	require.Empty(t, a.having(t, 3))
}

// The process is killed at each write in turn, or its caller gives up at each request; the
// delivery was stored, and none, some or all of it is delivered.
func TestAnInterruptedRetractionForWatchersIsCompleted(t *testing.T) {
	t.Parallel()
	for name, interrupt := range map[string]func(in *faults.Injector, k int, giveUp func()){
		"applied":     func(in *faults.Injector, k int, _ func()) { in.KillAt(k) },
		"not applied": func(in *faults.Injector, k int, _ func()) { in.KillBefore(k) },
		"given up":    (*faults.Injector).HangAt,
	} {
		a := newAudience(t, 3)
		interrupted := true
		for k := 1; interrupted; k += faults.Size(1, 2) {
			n := a.answer(fmt.Sprint("zoe", k))
			a.watchers(t, n)
			if k%2 == 0 {
				a.deliverAll(t)
			}
			in := faults.New(t, 1, faults.Rates{})
			ctx, giveUp := context.WithCancel(t.Context())
			interrupt(in, k, giveUp)
			w := a.process(t, nil, in.Wrap)
			_, err := w.RetractWatchers(ctx, question, n)
			if err == nil {
				_, err = w.Deliver(ctx)
			}
			giveUp()
			interrupted = in.Count(faults.KilledBefore)+in.Count(faults.KilledAfter)+in.Count(faults.Hung) > 0
			require.Equal(t, interrupted, err != nil, "%s %d: %v", name, k, err)
			require.NoError(t, errOf(a.RetractWatchers(t.Context(), question, n)))
			a.deliverAll(t)
			require.Empty(t, a.having(t, 3), "%s %d", name, k)
			require.Less(t, k, 60)
		}
	}
}

func TestFaultsDoNotDoubleARetractionForWatchers(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(10) {
		a := newAudience(t, 5)
		n, other := a.answer("zoe"), a.answer("eve")
		a.watchers(t, other)
		a.deliverAll(t)
		a.watchers(t, n)
		rates := faults.Standard
		rates.Conflict, rates.Stale = 0.05, 0.2
		w := a.process(t, nil, faults.New(t, seed, rates).Wrap)
		changed := 0
		faults.Acknowledged(t, func() error {
			is, err := w.RetractWatchers(t.Context(), question, n)
			if is {
				changed++
			}
			return err
		})
		require.LessOrEqual(t, changed, 1)
		for range 5 {
			if _, err := w.Deliver(t.Context()); err != nil && !faults.Passing(err) {
				require.NoError(t, err)
			}
			a.pass(31 * time.Second)
		}
		a.deliverAll(t)
		for _, user := range watchersTo(5) {
			require.Equal(t, other.Activity.ID, a.list(t, user)[0].Activity.ID)
			require.Equal(t, 1, a.list(t, user)[0].N)
		}
	}
}

func TestRetractingForWatchersCostsWhatIsStated(t *testing.T) {
	t.Parallel()
	const watchers = 4
	a := newAudience(t, watchers)
	meter := dynamotest.NewMeter()
	w := a.process(t, &notify.Options{Watchers: a.follows(t, nil)}, meter.Wrap)
	stated := callstest.ReadCosts(t, "..", "notify")
	n := a.answer("zoe")
	a.watchers(t, n)
	a.deliverAll(t)
	meter.AtMost(t, "the first", stated.Of("Repository.RetractWatchers", "a notification", "a process's first"), func() { w.unwatch(t, n, true) })
	deliver := stated.Of("Repository.Deliver", "a notification", "each 100 watchers, besides their page").
		Plus(stated.Times(watchers, "Repository.Retract", "an event"))
	meter.AtMost(t, "its delivery", deliver, func() { require.NoError(t, errOf(w.Deliver(t.Context()))) })
	meter.AtMost(t, "again", stated.Of("Repository.RetractWatchers"), func() { w.unwatch(t, n, false) })
	a.watchers(t, n)
	a.deliverAll(t)
	require.Empty(t, a.having(t, watchers))
	large := a.answer("zoe")
	large.Activity.Data = json.RawMessage(`"` + strings.Repeat("x", notify.MaxData-2) + `"`)
	meter.AtMost(t, "large", stated.Of("Repository.RetractWatchers").Plus(stated.Times(4, "Repository.RetractWatchers", "each further KB")),
		func() { w.unwatch(t, large, true) })
}

// A mark that is damaged is a mark.
func TestADamagedRetractionCounts(t *testing.T) {
	t.Parallel()
	a := newAudience(t, 2)
	n := a.answer("zoe")
	mark := map[string]any{"pk": "R#question:7", "sk": n.Activity.ID.String(), "op": 7, "ttl": 1}
	require.NoError(t, a.items(t).Put(mark).Run(t.Context()))
	a.watchers(t, n)
	a.deliverAll(t)
	require.Empty(t, a.having(t, 2))
	a.unwatch(t, n, false)
	a.deliverAll(t)
}

func TestWhatWatchersGotOfTheLongestNamesIsTakenBack(t *testing.T) {
	t.Parallel()
	a := newAudience(t, 0)
	longest := strings.Repeat("#", 256)
	object, n := feed.Ref{ID: longest}, a.answer("zoe")
	user := longest[1:] + "a"
	a.follow(t, user, object)
	require.NoError(t, errOf(a.NotifyWatchers(t.Context(), object, n)))
	a.deliverAll(t)
	require.Len(t, a.list(t, user), 1)
	require.NoError(t, errOf(a.RetractWatchers(t.Context(), object, n)))
	a.deliverAll(t)
	require.Empty(t, a.list(t, user))
}
