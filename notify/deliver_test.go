package notify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// The process is killed at each write in turn, of Watchers and of the delivery after
// it. Another process finishes.
func TestAKilledDeliveryNotifiesEachWatcherOnce(t *testing.T) {
	t.Parallel()
	const watchers = 5
	each := faults.Size(1, 6) // by turns
	for name, c := range map[string]struct {
		kill  func(*faults.Injector, int)
		first int
	}{
		"applied": {(*faults.Injector).KillAt, 1}, "not applied": {(*faults.Injector).KillBefore, each},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := c.first // the first write at which no run was killed
			for k := next; k == next; k += each {
				a := newAudience(t, watchers)
				n := a.answer("zoe")
				injector := faults.New(t, uint64(k), faults.Rates{})
				c.kill(injector, k)
				first := a.process(t, nil, injector.Wrap)
				_, err := first.NotifyWatchers(t.Context(), question, n)
				if err == nil {
					_, err = first.Deliver(t.Context())
				}
				if err != nil {
					require.ErrorIs(t, err, faults.ErrKilled)
					next += each
				}
				require.NoError(t, errOf(a.NotifyWatchers(t.Context(), question, n))) // as a caller without an answer does
				a.deliverAll(t)
				a.notifiedOf(t, n.Activity.ID, watchersTo(watchers)...)
			}
			require.Greater(t, next, 2+1+watchers+2+1, "shards, job, claim, watchers, checkpoints, end")
		})
	}
}

// The second worker's clock is so far ahead that it takes the first one's job.
func TestWatchersAreNotifiedOnceByTwoWorkersUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			const watchers = 9
			a := newAudience(t, watchers)
			n := a.answer("zoe")
			process := func(i uint64) world {
				rates := faults.Standard
				rates.Conflict, rates.Unprocessed, rates.Stale = 0.05, 0.1, 0.2
				return a.skewed(t, time.Duration(i)*40*time.Second, &notify.Options{JobShards: 2}, faults.New(t, 2*seed+i, rates).Wrap)
			}
			workers := []world{process(0), process(1)}
			faults.Acknowledged(t, func() error {
				return errOf(workers[0].NotifyWatchers(t.Context(), question, n))
			})
			worked := make(chan error)
			for _, w := range workers {
				go func() {
					var err error
					for range 5 {
						if _, failed := w.Deliver(t.Context()); failed != nil && !faults.Passing(failed) {
							err = failed
						}
					}
					worked <- err
				}()
			}
			require.NoError(t, errors.Join(<-worked, <-worked))
			a.pass(time.Minute)
			a.deliverAll(t)
			a.notifiedOf(t, n.Activity.ID, watchersTo(watchers)...)
		})
	}
}

// The jobs are one partition key, and the groups of each watcher another. One watcher
// fails alone.
func TestDeliveriesOnHotKeysNotifyEachWatcherOnce(t *testing.T) {
	t.Parallel()
	const watchers = 3
	a, hot := newAudience(t, watchers), &faults.Buckets{PerSecond: 600}
	w := a.process(t, &notify.Options{JobShards: 1}, hot.Wrap)
	ctx, events := t.Context(), 0
	large := json.RawMessage(`"` + strings.Repeat("x", notify.MaxData-2) + `"`)
	for ; hot.Busy() == 0; events++ {
		n := a.answer(fmt.Sprint("actor ", events))
		n.Activity.Data = large
		watched := func() (bool, error) { return w.NotifyWatchers(ctx, question, n) }
		require.True(t, hot.Changes(t, watched))
		require.False(t, hot.Changes(t, watched))
	}
	before := hot.Throttled()
	for n := 0; hot.Throttled() == before; n++ {
		like := a.like(fmt.Sprint("actor ", n))
		like.User, like.Activity.Data = watcher(0), large
		require.True(t, hot.Changes(t, func() (bool, error) { _, created, err := w.Notify(ctx, like); return created, err }))
	}
	alone := func(j job) bool { return j.User != "" }
	for n := 0; !slices.ContainsFunc(a.jobs(t), alone); n++ {
		require.Less(t, n, 20)
		if _, err := w.Deliver(ctx); err != nil {
			require.ErrorIs(t, err, plaza.ErrBusy)
		}
		a.pass(31 * time.Second)
	}
	a.deliverAll(t)
	for _, user := range watchersTo(watchers) {
		groups := a.groups(t, user)
		require.EqualValues(t, events, groups[len(groups)-1].N, user)
	}
}

// Meanwhile another worker, whose clock is ahead, takes the job and ends it.
func TestADeliveryFinishedElsewhereStops(t *testing.T) {
	t.Parallel()
	a := newAudience(t, 5)
	n := a.answer("zoe")
	a.watchers(t, n)
	var attempts []notify.Attempt
	slow := a.process(t, &notify.Options{
		Watchers: walks(func(ctx context.Context, followee string, req cursor.PageRequest) (cursor.Page[follow.Edge], error) {
			require.NoError(t, errOf(a.skewed(t, 40*time.Second, nil).Deliver(t.Context())))
			require.Empty(t, a.jobs(t))
			return graph{a.follows(t, nil), 2}.Walk(ctx, followee, req)
		}),
		OnAttempt: func(d notify.Attempt) { attempts = append(attempts, d) },
	})
	delivered, err := slow.Deliver(t.Context())
	require.NoError(t, err)
	require.Zero(t, delivered)
	require.Equal(t, []notify.Attempt{{Object: question, ID: n.Activity.ID, Watchers: 2}}, attempts)
	require.Empty(t, a.jobs(t), "it stays away")
	a.notifiedOf(t, n.Activity.ID, watchersTo(5)...)
}

// walks is a graph made of a function.
type walks func(context.Context, string, cursor.PageRequest) (cursor.Page[follow.Edge], error)

func (w walks) Walk(ctx context.Context, followee string, req cursor.PageRequest) (cursor.Page[follow.Edge], error) {
	return w(ctx, followee, req)
}

// byWatcher is a Policy that decides by the watcher.
type byWatcher func(user string) (notify.Decision, error)

func (p byWatcher) Decide(_ context.Context, n notify.Notification) (notify.Decision, error) {
	return p(n.User)
}

// failingFor is a Policy that fails for some watchers.
func failingFor(some func(user string) bool) byWatcher {
	return func(user string) (d notify.Decision, err error) {
		if some(user) {
			err = errBroken
		}
		return d, err
	}
}

var errBroken = errors.New("broken")

// All of the first page fail, and one of the next.
func TestAnErrorOfOneWatcherDelaysNoOther(t *testing.T) {
	t.Parallel()
	failed := []string{watcher(2), watcher(4), watcher(5)}
	for name, fail := range map[string]func() error{
		"an error": func() error { return errBroken },
		"a panic":  func() error { panic(errBroken) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAudience(t, 6)
			n := a.answer("zoe")
			a.watchers(t, n)
			var attempts []notify.Attempt
			failing := a.process(t, &notify.Options{
				Policy: byWatcher(func(user string) (d notify.Decision, err error) {
					if slices.Contains(failed, user) {
						err = fail()
					}
					return d, err
				}),
				OnAttempt: func(d notify.Attempt) { attempts = append(attempts, d) },
			})
			delivered, err := failing.Deliver(t.Context())
			require.Error(t, err)
			require.Equal(t, 1, delivered)
			require.Len(t, attempts, 1)
			require.Error(t, attempts[0].Err)
			attempts[0].Err = nil
			require.Equal(t, notify.Attempt{Object: question, ID: n.Activity.ID, Watchers: 3, Failed: 3, Done: true}, attempts[0])
			a.notifiedOf(t, n.Activity.ID, watcher(0), watcher(1), watcher(3))

			delivered, err = a.process(t, nil).Deliver(t.Context())
			require.NoError(t, err)
			require.Zero(t, delivered, "who failed is left alone for a while")
			a.pass(31 * time.Second)
			delivered, err = failing.Deliver(t.Context())
			require.Error(t, err)
			require.Zero(t, delivered)
			require.Len(t, a.jobs(t), 3)
			a.pass(31 * time.Second)
			delivered, err = a.process(t, nil).Deliver(t.Context())
			require.NoError(t, err)
			require.Equal(t, 3, delivered)
			a.notifiedOf(t, n.Activity.ID, failed...)
		})
	}
}

// A key has at most 1,024 bytes, and each of these characters takes two.
func TestWatchersWithTheLongestNamesAreTriedAgain(t *testing.T) {
	t.Parallel()
	a := newAudience(t, 0)
	object, n := feed.Ref{ID: strings.Repeat("#", 256)}, a.answer("zoe")
	long := []string{strings.Repeat("#", 255) + "a", strings.Repeat("#", 255) + "b"}
	for _, user := range append(long, "ann") {
		a.follow(t, user, object)
	}
	require.NoError(t, errOf(a.NotifyWatchers(t.Context(), object, n)))
	failing := failingFor(func(user string) bool { return user != "ann" })
	require.ErrorIs(t, errOf(a.process(t, &notify.Options{Policy: failing}).Deliver(t.Context())), errBroken)
	jobs := a.jobs(t)
	require.Len(t, jobs, 2)
	for _, j := range jobs {
		require.LessOrEqual(t, len(j.SK), 1024)
	}
	a.deliverAll(t)
	require.Len(t, a.Next(t), 3)
}

func TestAPageThatFailsWholeIsRepeated(t *testing.T) {
	t.Parallel()
	a := newAudience(t, 24)
	n := a.answer("zoe")
	a.watchers(t, n)
	down := failingFor(func(user string) bool { return user < watcher(13) })
	delivered, err := a.process(t, &notify.Options{Policy: down, Watchers: graph{a.follows(t, nil), 11}}).Deliver(t.Context())
	require.ErrorIs(t, err, errBroken)
	require.Zero(t, delivered)
	require.Len(t, a.jobs(t), 1, "nobody has a job of his own")
	a.notifiedOf(t, n.Activity.ID, watchersTo(24)[13:]...) // the newest come first
	a.deliverAll(t)
	a.notifiedOf(t, n.Activity.ID, watchersTo(13)...)
}

func TestADeliveryStartsAgainIfItsCursorIsRefused(t *testing.T) {
	t.Parallel()
	a := newAudience(t, 5)
	n := a.answer("zoe")
	a.watchers(t, n)
	with := func(key byte) graph {
		codec, err := cursor.Sealed(cursor.Keyring{Current: key, Keys: map[byte][]byte{key: []byte("0123456789abcdef0123456789abcdef")}})
		require.NoError(t, err)
		return graph{a.follows(t, &follow.Options{Codec: codec}), 2}
	}
	dying := walks(func(ctx context.Context, followee string, req cursor.PageRequest) (cursor.Page[follow.Edge], error) {
		if req.Cursor != "" {
			return cursor.Page[follow.Edge]{}, errBroken
		}
		return with(1).Walk(ctx, followee, req)
	})
	_, err := a.process(t, &notify.Options{Watchers: dying}).Deliver(t.Context())
	require.ErrorIs(t, err, errBroken)
	require.NotEmpty(t, a.jobs(t)[0].Cursor)
	a.pass(31 * time.Second)
	delivered, err := a.process(t, &notify.Options{Watchers: with(2)}).Deliver(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, delivered)
	a.notifiedOf(t, n.Activity.ID, watchersTo(5)...)
}

// A worker is stopped at each request. Another one goes on at once.
func TestAStoppedWorkerGivesItsJobBack(t *testing.T) {
	for name, tc := range faults.Sample(5, map[string]struct {
		op, with string // the context ends at the first such request,
		kind     faults.Kind
	}{
		"before the claim":   {"UpdateItem", "J#", faults.LostBefore},
		"claiming":           {"UpdateItem", "J#", faults.Hung},
		"claimed":            {"UpdateItem", "J#", faults.None},
		"notifying":          {"UpdateItem", "N#", faults.Hung},
		"at a checkpoint":    {"UpdateItem", "cursor", faults.LostBefore},
		"past a checkpoint":  {"UpdateItem", "cursor", faults.Hung},
		"ending the job":     {"DeleteItem", "J#", faults.LostBefore},
		"having ended it":    {"DeleteItem", "J#", faults.Hung},
		"looking for jobs":   {"Query", "J#", faults.None},
		"reading the shards": {"GetItem", "shards", faults.None},
	}, "notifying") {
		t.Run(name, func(t *testing.T) {
			a := newAudience(t, 3)
			n := a.answer("zoe")
			a.watchers(t, n)
			leaks := goleak.IgnoreCurrent()
			ctx, stop := context.WithCancel(t.Context())
			injector, met := faults.New(t, 1, faults.Rates{}), false
			injector.Script(func(op string, body []byte, _ int) faults.Fault {
				switch {
				case met:
					stop() // the one that was met is answered
				case op == tc.op && bytes.Contains(body, []byte(tc.with)):
					met = true
					if tc.kind != faults.None {
						stop()
					}
					return faults.Fault{Kind: tc.kind}
				}
				return faults.Fault{}
			})
			require.ErrorIs(t, a.process(t, nil, injector.Wrap).Run(ctx), context.Canceled)
			require.True(t, met)
			goleak.VerifyNone(t, leaks,
				goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
				goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))

			for _, j := range a.jobs(t) {
				require.Zero(t, j.Lease)
			}
			require.NoError(t, errOf(a.process(t, nil).Deliver(t.Context()))) // with the stopped one's clock
			require.Empty(t, a.jobs(t))
			a.notifiedOf(t, n.Activity.ID, watchersTo(3)...)
		})
	}
}

func TestWatchersCostWhatIsStated(t *testing.T) {
	t.Parallel()
	const failing, pages = 3, 2
	watchers, page := faults.Size(120, 24), faults.Size(100, 20)
	a := newAudience(t, watchers)
	meter := dynamotest.NewMeter()
	failed := map[string]bool{}
	w := a.process(t, &notify.Options{
		Watchers: graph{a.follows(t, nil), page},
		Policy:   failingFor(func(user string) bool { return failed[user] }),
	}, meter.Wrap)
	stated := callstest.ReadCosts(t, "..", "notify")
	costs := func(want dynamotest.Cost, call func() error) {
		t.Helper()
		meter.AtMost(t, "call", want, func() { require.NoError(t, call()) })
	}
	// deliver delivers a notification, each of whose calls of Notify costs as much.
	deliver := func(each dynamotest.Cost) dynamotest.Cost {
		want := stated.Of("Repository.Deliver", "a notification").
			Plus(stated.Times(pages, "Repository.Deliver", "each 100 watchers, besides their page"))
		for range watchers {
			want = want.Plus(each)
		}
		return want
	}
	delivers := func() error { return errOf(w.Deliver(t.Context())) }
	store := func(n notify.Notification) func() error {
		return func() error { return errOf(w.NotifyWatchers(t.Context(), question, n)) }
	}
	n, second := w.answer("zoe"), w.answer("eve")
	costs(dynamotest.Cost{Requests: 2, Write: 2}, store(n)) // a process's first
	costs(deliver(stated.Of("Repository.Notify", "a group's first event")), delivers)
	costs(stated.Of("Repository.Deliver", "nothing to do"), delivers)

	costs(dynamotest.Cost{Requests: 1, Write: 1}, store(second))
	for n := range failing {
		failed[watcher(n)] = true
	}
	some := deliver(stated.Of("Repository.Notify", "an event")).Plus(stated.Of("Repository.Deliver", "each 25 watchers who fail")).
		Plus(stated.Times(failing, "Repository.Deliver", "each watcher who fails"))
	costs(some, func() error { require.ErrorIs(t, delivers(), errBroken); return nil })
	require.Len(t, a.jobs(t), failing)
	clear(failed)
	a.deliverAll(t)
	a.pass(15 * time.Minute)
	costs(dynamotest.Cost{Requests: 1, Write: 1}, store(second)) // again, after its end
	costs(deliver(stated.Of("Repository.Notify", "a repeat")), delivers)

	wide := a.process(t, &notify.Options{JobShards: 2, Watchers: graph{a.follows(t, nil), page}}, meter.Wrap)
	large := w.answer("dan")
	large.Activity.Data = json.RawMessage(`"` + strings.Repeat("x", notify.MaxData-2) + `"`)
	require.NoError(t, errOf(wide.NotifyWatchers(t.Context(), feed.Ref{ID: "nobody"}, large)))
	costs(stated.Of("Repository.Deliver", "a notification", "each further job shard",
		"each further 4 KB of notifications", "each 100 watchers, besides their page").
		Plus(stated.Times(2*4, "Repository.Deliver", "each further KB of the notification, in each write")), delivers)
}
