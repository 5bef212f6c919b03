package leaderboard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
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

// ended is the period for the next attempt, as far as the item says.
func (d dueItem) ended() Ended {
	p := periodItem{Start: periodStart{d.start}}
	return Ended{Board: d.board, Period: p.show(), Key: d.key(), Attempt: d.Tries + 1}
}

// trial is an attempt that is running.
type trial struct {
	Attempt
	r   *Repository
	do  func(context.Context, Ended) error
	job dueJob
}

// run calls do for the period, unless another worker has it, and reports the result.
func (t *trial) run(ctx context.Context) Attempt {
	t.Ended = t.job.Work.ended()
	t.Err = parallel.Catch(func() error {
		claimed, err := t.r.jobs.Claim(ctx, &t.job)
		switch {
		case !claimed:
			return err
		case t.job.Work.waits(t.r.opts.Now()): // another worker has failed since it was read
			_, err = t.r.jobs.Checkpoint(ctx, &t.job, nil, true)
			return err
		}
		t.Ended = t.job.Work.ended()
		return t.hold(ctx)
	})
	if t.Err != nil {
		t.Err = fmt.Errorf("leaderboard: end of period %s of %q: %w", t.Ended.Period.Name, t.Ended.Board, t.Err)
	}
	if t.Done || t.Err != nil {
		t.Err = errors.Join(t.Err, t.r.report(t.Attempt))
	}
	return t.Attempt
}

// stopWait is how long the result of an attempt may take to be stored after ctx has ended.
const stopWait = 5 * time.Second

// hold calls do while the job is renewed, and stores the result, unless another worker
// has ended the job meanwhile.
func (t *trial) hold(ctx context.Context) error {
	var later time.Time
	held, failed := t.r.jobs.Hold(ctx, &t.job, func(ctx context.Context) (err error) {
		later, err = t.call(ctx)
		return err
	})
	switch {
	case !held:
		return nil
	case failed != nil && ctx.Err() != nil:
		t.r.jobs.GiveBack(ctx, t.job)
		return failed
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	tries := t.job.Work.Tries
	switch {
	case failed != nil:
		wait := min(firstWait<<min(tries, 10), maxWait)
		return errors.Join(failed, t.postpone(ctx, tries+1, t.r.opts.Now().Add(wait)))
	case !later.IsZero():
		return t.postpone(ctx, tries, later)
	}
	err := t.r.endDue(ctx, t.job)
	t.Done = err == nil
	return err
}

// call calls do, unless the period no longer exists. If it is not due yet, call returns
// when to try again.
func (t *trial) call(ctx context.Context) (later time.Time, err error) {
	due, now := t.job.Work, t.r.opts.Now()
	if _, err := t.r.definition(ctx, due.board); err != nil {
		return time.Time{}, ignoreNotFound(err)
	}
	var item periodItem
	if err := t.r.table.Get(ctx, periodKey(due.board, due.start), true, &item); err != nil {
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
	return time.Time{}, t.do(ctx, t.Ended)
}

// postpone leaves the period to the next attempt.
func (t *trial) postpone(ctx context.Context, tries int, next time.Time) error {
	_, err := t.r.jobs.Checkpoint(ctx, &t.job, map[string]any{"tries": tries, "next": next.UnixMilli()}, true)
	return err
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

// endDue deletes a due item whose work is done, unless the board was defined again and
// the item belongs to another period.
func (r *Repository) endDue(ctx context.Context, job dueJob) error {
	err := r.table.Run(ctx, r.table.Delete(job.Key).If("ver = ?", job.Work.Ver))
	if _, refused := store.AsRefused(err); refused {
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
