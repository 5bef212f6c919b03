package leaderboard

import (
	"context"
	"errors"

	"github.com/plaza-sdk/plaza"
)

// Deliver calls do for each period that ended, and returns how many are done. A period is
// due 20 s after its end and the board's Grace, when its standings are final. Read them
// with the usual calls and In.Period. They are kept for the board's Keep after Grace.
//
// do is called at least once for each period, with the same Key. If a worker died or an
// answer was lost, it is called again, perhaps while another worker still runs it. If do
// fails or panics, it is called again after 30 s, then after twice as long each time, up
// to an hour. After 30 days without success the period is given up. do may take as long
// as it needs; set a timeout on its requests. The periods of a board come one after
// another, the oldest first, but a failed one does not delay later ones, and with several
// workers later ones may come first.
//
// do is not called for a period that nobody submitted to, nor for one of a board that
// was undefined meanwhile. Deliver returns once every do has returned.
//
// Cost: for each period 4 requests, 2 RCU, 2 WCU; 1 request, 1 WCU for each 10 s of
// do; 1 request for each 100 due.
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
