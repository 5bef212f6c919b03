package leaderboard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// Ended is a period that is over and accepts no more submissions.
type Ended struct {
	Board  string `json:"board"`
	Period Period `json:"period"`

	// Key is the same in every attempt, and no other period of any board has it. Use it
	// as the identity of prizes and announcements.
	Key string `json:"key"`

	Attempt int `json:"attempt"` // 1 is the first

	// Expired means that the board's Keep has passed: the standings can no longer be
	// read, and reads of the period return plaza.ErrNotFound.
	Expired bool `json:"expired"`
}

// Attempt is one attempt to call do for a period that ended. If Ended.Board is empty, it
// is a failed attempt to find such periods.
type Attempt struct {
	Ended Ended
	Done  bool  // there will be no other attempt
	Err   error // it will be tried again, unless Done
}

// Deliver calls do for each period that ended, and returns how many are done. A period is
// due 70 s after its end and the board's Grace, when its standings are final. Read them
// with the usual calls and In.Period. They are kept for the board's Keep after Grace.
//
// do is called at least once for each period, with the same Key. If a worker died or an
// answer was lost, do is called again, perhaps while another worker still runs it. When
// do fails or panics, it is called again after 30 s, then after twice as long each time,
// up to an hour. After 30 days without success the period is given up. do may take as
// long as it needs; set a timeout on its requests. The periods of a board come one after
// another, the oldest first, except that a failed one does not delay later ones. With
// several workers, later ones may come first.
//
// do is not called for a period that nobody submitted to, nor for one of a board that
// was undefined meanwhile. Deliver returns once every do has returned.
//
// Cost: for each period 4 requests, 2 RCU, 2 WCU, and what do costs; 1 request, 1 WCU more
// for each 10 s that do takes; 1 request for each 100 periods that are due, 0.5 RCU
// for 4 KB.
func (r *Repository) Deliver(ctx context.Context, do func(ctx context.Context, ended Ended) error) (done int, err error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Deliver")
	c, err := r.newCrew(do)
	if err != nil {
		return 0, err
	}
	err = c.pass(ctx)
	c.wait()
	done, failed := c.result()
	return done, errors.Join(err, failed)
}

// Run calls do as Deliver does, until ctx ends, and returns the context's error. It looks
// for further periods while do is busy. A wrong table ends it too; it reports other
// errors to Options.OnAttempt and goes on. Any number of workers may run. One that is
// stopped waits for do to return, and gives its periods back; those of one that died are
// taken over after 30 s.
//
// Cost: as Deliver every Options.Poll, with nothing to do 0.05 RCU a second for each
// worker by default.
func (r *Repository) Run(ctx context.Context, do func(ctx context.Context, ended Ended) error) error {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Run")
	c, err := r.newCrew(do)
	if err != nil {
		return err
	}
	defer c.wait()
	return r.jobs.Run(ctx, r.opts.Poll, func(ctx context.Context) (int, error) {
		err := c.pass(ctx)
		done, _ := c.result()
		return done, err
	})
}

// jobLease is how long other workers leave a period to the one that took it.
const jobLease = 30 * time.Second

// stopWait is how long the result of an attempt may take to be stored after ctx has ended.
const stopWait = 5 * time.Second

// trial is an attempt that is running.
type trial struct {
	Attempt
	job dueJob
}

// attempt calls do for a period, unless another worker has it, and reports the result.
func (c *crew) attempt(ctx context.Context, job dueJob) Attempt {
	t := trial{job: job, Attempt: Attempt{Ended: job.Work.ended()}}
	t.Err = parallel.Catch(func() error {
		claimed, err := c.r.jobs.Claim(ctx, &t.job)
		switch {
		case !claimed:
			return err
		case t.job.Work.waits(c.r.opts.Now()): // another worker has failed since it was read
			_, err = c.r.jobs.Checkpoint(ctx, &t.job, nil, true)
			return err
		}
		t.Ended = t.job.Work.ended()
		return c.tryClaimed(ctx, &t)
	})
	if t.Err != nil {
		t.Err = fmt.Errorf("leaderboard: end of period %s of %q: %w", t.Ended.Period.Name, t.Ended.Board, t.Err)
	}
	if t.Done || t.Err != nil {
		t.Err = errors.Join(t.Err, c.r.report(t.Attempt))
	}
	return t.Attempt
}

// tryClaimed makes an attempt whose job is claimed, and stores its result, unless another
// worker has ended the job meanwhile.
func (c *crew) tryClaimed(ctx context.Context, t *trial) error {
	var later time.Time
	stands, failed := c.r.jobs.Hold(ctx, &t.job, func(ctx context.Context) (err error) {
		later, err = c.try(ctx, t)
		return err
	})
	switch {
	case !stands:
		return nil
	case failed != nil && ctx.Err() != nil:
		c.r.jobs.GiveBack(ctx, t.job)
		return failed
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	tries := t.job.Work.Tries
	switch {
	case failed != nil:
		wait := min(firstWait<<min(tries, 10), maxWait)
		return errors.Join(failed, c.postpone(ctx, t, tries+1, c.r.opts.Now().Add(wait)))
	case !later.IsZero():
		return c.postpone(ctx, t, tries, later)
	}
	err := c.r.endDue(ctx, t.job)
	t.Done = err == nil
	return err
}

// postpone leaves the period to the next attempt.
func (c *crew) postpone(ctx context.Context, t *trial, tries int, next time.Time) error {
	_, err := c.r.jobs.Checkpoint(ctx, &t.job, map[string]any{"tries": tries, "next": next.UnixMilli()}, true)
	return err
}

// try calls do, unless the period no longer exists. If it is not due yet, try returns
// when to try again.
func (c *crew) try(ctx context.Context, t *trial) (later time.Time, err error) {
	due, now := t.job.Work, c.r.opts.Now()
	if _, err := c.r.definition(ctx, due.board); err != nil {
		return time.Time{}, ignoreNotFound(err)
	}
	var item periodItem
	if err := c.r.table.Get(ctx, periodKey(due.board, due.start), true, &item); err != nil {
		return time.Time{}, ignoreNotFound(err)
	}
	p := item.period()
	switch at := p.due(); {
	case at.IsZero(): // Repair had to guess its end
		return time.Time{}, nil
	case now.Before(at):
		return earlier(at, now.Add(maxWait)), nil
	}
	t.Ended.Period, t.Ended.Expired = item.show(), p.expired(now)
	return time.Time{}, c.do(ctx, t.Ended)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func ignoreNotFound(err error) error {
	if errors.Is(err, plaza.ErrNotFound) {
		return nil
	}
	return err
}

// report passes an attempt to Options.OnAttempt, and returns its panic.
func (r *Repository) report(d Attempt) error {
	err := parallel.Catch(func() error {
		r.opts.OnAttempt(d)
		return nil
	})
	if err != nil {
		err = fmt.Errorf("leaderboard: OnAttempt: %w", err)
	}
	return err
}
