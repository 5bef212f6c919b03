package feed_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// clock is a clock that the test moves.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.offset.Load())) }
func (c *clock) advance(d time.Duration) { c.offset.Add(int64(d)) }

// One of three workers dies in the middle of a delivery; the others have
// faults. They take over its job once its lease has expired.
func TestOtherWorkersTakeOverFromADeadOne(t *testing.T) {
	if !faults.Full() {
		t.Skip("by default deliveries are killed one at a time, in another test")
	}
	t.Parallel()
	const owners, followers = 4, 5
	each := faults.Size(50, 8)
	w := newWorld(t, nil)
	want := make([][]ids.ID, owners)
	for o := range owners {
		owner := fmt.Sprint("owner-", o)
		w.followedBy(t, owner, followers)
		as := w.publishMany(t, owner, activities(owner, each)...)
		want[o] = newestFirst(as)
	}

	var clock clock
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var workers sync.WaitGroup
	var injectors []*faults.Injector
	var delivered [3]atomic.Int32
	for n := range 3 {
		injector := faults.New(t, uint64(n), harsh)
		injectors = append(injectors, injector)
		if n == 0 {
			batches := 0
			injector.Script(func(op string, _ []byte, _ int) faults.Fault {
				if op != "BatchWriteItem" {
					return faults.Fault{}
				}
				if batches++; batches < 5 {
					return faults.Fault{}
				}
				return faults.Fault{Kind: faults.KilledAfter}
			})
		}
		worker := w.process(t, &feed.Options{Now: clock.now, Poll: 10 * time.Millisecond, OnAttempt: func(d feed.Attempt) {
			if d.Done {
				delivered[n].Add(1)
			}
		}}, injector.Wrap)
		workers.Go(func() {
			if err := worker.Run(ctx); ctx.Err() == nil {
				t.Errorf("worker %d ended: %v", n, err)
			}
		})
	}
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for left := owners * each; left > 0; <-look.C {
		before := left
		if left = len(w.jobs(t)); left == before {
			clock.advance(31 * time.Second) // past the dead worker's lease
		}
	}
	stop()
	workers.Wait()
	require.Equal(t, 1, injectors[0].Count(faults.KilledAfter))

	for n := range delivered {
		require.NotZero(t, delivered[n].Load(), "worker %d", n)
	}
	for i := range followers {
		home := all(t, w.Home(reader(i)).List, 100)
		require.Len(t, home, owners*each)
		for _, ids := range want {
			require.Subset(t, home, ids)
		}
	}
	entries := 0
	for _, row := range w.rows(t) {
		if strings.HasPrefix(row.PK, "H#reader-") {
			entries++
		}
	}
	require.Equal(t, owners*each*followers, entries, "each once")
}

// pagedGraph returns two followers at a time.
type pagedGraph struct{ *follow.Repository }

func (g pagedGraph) Walk(ctx context.Context, followee string, req cursor.PageRequest) (cursor.Page[follow.Edge], error) {
	req.Limit = 2
	return g.Repository.Walk(ctx, followee, req)
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

// A worker or a publish is stopped at each request. Another worker continues at
// once. The test is not parallel because it counts goroutines.
func TestAStoppedWorkerReleasesItsJobs(t *testing.T) {
	run := func(ctx context.Context, r *feed.Repository) error { return r.Run(ctx) }
	publish := func(ctx context.Context, r *feed.Repository) error {
		_, _, err := r.Outbox("chris").Publish(ctx, activity("chris", 2))
		return err
	}
	for name, tc := range faults.Sample(5, map[string]struct {
		call func(context.Context, *feed.Repository) error
		op   string // the context ends at the first request of this kind,
		with string
		kind faults.Kind // before it is sent for LostBefore, otherwise after it was applied
		want error
	}{
		"run, before the claim":      {run, "UpdateItem", "J#", faults.LostBefore, context.Canceled},
		"run, claiming":              {run, "UpdateItem", "J#", faults.Hung, context.Canceled},
		"run, claimed":               {run, "UpdateItem", "J#", faults.None, context.Canceled},
		"run, walking":               {run, "Query", "R#chris", faults.None, context.Canceled},
		"run, writing":               {run, "BatchWriteItem", "", faults.Hung, context.Canceled},
		"run, at a checkpoint":       {run, "UpdateItem", "cursor", faults.LostBefore, context.Canceled},
		"run, past a checkpoint":     {run, "UpdateItem", "cursor", faults.Hung, context.Canceled},
		"run, ending the job":        {run, "DeleteItem", "", faults.LostBefore, context.Canceled},
		"run, having ended the job":  {run, "DeleteItem", "", faults.Hung, context.Canceled},
		"run, looking for jobs":      {run, "Query", "J#", faults.None, context.Canceled},
		"publish, walking":           {publish, "Query", "R#chris", faults.None, nil},
		"publish, writing":           {publish, "BatchWriteItem", "", faults.Hung, nil},
		"publish, at its checkpoint": {publish, "UpdateItem", "cursor", faults.LostBefore, nil},
		"publish, past it":           {publish, "UpdateItem", "cursor", faults.Hung, nil},
	}) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.followedBy(t, "chris", 3)
			as := w.publishMany(t, "chris", activity("chris", 1))

			leaks := goleak.IgnoreCurrent()
			ctx, stop := context.WithCancel(t.Context())
			injector := faults.New(t, 1, faults.Rates{})
			met := false
			injector.Script(func(op string, body []byte, _ int) faults.Fault {
				if met || op != tc.op || !bytes.Contains(body, []byte(tc.with)) {
					return faults.Fault{}
				}
				met = true
				if tc.kind == faults.LostBefore {
					stop()
				}
				return faults.Fault{Kind: tc.kind}
			})
			process := w.process(t, nil, func(next aws.HTTPClient) aws.HTTPClient {
				return doer(func(r *http.Request) (*http.Response, error) {
					res, err := next.Do(r)
					if met {
						stop()
					}
					return res, err
				})
			}, injector.Wrap)
			stopped, err := feed.New(process.db, w.feedTable, w.gen, pagedGraph{process.follows}, &feed.Options{InlineFollowers: 2})
			require.NoError(t, err)
			require.ErrorIs(t, tc.call(ctx, stopped), tc.want)
			require.True(t, met)
			goleak.VerifyNone(t, leaks,
				goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
				goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))

			for _, job := range w.jobs(t) {
				require.Zero(t, job.Lease)
			}
			deliverAll(t, w) // with the clock of the stopped one
			require.Empty(t, w.jobs(t))
			require.Contains(t, all(t, w.Home(reader(1)).List, 10), as[0].ID)
			require.Equal(t, all(t, w.Outbox("chris").List, 10), all(t, w.Home(reader(2)).List, 10))
		})
	}
}

func TestAnIdleWorkerCostsNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	ctx, stop := context.WithCancel(t.Context())
	polls := 0
	w := newWorld(t, nil)
	w.publish(t, "chris", 1)
	injector := faults.New(t, 1, faults.Rates{})
	injector.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "GetItem" {
			if polls++; polls == 10 {
				stop()
			}
		}
		return faults.Fault{}
	})
	worker := w.process(t, &feed.Options{Poll: time.Millisecond}, meter.Wrap, injector.Wrap)
	meter.AtMost(t, "10 polls", costs(t).Times(10, "Repository.Run", "nothing to do"), func() {
		require.ErrorIs(t, worker.Run(ctx), context.Canceled)
	})
}
