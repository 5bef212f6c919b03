package leaderboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// crew calls do for the ended periods of several boards at once.
type crew struct {
	r     *Repository
	do    func(context.Context, Ended) error
	group parallel.Group

	mu    sync.Mutex
	queue map[string][]dueJob // by board; the first is under way
	done  int
	errs  []error
}

func (r *Repository) newCrew(do func(context.Context, Ended) error) (*crew, error) {
	if do == nil {
		return nil, &plaza.InvalidError{Field: "do", Reason: "is nil"}
	}
	c := &crew{r: r, do: do, group: parallel.New(), queue: map[string][]dueJob{}}
	c.group.SetLimit(r.opts.Parallel)
	return c, nil
}

// pass starts every board that has a due period, and queues the board's other due
// periods. It waits while Parallel boards are busy.
func (c *crew) pass(ctx context.Context) error {
	before := dueText(c.r.opts.Now())
	err := c.r.jobs.Each(ctx, before, func(ctx context.Context, job dueJob, read time.Time) {
		if job.Work.waits(read) || !c.add(job) {
			return
		}
		c.group.Go(func() error {
			c.serve(ctx, job)
			return nil
		})
	})
	if err == nil {
		return nil
	}
	err = fmt.Errorf("leaderboard: ended periods: %w", err)
	if ctx.Err() != nil { // the worker was stopped
		return err
	}
	return errors.Join(err, c.r.report(Attempt{Err: err}))
}

// maxQueued is how many periods of a board are queued. The next pass finds the rest.
const maxQueued = 100

// add queues a period, unless it is queued already. It reports whether it is the board's
// first.
func (c *crew) add(job dueJob) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.queue[job.Work.board]
	if len(queue) < maxQueued && !slices.ContainsFunc(queue, func(j dueJob) bool { return j.Key == job.Key }) {
		c.queue[job.Work.board] = append(queue, job)
	}
	return len(queue) == 0
}

// serve calls do for the queued periods of a board, one after another.
func (c *crew) serve(ctx context.Context, job dueJob) {
	for more := true; more; {
		var a Attempt
		if ctx.Err() == nil {
			t := trial{r: c.r, do: c.do, job: job}
			a = t.run(ctx)
		}
		job, more = c.end(job, a)
	}
}

// end takes a period off the queue, and returns the next one of its board.
func (c *crew) end(job dueJob, a Attempt) (next dueJob, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.Done {
		c.done++
	}
	if a.Err != nil {
		c.errs = append(c.errs, a.Err)
	}
	queue := c.queue[job.Work.board][1:]
	if c.queue[job.Work.board] = queue; len(queue) == 0 {
		delete(c.queue, job.Work.board)
		return dueJob{}, false
	}
	return queue[0], true
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
