package digest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/share"
	"github.com/plaza-sdk/plaza/notify"
)

const (
	// sendTime is how long an attempt may take.
	sendTime = 20 * time.Second

	// grace is how long a Sender may take to return after its context has ended.
	grace = time.Second

	// endTime is how long it may then take to end the job.
	endTime = 5 * time.Second

	// fresh is how long a job that was read is assumed to exist.
	fresh = 5 * time.Second

	// stopWait is how long a stopped worker may take to give a digest back, or to end one
	// that it has sent.
	stopWait = time.Second

	firstWait = 30 * time.Second
	maxWait   = time.Hour
	giveUp    = 24 * time.Hour

	asksAtOnce = 8 // calls of the Policy, for one digest

	// maxReads is how often the groups of one digest are read, where the Policy wants few
	// of them.
	maxReads = 10
)

// A worker may take over a job when its lease ends. If it read the job less than fresh
// before, the attempt that had the lease is over by then: this does not compile otherwise.
const _ = uint64(lease - sendTime - grace - endTime - fresh)

// errSlow is returned for an attempt that did not end in time.
var errSlow = fmt.Errorf("took more than %v: %w", sendTime, plaza.ErrBusy)

// trial is an attempt that is running.
type trial struct {
	Attempt
	job   dueJob
	held  bool  // another worker has the digest, or has ended it
	took  bool  // this attempt has the lease
	lease claim // if took is set
	spans spans // what the digest covers
	hangs bool  // the Sender did not return in time and is still running
}

// attempt makes one attempt to send a digest, and reports it.
func (w *Worker) attempt(ctx context.Context, job dueJob, read time.Time) Attempt {
	d := job.Work
	t := trial{job: job, Attempt: Attempt{Key: d.key(), User: d.User, Channel: d.Channel, Slot: d.Slot.Time()}}
	t = w.within(ctx, t, func(ctx context.Context, t *trial) error { return w.try(ctx, t, read) })
	if t.held {
		return t.Attempt
	}
	if t.Err != nil {
		t.Err = fmt.Errorf("digest: %q of %q at %v: %w", d.Channel, d.User, t.Slot.UTC(), t.Err)
	}
	err := parallel.Catch(func() error {
		w.opts.OnAttempt(t.Attempt)
		return nil
	})
	if err != nil { // its crew goes on
		t.Err = errors.Join(t.Err, fmt.Errorf("digest: OnAttempt: %w", err))
	}
	return t.Attempt
}

// within runs an attempt and settles it. It stops waiting for one that does not end in
// time, and returns a panic as an error.
func (w *Worker) within(ctx context.Context, t trial, do func(context.Context, *trial) error) trial {
	limited, cancel := context.WithTimeoutCause(ctx, sendTime, errSlow)
	defer cancel()
	var over atomic.Bool // whoever sets it settles the attempt
	ended := make(chan trial, 1)
	go func(t trial) {
		t.Err = parallel.Catch(func() error { return do(limited, &t) })
		if over.CompareAndSwap(false, true) { // here, where the stack has grown for requests already
			w.settle(ctx, &t)
			ended <- t
		}
	}(t)
	select {
	case t := <-ended:
		return t
	case <-limited.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case t := <-ended:
		return t
	case <-timer.C:
	}
	if !over.CompareAndSwap(false, true) {
		return <-ended
	}
	t.Err, t.hangs = context.Cause(limited), true
	w.settle(ctx, &t)
	return t
}

// try makes an attempt, up to and including Send.
func (w *Worker) try(ctx context.Context, t *trial, read time.Time) error {
	read, err := w.ensure(ctx, t, read)
	if err != nil || t.held {
		return err
	}
	if err := w.take(ctx, t); err != nil || len(t.spans) == 0 {
		return err
	}
	// While take was waiting, another worker may have ended the job.
	if _, err := w.ensure(ctx, t, read); err != nil || t.held {
		return err
	}
	d, err := w.digest(ctx, t)
	if err != nil {
		return err
	}
	if t.Entries = len(d.Entries); t.Entries == 0 {
		t.Done = true
		return nil
	}
	if err := w.sender.Send(ctx, d); err != nil {
		return err
	}
	t.Sent, t.Done = true, true
	return nil
}

// ensure sets t.held if the job is gone. If the last read of the job is fresh, it does
// not read it again. It returns the time of the last read.
func (w *Worker) ensure(ctx context.Context, t *trial, read time.Time) (time.Time, error) {
	now := w.r.opts.Now()
	if share.Fresh(read, now, fresh) {
		return read, nil
	}
	exists, err := w.exists(ctx, t.job)
	t.held = err == nil && !exists
	return now, err
}

// exists reports whether a job is still stored under its key. A later attempt has
// another key.
func (w *Worker) exists(ctx context.Context, job dueJob) (bool, error) {
	var now dueJob
	err := w.r.table.Get(ctx, job.Key, true, &now)
	if errors.Is(err, plaza.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// digest returns what to send.
func (w *Worker) digest(ctx context.Context, t *trial) (Digest, error) {
	job := t.job.Work
	d := Digest{
		Key: t.Key, User: job.User, Channel: job.Channel, Attempt: job.Tries + 1,
		From: t.spans[0].from.Time(), Slot: t.Slot,
	}
	var err error
	if d.Entries, d.More, err = w.entries(ctx, job, t.spans); err != nil {
		return Digest{}, err
	}
	if len(d.Entries) > 0 && w.opts.Unsubscribe != nil {
		d.Unsubscribe, err = w.opts.Unsubscribe(job.User, job.Channel)
	}
	return d, err
}

// entries returns the newest of the spans, newest first, and whether there are more.
func (w *Worker) entries(ctx context.Context, job dueItem, own spans) (entries []notify.Entry, more bool, err error) {
	reads := 0
	for _, s := range slices.Backward(own) {
		for in := (notify.Span{From: s.from, To: s.to}); in.From < in.To; {
			read, rest, err := w.groups.UnreadBetween(ctx, job.User, in)
			if err != nil {
				return nil, false, err
			}
			kept, err := w.wanted(ctx, job, read)
			if err != nil {
				return nil, false, err
			}
			entries = append(entries, kept...)
			if !rest {
				break
			}
			if reads++; len(read) == 0 || len(entries) >= MaxEntries || reads == maxReads {
				return entries[:min(len(entries), MaxEntries)], true, nil
			}
			in.To = read[len(read)-1].Last // unwanted ones must not take the place of others
		}
	}
	return entries[:min(len(entries), MaxEntries)], len(entries) > MaxEntries, nil
}

// wanted returns the entries that the Policy still wants on the channel.
func (w *Worker) wanted(ctx context.Context, job dueItem, entries []notify.Entry) ([]notify.Entry, error) {
	if w.opts.Policy == nil {
		return entries, nil
	}
	wanted := make([]bool, len(entries))
	err := parallel.ForEach(ctx, len(entries), asksAtOnce, func(ctx context.Context, i int) error {
		a := entries[i].Activity
		d, err := w.opts.Policy.Decide(ctx, notify.Notification{
			User: job.User, Activity: a,
			Critical: w.opts.User(a.Actor) == job.User, // it would not be in the list otherwise
		})
		wanted[i] = !d.Drop && slices.Contains(d.Channels, job.Channel)
		return err
	})
	var kept []notify.Entry
	for i, e := range entries {
		if wanted[i] {
			kept = append(kept, e)
		}
	}
	return kept, err
}

// settle ends the job, or plans another attempt, unless another worker has it.
func (w *Worker) settle(ctx context.Context, t *trial) {
	if t.held {
		return
	}
	err := parallel.Catch(func() error { return w.end(ctx, t) })
	t.Err = cmp.Or(t.Err, err)
}

func (w *Worker) end(ctx context.Context, t *trial) error {
	now := w.r.opts.Now()
	since := t.job.Work.Since
	if since == 0 {
		since = now.UnixMilli()
	}
	switch {
	case t.Err != nil && ctx.Err() != nil:
		w.giveBack(ctx, t)
		return nil
	case t.Err != nil && !t.took && !t.hangs, errors.Is(t.Err, plaza.ErrTable):
		return nil // the next pass tries it again
	case t.Err != nil && !isPermanent(t.Err) && now.Sub(time.UnixMilli(since)) < giveUp:
		return w.later(ctx, t, since)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	err := w.r.jobs.End(ctx, t.job)
	t.Done = err == nil
	return err
}

// later moves the job of a failed attempt to the time of the next one.
func (w *Worker) later(ctx context.Context, t *trial, since int64) error {
	next := t.job
	wait := min(firstWait<<min(next.Work.Tries, 10), maxWait)
	var told interface {
		error
		RetryAfter() time.Duration
	}
	if errors.As(t.Err, &told) {
		wait = min(max(told.RetryAfter(), firstWait), giveUp)
	}
	due := ids.At(w.r.opts.Now().Add(wait)) + 1 // no slot ends at it
	next.Key.SK = jobSK(due, next.Work.Slot, next.Work.place())
	next.Work.Tries++
	next.Work.Since = since
	if len(t.spans) > 0 {
		next.Work.Spans = t.spans
	}
	err := w.r.table.Run(ctx, w.r.table.Tx().Put(w.r.table.Put(next)).
		Delete(w.r.table.Delete(t.job.Key).If("attribute_exists(pk)")))
	return ignoreRefused(err) // refused: another worker has ended it
}
