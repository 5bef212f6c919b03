package work

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// passPage is how many jobs are read at once.
const passPage = 100

// Pass claims every job whose sort key is below before, or every job if that is empty,
// and calls do with it. No job may have before as its key. do ends the job and reports
// whether it did, or gives it back if ctx has ended. Pass returns how many jobs were done.
// A job that fails delays no other, and is tried again when its lease ends.
//
// Shards come in random order, so that several workers share them; the jobs of
// a shard come in the order of their keys.
func (q *Queue[W]) Pass(ctx context.Context, before string, do func(context.Context, Job[W]) (done bool, err error)) (done int, err error) {
	var failed []error
	err = q.Each(ctx, before, func(ctx context.Context, job Job[W], _ time.Time) {
		ended, err := q.try(ctx, job, do)
		if ended {
			done++
		}
		if err != nil {
			failed = append(failed, err)
		}
	})
	return done, errors.Join(append(failed, err)...)
}

// Each is Pass for jobs that do claims itself. It calls do with each job, and with the
// time when the read of the job began. A wrong clock is a *plaza.ClockError.
func (q *Queue[W]) Each(ctx context.Context, before string, do func(ctx context.Context, job Job[W], read time.Time)) error {
	return q.each(ctx, before, q.Table.CheckClock, do)
}

// All calls do with every job, for a caller that is no worker. It checks no clock.
func (q *Queue[W]) All(ctx context.Context, do func(Job[W])) error {
	unchecked := func(context.Context) error { return nil }
	return q.each(ctx, "", unchecked, func(_ context.Context, job Job[W], _ time.Time) { do(job) })
}

func (q *Queue[W]) each(ctx context.Context, before string, check func(context.Context) error, do func(context.Context, Job[W], time.Time)) error {
	shards, err := q.StoredShards(ctx, false)
	if err != nil {
		return q.failed(err)
	}
	var failed []error
	for _, shard := range rand.Perm(shards) {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(failed, err)...)
		}
		if err := q.eachOf(ctx, store.Span{PK: q.PK(shard), To: before, Ascending: true, Limit: passPage}, check, do); err != nil {
			failed = append(failed, err)
			if errors.As(err, new(*plaza.ClockError)) {
				break
			}
		}
	}
	return errors.Join(failed...)
}

func (q *Queue[W]) eachOf(ctx context.Context, span store.Span, check func(context.Context) error, do func(context.Context, Job[W], time.Time)) error {
	began := q.Now()
	for jobs, err := range store.Pages[Job[W]](ctx, q.Table.Dated(), span) {
		if err == nil {
			err = check(ctx)
		}
		if err != nil {
			return q.failed(err)
		}
		for _, job := range jobs {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(ctx, job, began)
		}
		began = q.Now() // of the next read
	}
	return nil
}

// try does a job unless another worker holds it.
func (q *Queue[W]) try(ctx context.Context, job Job[W], do func(context.Context, Job[W]) (bool, error)) (done bool, err error) {
	claimed, err := q.Claim(ctx, &job)
	if err != nil {
		return false, q.failed(err)
	}
	if !claimed {
		return false, nil
	}
	return do(ctx, job)
}

func (q *Queue[W]) failed(err error) error {
	if q.Failed == nil {
		return err
	}
	return q.Failed(err)
}

// Run calls pass until ctx ends and returns the context's error. After a pass
// that did nothing or failed it waits for poll, give or take a quarter. While the
// clock is wrong it pauses. A wrong table ends it.
func (q *Queue[W]) Run(ctx context.Context, poll time.Duration, pass func(context.Context) (done int, err error)) error {
	for {
		done, err := pass(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, plaza.ErrTable):
			return err
		case err == nil && done > 0:
			continue
		case errors.As(err, new(*plaza.ClockError)):
			err = q.pause(ctx)
		default:
			err = parallel.Sleep(ctx, poll*3/4+rand.N(poll/2+1))
		}
		if err != nil {
			return err
		}
	}
}

const (
	askClock = time.Second     // how often a worker that pauses asks for DynamoDB's clock
	spread   = 5 * time.Second // over which workers begin again
)

// pause returns when the clock is right again.
func (q *Queue[W]) pause(ctx context.Context) error {
	for {
		if err := parallel.Sleep(ctx, askClock); err != nil {
			return err
		}
		if err := q.Table.CheckClock(ctx); err == nil {
			return parallel.Sleep(ctx, rand.N(spread))
		}
	}
}
