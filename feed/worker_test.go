package feed_test

import (
	"bytes"
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// clock is a clock that the test moves.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.offset.Load())) }
func (c *clock) advance(d time.Duration) { c.offset.Add(int64(d)) }

// pagedGraph returns two followers at a time.
type pagedGraph struct{ *follow.Repository }

func (g pagedGraph) Walk(ctx context.Context, followee string, req cursor.PageRequest) (cursor.Page[follow.Edge], error) {
	req.Limit = 2
	return g.Repository.Walk(ctx, followee, req)
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

// A worker or a publish is stopped; internal/work stops one at each request of a job. Another worker continues at
// once. The test is not parallel because it counts goroutines.
func TestAStoppedWorkerReleasesItsJobs(t *testing.T) {
	run := func(ctx context.Context, r *feed.Repository) error { return r.Run(ctx) }
	publish := func(ctx context.Context, r *feed.Repository) error {
		_, _, err := r.Outbox("chris").Publish(ctx, activity("chris", 2))
		return err
	}
	for name, tc := range faults.Sample(2, map[string]struct {
		call func(context.Context, *feed.Repository) error
		op   string // the context ends at the first request of this kind,
		with string
		kind faults.Kind // before it is sent for LostBefore, otherwise after it was applied
		want error
	}{
		"run, writing":               {run, "BatchWriteItem", "", faults.Hung, context.Canceled},
		"run, at a checkpoint":       {run, "UpdateItem", "cursor", faults.LostBefore, context.Canceled},
		"publish, walking":           {publish, "Query", "R#chris", faults.None, nil},
		"publish, past a checkpoint": {publish, "UpdateItem", "cursor", faults.Hung, nil},
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
			require.ErrorIs(t, tc.call(ctx, process.paged(t, &feed.Options{InlineFollowers: 2}).Repository), tc.want)
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
