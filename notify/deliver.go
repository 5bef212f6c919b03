package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// deliveryPage is how many watchers lie between two checkpoints of a job, and
// atOnce how many of them are notified at once.
const (
	deliveryPage = 100
	atOnce       = 16
)

// someFail is the largest page that may fail as a whole without being an outage.
const someFail = 10

// Attempt is one attempt to notify the watchers of an object. If Object is zero,
// it is a failed attempt to find notifications to deliver.
type Attempt struct {
	Object   feed.Ref
	ID       ids.ID // the activity's
	Retract  bool   // it takes the notification back
	Watchers int    // users for whom it was stored, dropped or retracted
	Failed   int    // users who are tried again
	Done     bool   // no other watchers are left
	Err      error  // the first error
}

// Deliver delivers the notifications that NotifyWatchers stored, and takes back those of
// RetractWatchers. It returns how many are finished. A watcher who cannot be notified does not delay the others, and is tried again
// after 30 s; if nobody can be notified, all are tried again. A damaged job stays where it is
// and is passed to Options.OnCorrupt.
//
// Cost: 3 requests, 1 RCU, 1 WCU; 2 requests, 1 RCU, 1 WCU for each 100 watchers; Notify for
// each; idle 2 requests, 1 RCU.
//
//plaza:cost a notification: 3 requests, 1 RCU, 1 WCU
//plaza:cost each 100 watchers, besides their page: 2 requests, 1 RCU, 1 WCU
//plaza:cost each watcher of what is taken back: as Retract
//plaza:cost each 25 watchers who fail: 1 request
//plaza:cost each watcher who fails: 1 WCU
//plaza:cost each further KB of the notification, in each write: 1 WCU
//plaza:cost each further 4 KB of notifications: 0.5 RCU
//plaza:cost nothing to do: 2 requests, 1 RCU
//plaza:cost each further job shard: 1 request, 0.5 RCU
func (r *Repository) Deliver(ctx context.Context) (delivered int, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Deliver")
	if r.opts.Watchers == nil {
		return 0, errNoWatchers()
	}
	return r.jobs.Pass(ctx, "", r.deliver)
}

// Run calls Deliver until ctx ends and returns the context's error. A wrong table and missing
// Options.Watchers end it too. It reports other errors to Options.OnAttempt and goes on. Any number
// of workers may run. One that is stopped gives its job back within a second; the job of one that
// died is taken over after 30 s.
//
// Cost: as Deliver every Options.Poll, with nothing to do 0.5 RCU a second for
// each worker by default.
func (r *Repository) Run(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Run")
	if r.opts.Watchers == nil {
		return errNoWatchers()
	}
	return r.jobs.Run(ctx, r.opts.Poll, r.Deliver)
}

// failed reports that the search for jobs failed.
func (r *Repository) failed(err error) error {
	err = fmt.Errorf("notify: deliver: %w", err)
	r.opts.OnAttempt(Attempt{Err: err})
	return err
}

// deliver continues where the job stopped.
func (r *Repository) deliver(ctx context.Context, job watchJob) (done bool, err error) {
	a := Attempt{Object: job.Work.Key.Object, ID: job.Work.Key.ID, Retract: job.Work.Key.retracts()}
	a.Done, err = r.deliverJob(ctx, &job, &a)
	if err != nil && ctx.Err() != nil {
		r.jobs.GiveBack(ctx, job)
	}
	a.Err = cmp.Or(err, a.Err)
	if a.Err != nil {
		a.Err = fmt.Errorf("notify: deliver %v to the watchers of %q: %w", a.ID, a.Object, a.Err)
	}
	r.opts.OnAttempt(a)
	return a.Done, a.Err
}

func (r *Repository) deliverJob(ctx context.Context, job *watchJob, a *Attempt) (done bool, err error) {
	n, err := job.Work.notification()
	if err != nil {
		return false, err
	}
	if job.Work.User != "" {
		if ended, err := r.ended(ctx, *job); ended || err != nil {
			return ended, err
		}
		if err := r.tellWatcher(ctx, *job, n, job.Work.User); err != nil {
			a.Failed++
			return false, err
		}
		a.Watchers++
		return true, r.jobs.End(ctx, *job)
	}
	for {
		if ended, err := r.ended(ctx, *job); ended || err != nil {
			return ended, err
		}
		page, err := r.watchers(ctx, *job)
		if err != nil {
			return false, err
		}
		if err := r.deliverPage(ctx, *job, n, page.Items, a); err != nil {
			return false, err
		}
		if page.Next == "" {
			return true, r.jobs.End(ctx, *job)
		}
		job.Work.Cursor = string(page.Next)
		if exists, err := r.jobs.Checkpoint(ctx, job, map[string]any{"cursor": job.Work.Cursor}, false); err != nil || !exists {
			return false, err
		}
	}
}

// ended ends a job that notifies, if the notification was taken back.
func (r *Repository) ended(ctx context.Context, job watchJob) (bool, error) {
	if job.Work.Key.retracts() {
		return false, nil
	}
	gone, err := r.takenBack(ctx, job.Work.Key)
	if err != nil || !gone {
		return false, err
	}
	return true, r.jobs.End(ctx, job)
}

// watchers reads the job's next page of watchers.
func (r *Repository) watchers(ctx context.Context, job watchJob) (cursor.Page[follow.Edge], error) {
	object, req := job.Work.Key.Object.String(), cursor.PageRequest{Cursor: cursor.Cursor(job.Work.Cursor), Limit: deliveryPage}
	page, err := r.opts.Watchers.Walk(ctx, object, req)
	if errors.Is(err, cursor.ErrInvalid) && req.Cursor != "" {
		// The codec may no longer accept the cursor, for example after a key
		// change: start again.
		req.Cursor = ""
		page, err = r.opts.Watchers.Walk(ctx, object, req)
	}
	return page, err
}

// deliverPage notifies all of edges. Each one that fails becomes a job of its own. If all of
// a large page fail, that is an outage: deliverPage returns the error, and all are tried
// again.
func (r *Repository) deliverPage(ctx context.Context, job watchJob, n Notification, edges []follow.Edge, a *Attempt) error {
	failed, err := r.tellAll(ctx, job, n, edges)
	if err == nil {
		a.Watchers += len(edges)
		return nil
	}
	outage := len(failed) > someFail && len(failed) == len(edges)
	if outage || ctx.Err() != nil || errors.Is(err, plaza.ErrTable) {
		return err
	}
	later := map[string]dynamo.Item{}
	for _, edge := range failed {
		one := oneWatcher(job, edge.Follower)
		item, err := one.MarshalDynamoItem()
		if err != nil {
			return err
		}
		later[one.Key.SK] = item
	}
	if err := r.table.PutAll(ctx, slices.Collect(maps.Values(later)), atOnce); err != nil {
		return err
	}
	a.Watchers, a.Failed = a.Watchers+len(edges)-len(failed), a.Failed+len(failed)
	if a.Err == nil {
		a.Err = err
	}
	return nil
}

// tellAll notifies all of edges at once, or takes the notification back, and returns those for whom it failed.
func (r *Repository) tellAll(ctx context.Context, job watchJob, n Notification, edges []follow.Edge) (failed []follow.Edge, err error) {
	var mu sync.Mutex
	group := parallel.New()
	group.SetLimit(atOnce)
	for _, edge := range edges {
		group.Go(func() error {
			err := r.tellWatcher(ctx, job, n, edge.Follower)
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, edge)
			}
			return err
		})
	}
	err = group.Wait()
	return failed, err
}

// tellWatcher notifies a watcher, or takes the notification back.
func (r *Repository) tellWatcher(ctx context.Context, job watchJob, n Notification, watcher string) error {
	n.User = watcher
	return parallel.Catch(func() (err error) { // a panic for one watcher must not end the worker of all
		if job.Work.Key.retracts() {
			_, err = r.Retract(ctx, n)
		} else {
			_, _, err = r.Notify(ctx, n)
		}
		return err
	})
}

// oneWatcher returns the job of one watcher. It keeps the lease of the whole job, so
// that other workers leave it alone as long.
func oneWatcher(job watchJob, user string) watchJob {
	job.Work.Key.One, job.Work.User, job.Work.Cursor = job.Work.Key.One+hashOf(user), user, ""
	job.Key.SK = job.Work.Key.String()
	return job
}
