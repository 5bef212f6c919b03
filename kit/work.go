package kit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/observe"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// Attempt is an attempt of a worker at a piece of work. A feature's own OnAttempt says more.
type Attempt struct {
	Worker string // feed, notify, digest or leaderboard

	// Subject is the owner of the activity, the object, the user of the digest or the board.
	// It is empty if the worker failed to look for work.
	Subject string

	// Due is the time of the activity, of the slot of a digest that was sent, or of the
	// period's end. When the attempt is Done, its age is the delay. It is zero if there is none.
	Due time.Time

	Done bool  // there will be no other attempt
	Err  error // it will be tried again, unless Done

	// LeftOut is why Run does not start this worker. Then all other fields but Worker are
	// empty.
	LeftOut string
}

// reportAttempts passes the attempts of workers without an OnAttempt of their own to
// Options.OnAttempt.
func (o *Options) reportAttempts() {
	report := func(a observe.Attempt, subject string) {
		o.OnAttempt(Attempt{Worker: a.Worker, Subject: subject, Due: a.Due, Done: a.Done, Err: a.Err})
	}
	if o.Feed.OnAttempt == nil {
		o.Feed.OnAttempt = func(a feed.Attempt) { report(observe.Feed(a), a.Owner) }
	}
	if o.Notify.OnAttempt == nil {
		o.Notify.OnAttempt = func(a notify.Attempt) { report(observe.Notify(a), a.Object.String()) }
	}
	if o.DigestWorker.OnAttempt == nil {
		o.DigestWorker.OnAttempt = func(a digest.Attempt) { report(observe.Digest(a), a.User) }
	}
	if o.Leaderboard.OnAttempt == nil {
		o.Leaderboard.OnAttempt = func(a leaderboard.Attempt) { report(observe.Leaderboard(a), a.Ended.Board) }
	}
}

// Run runs the workers until ctx ends, waits for all and returns nil. If a table is wrong, it
// ends them and returns that plaza.ErrTable. Without Options.Send it leaves out digests,
// without Options.Ended boards, and tells Options.OnAttempt so. Any number of processes may run.
//
// Cost: as Run of feed, notify, digest and leaderboard.
func (k *Kit) Run(ctx context.Context) error {
	working, leftOut := k.workers()
	for _, a := range leftOut {
		k.opts.OnAttempt(a)
	}
	group, running := parallel.WithContext(ctx)
	group.Go(func() error { // also where there are no workers
		<-running.Done()
		return running.Err()
	})
	for _, w := range working {
		group.Go(func() error {
			err := w.run(running)
			if err != nil && running.Err() == nil {
				err = fmt.Errorf("kit: worker of %s: %w", w.name, err)
			}
			return err
		})
	}
	err := group.Wait()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// Deliver does what is waiting for each worker of Run, once, and returns how much it did. A
// function that a schedule starts each minute calls it, once or until it returns 0. Errors are joined: one worker's delays no other.
//
// Cost: as Deliver of feed, notify, digest and leaderboard.
func (k *Kit) Deliver(ctx context.Context) (done int, err error) {
	working, _ := k.workers()
	did := make([]int, len(working))
	err = each(ctx, len(working), func(ctx context.Context, i int) (err error) {
		did[i], err = working[i].deliver(ctx)
		return err
	})
	for _, n := range did {
		done += n
	}
	return done, err
}

type worker struct {
	name    string
	run     func(context.Context) error
	deliver func(context.Context) (done int, err error)
}

// workers returns those that can run, and why the others cannot.
func (k *Kit) workers() (working []worker, leftOut []Attempt) {
	if k.has(Feed) {
		working = append(working, worker{"feed", k.Feeds.Run, k.Feeds.Deliver})
	}
	if k.has(Notify) {
		working = append(working, worker{"notify", k.Bell.Run, k.Bell.Deliver})
	}
	switch ended := k.opts.Ended; {
	case !k.has(Leaderboard):
	case ended == nil:
		leftOut = append(leftOut, Attempt{Worker: "leaderboard", LeftOut: "Options.Ended is nil"})
	default:
		working = append(working, worker{
			"leaderboard",
			func(ctx context.Context) error { return k.Boards.Run(ctx, ended) },
			func(ctx context.Context) (int, error) { return k.Boards.Deliver(ctx, ended) },
		})
	}
	switch {
	case !k.has(Notify):
	case k.sender == nil:
		leftOut = append(leftOut, Attempt{Worker: "digest", LeftOut: "Options.Send is nil"})
	default:
		working = append(working, worker{"digest", k.sender.Run, k.sender.Deliver})
	}
	return working, leftOut
}
