package digest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify"
)

// Groups reads users' notifications. *notify.Repository is one.
type Groups interface {
	UnreadBetween(ctx context.Context, user string, in notify.Span) (entries []notify.Entry, more bool, err error)
}

// Worker sends the digests that are due. Any number of workers may run at once.
type Worker struct {
	r      *Repository
	groups Groups
	sender Sender
	opts   WorkerOptions
}

// NewWorker does no I/O.
func NewWorker(digests *Repository, groups Groups, sender Sender, opts *WorkerOptions) (*Worker, error) {
	w := &Worker{r: digests, groups: groups, sender: sender, opts: args.Given(opts)}
	switch {
	case digests == nil:
		return nil, &plaza.InvalidError{Field: "digests", Reason: "is nil"}
	case groups == nil:
		return nil, &plaza.InvalidError{Field: "groups", Reason: "is nil"}
	case sender == nil:
		return nil, &plaza.InvalidError{Field: "sender", Reason: "is nil"}
	}
	if err := w.opts.setDefaults(); err != nil {
		return nil, err
	}
	return w, nil
}

// Deliver sends the digests that were due at least notify.Window ago, and returns how many are
// done. A digest that fails delays no other. It is tried again after 30 s, then
// after twice as long each time, up to an hour, or as RetryAfter says. After 24 hours it is given up. If the
// Schedule has changed, the digest moves to the next slot, or is dropped if there are no
// digests any more. Damaged items are passed to Options.OnCorrupt: a damaged job stays, and
// a damaged mark counts as none.
//
// Cost: 4 requests, 1.5 RCU, 2 WCU for each digest, and the Policy for each of its
// entries; with nothing to do 2 requests, 1 RCU.
//
//plaza:cost a digest: 4 requests, 1.5 RCU, 2 WCU
//plaza:cost each further 4 KB of entries: 1 RCU
//plaza:cost one that is over a minute late: 1 request, 1 RCU
//plaza:cost one of several spans, after a change of the schedule, at most: 3 requests, 3 RCU
//plaza:cost one whose groups the Policy leaves out: as UnreadBetween, up to 9 times
//plaza:cost one that fails: 3 WCU
//plaza:cost one that moves: 4 requests, 0.5 RCU, 3 WCU
//plaza:cost nothing to do: 2 requests, 1 RCU
//plaza:cost each further 100 digests, and each further job shard: 1 request, 0.5 RCU
//plaza:cost each further 4 KB of planned digests: 0.5 RCU
func (w *Worker) Deliver(ctx context.Context) (done int, err error) {
	ctx = plaza.WithOperation(ctx, "notify/digest.Worker.Deliver")
	c := w.newCrew()
	err = c.pass(ctx)
	c.wait()
	done, failed := c.result()
	return done, errors.Join(err, failed)
}

// Run delivers digests until ctx ends, and returns the context's error. Unlike Deliver,
// it looks for further digests while a Sender is busy. A wrong table ends it too; it
// reports other errors to WorkerOptions.OnAttempt and goes on. A stopped worker gives
// its digests back within two seconds; those of a worker that died are taken over after
// 40 s.
//
// Cost: as Deliver every WorkerOptions.Poll, with nothing to do 0.5 RCU a second for
// each worker by default.
func (w *Worker) Run(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "notify/digest.Worker.Run")
	c := w.newCrew()
	defer c.wait()
	return w.r.jobs.Run(ctx, w.opts.Poll, func(ctx context.Context) (int, error) {
		err := c.pass(ctx)
		done, failed := c.result()
		return done, errors.Join(err, failed)
	})
}

// crew works on several digests at once.
type crew struct {
	w     *Worker
	group parallel.Group

	mu   sync.Mutex
	busy map[store.Key]bool // by the keys of their jobs
	done int
	errs []error
}

func (w *Worker) newCrew() *crew {
	c := &crew{w: w, group: parallel.New(), busy: map[store.Key]bool{}}
	c.group.SetLimit(w.opts.Parallel)
	return c
}

// pass starts an attempt for every digest that is due. It waits while Parallel attempts
// are running.
func (c *crew) pass(ctx context.Context) error {
	before := ids.At(c.w.r.opts.Now().Add(-notify.Window)).String()
	err := c.w.r.jobs.Each(ctx, before, func(ctx context.Context, job dueJob, read time.Time) {
		if !c.begin(job.Key) {
			return
		}
		c.group.Go(func() error {
			c.end(job.Key, c.w.attempt(ctx, job, read))
			return nil
		})
	})
	if err != nil {
		err = fmt.Errorf("digest: deliver: %w", err)
		c.w.opts.OnAttempt(Attempt{Err: err})
	}
	return err
}

func (c *crew) begin(job store.Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy[job] {
		return false
	}
	c.busy[job] = true
	return true
}

func (c *crew) end(job store.Key, a Attempt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.busy, job)
	if a.Done {
		c.done++
	}
	if a.Err != nil {
		c.errs = append(c.errs, a.Err)
	}
}

// result returns what was done since the last call.
func (c *crew) result() (done int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	done, err = c.done, errors.Join(c.errs...)
	c.done, c.errs = 0, nil
	return done, err
}

func (c *crew) wait() { _ = c.group.Wait() }
