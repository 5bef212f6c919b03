package kit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/tables"
)

// client is an aws.HTTPClient that sees each request before it is sent.
type client struct {
	see  func(wire.Request)
	next aws.HTTPClient
}

func (c client) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	c.see(req)
	return c.next.Do(req.Again())
}

func seen(see func(wire.Request)) func(aws.HTTPClient) aws.HTTPClient {
	return func(next aws.HTTPClient) aws.HTTPClient { return client{see, next} }
}

var working = tables.Names{Follow: "follow", Feed: "feed", Leaderboard: "leaderboard", Notify: "notify"}

// works gives each worker one piece of work, which is due now.
func (w *world) works(k *kit.Kit) {
	ctx, t := w.t.Context(), w.t
	for _, reader := range []string{"bob", "cat"} {
		_, err := k.Feeds.Home(reader).Follow(ctx, "ann", nil)
		require.NoError(t, err)
	}
	_, _, err := k.Feeds.Outbox("ann").Publish(ctx, feed.Activity{Actor: feed.Ref{ID: "ann"}, Verb: "post"})
	require.NoError(t, err)
	_, err = k.Bell.NotifyWatchers(ctx, feed.Ref{ID: "ann"}, w.event("", feed.Ref{ID: "ann"}))
	require.NoError(t, err)
	w.notify(k, w.event("dan", feed.Ref{ID: "ann"}))
	_, err = k.Boards.Define(ctx, leaderboard.Board{Name: "hour", Operator: leaderboard.Increment, Cron: "@hourly", Keep: 100 * time.Hour})
	require.NoError(t, err)
	_, _, err = k.Boards.Submit(ctx, leaderboard.Submission{Board: "hour", Player: "ann", Score: leaderboard.Int(1), At: w.Now()})
	require.NoError(t, err)
	w.pass(2 * time.Hour)
}

func options(box *sent, over *ended) kit.Options {
	return rings(kit.Options{
		Features: []kit.Feature{kit.Feed, kit.Notify, kit.Leaderboard}, Send: box, Ended: over.add,
		Feed: feed.Options{InlineFollowers: -1, Poll: time.Millisecond}, Notify: notify.Options{Poll: time.Millisecond},
		Leaderboard: leaderboard.Options{Poll: time.Millisecond},
	})
}

// did checks that the work was done, each piece once. Bob and cat get mail too, if the
// Policy was asked before the hour was over.
func (w *world) did(k *kit.Kit, box *sent, over *ended) {
	w.t.Helper()
	for _, reader := range []string{"bob", "cat"} {
		page, err := k.Feeds.Home(reader).List(w.t.Context(), first)
		require.NoError(w.t, err)
		require.Len(w.t, page.Items, 1)
		require.Equal(w.t, 1, w.bell(k, reader))
	}
	require.Equal(w.t, 1, w.bell(k, "dan"))
	var mailed []string
	for _, d := range box.all {
		mailed = append(mailed, d.Key)
	}
	require.True(w.t, slices.ContainsFunc(mailed, func(key string) bool { return strings.HasPrefix(key, "dan#") }))
	require.NotEmpty(w.t, over.keys)
	require.Len(w.t, slices.Compact(slices.Clone(over.keys)), 1)
}

func TestDeliverDoesOneRoundOfEachWorker(t *testing.T) {
	t.Parallel()
	w, box, over := newWorld(t, working), &sent{}, &ended{}
	var mu sync.Mutex
	var attempts []kit.Attempt
	opts := options(box, over)
	opts.OnAttempt = func(a kit.Attempt) {
		mu.Lock()
		defer mu.Unlock()
		attempts = append(attempts, a)
	}
	k := w.open(opts)
	began := w.Now()
	w.works(k)
	done, err := k.Deliver(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, done)
	w.did(k, box, over)
	require.Len(t, box.all, 1, "without faults no mail comes twice")

	byWorker := map[string]string{}
	for _, a := range attempts {
		require.NoError(t, a.Err)
		require.Empty(t, a.LeftOut)
		require.True(t, a.Done)
		require.WithinRange(t, a.Due, began.Truncate(time.Second), w.Now())
		byWorker[a.Worker] += a.Subject
	}
	require.Equal(t, map[string]string{"feed": "ann", "notify": "ann", "digest": "dan", "leaderboard": "hour"}, byWorker)

	w.pass(2 * time.Hour) // until what the watchers get is due
	done, err = k.Deliver(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, done)
	done, err = k.Deliver(t.Context())
	require.NoError(t, err)
	require.Zero(t, done)
}

// One worker fails, and another's clock or table cannot be read: the others do theirs.
func TestDeliverJoinsErrors(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	w, box, over := newWorld(t, working), &sent{fail: boom}, &ended{}
	opts := options(box, over)
	k := w.open(opts)
	w.works(k)
	opts.Ended = func(context.Context, leaderboard.Ended) error { panic("no prizes") }
	done, err := w.open(opts).Deliver(t.Context())
	require.Equal(t, 2, done)
	require.ErrorIs(t, err, boom)
	require.ErrorContains(t, err, "no prizes")
	box.fail = nil
	w.pass(time.Hour)
	done, err = k.Deliver(t.Context())
	require.NoError(t, err)
	require.Positive(t, done)
	w.did(k, box, over)
}

func TestDeliverUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(50) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			rates := faults.Standard
			rates.Conflict, rates.Unprocessed = 0.05, 0.1
			in := faults.New(t, seed, rates)
			in.Off()
			w, box, over := newWorld(t, working, in.Wrap), &sent{}, &ended{}
			k := w.open(options(box, over))
			w.works(k)
			in.On()
			for quiet := 0; quiet < 2; quiet++ { // what failed is tried again after a while
				faults.Acknowledged(t, func() error {
					done, err := k.Deliver(t.Context())
					if err != nil || done > 0 {
						quiet = 0
					}
					w.pass(time.Hour)
					return err
				})
			}
			in.Off()
			w.did(k, box, over)
		})
	}
}

// An hour that ends is being handled when Feed's table turns out to be wrong, or when the
// process is stopped. Run waits for it.
func TestRunEndsAllWorkersAndWaits(t *testing.T) {
	for name, stopped := range map[string]bool{"a wrong table": false, "the context ends": true} {
		t.Run(name, func(t *testing.T) {
			begun, once := make(chan struct{}), sync.Once{}
			const missing = "plaza-missing"
			w := newWorld(t, working, seen(func(r wire.Request) {
				if bytes.Contains(r.Body, []byte(missing)) {
					<-begun
				}
			}))
			box, over := &sent{}, &ended{}
			opts := options(box, over)
			w.works(w.open(opts))

			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var handled atomic.Bool
			opts.Ended = func(running context.Context, _ leaderboard.Ended) error {
				once.Do(func() { close(begun) })
				if stopped {
					stop()
				}
				<-running.Done()
				handled.Store(true)
				return running.Err()
			}
			if !stopped {
				w.Tables.Feed = missing
			}
			k := w.open(opts)
			leaks := goleak.IgnoreCurrent()
			err := k.Run(ctx)
			require.True(t, handled.Load())
			goleak.VerifyNone(t, connections(leaks)...)
			if stopped {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, plaza.ErrTable)
			require.ErrorContains(t, err, missing)
		})
	}
}

// Run says once which workers it leaves out, and why. One of a feature that is not used is
// not worth a word.
func TestRunSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, working)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for name, c := range map[string]struct {
		opts kit.Options
		want map[string]string
	}{
		"neither": {kit.Options{}, map[string]string{"digest": "Options.Send is nil", "leaderboard": "Options.Ended is nil"}},
		"sends":   {kit.Options{Send: &sent{}}, map[string]string{"leaderboard": "Options.Ended is nil"}},
		"both":    {kit.Options{Send: &sent{}, Ended: (&ended{}).add}, map[string]string{}},
		"unused":  {kit.Options{Features: []kit.Feature{kit.Comment}}, map[string]string{}},
	} {
		said := map[string]string{}
		c.opts.OnAttempt = func(a kit.Attempt) {
			if a.Err == nil {
				require.NotContains(t, said, a.Worker)
				require.Equal(t, kit.Attempt{Worker: a.Worker, LeftOut: a.LeftOut}, a)
				said[a.Worker] = a.LeftOut
			}
		}
		require.NoError(t, w.open(c.opts).Run(ctx), name)
		require.Equal(t, c.want, said, name)
	}
}
