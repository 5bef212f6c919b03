package leaderboard_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestAWorkerThatIsStoppedGivesItsPeriodBack(t *testing.T) {
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@hourly"})
	w.enter(t, "b")
	w.set(noon.Add(time.Hour + time.Minute/2))
	w.enter(t, "b")
	w.set(noon.Add(3 * time.Hour))
	leaks := goleak.IgnoreCurrent()
	ctx, stop := context.WithCancel(t.Context())
	called := 0
	delivered := 0
	opts := &leaderboard.Options{OnAttempt: func(leaderboard.Attempt) { delivered++ }}
	err := w.process(t, opts).Run(ctx, func(ctx context.Context, _ leaderboard.Ended) error {
		called++
		stop()
		<-ctx.Done()
		return ctx.Err()
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, called, "nothing begins after that")
	require.Equal(t, 1, delivered)
	goleak.VerifyNone(t, leaks,
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
	var c calls
	require.Equal(t, 2, w.deliver(t, c.do), "at once, with the stopped one's clock")
	require.Equal(t, 1, c.all[0].Attempt, "being stopped is no failure")
}

// The context ends when do has succeeded.
func TestASuccessCountsThoughTheWorkerIsStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@hourly"})
	w.enter(t, "b")
	w.set(noon.Add(3 * time.Hour))
	ctx, stop := context.WithCancel(t.Context())
	require.ErrorIs(t, w.Run(ctx, func(context.Context, leaderboard.Ended) error { stop(); return nil }), context.Canceled)
	require.Empty(t, w.dueItems(t))
}

func TestRunCallsUntilItIsStopped(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	hangs, slow, ended := make(chan struct{}), make(chan struct{}), make(chan string, 10)
	w := newWorld(t, &leaderboard.Options{
		Poll: time.Millisecond, OnAttempt: func(d leaderboard.Attempt) { ended <- d.Ended.Board },
	})
	for _, board := range []string{"slow", "quick"} {
		w.define(t, leaderboard.Board{Name: board, Cron: "@hourly"})
	}
	w.enter(t, "slow")
	w.set(noon.Add(2 * time.Hour))
	stopped := make(chan error)
	go func() {
		stopped <- w.Run(ctx, func(_ context.Context, e leaderboard.Ended) error {
			if e.Board == "slow" {
				close(slow)
				<-hangs
			}
			return nil
		})
	}()
	<-slow
	w.enter(t, "quick")
	w.set(noon.Add(2*time.Hour + 29*time.Second)) // the lease of the slow one stands
	w.enter(t, "quick")
	w.set(noon.Add(4 * time.Hour))
	require.Equal(t, "quick", <-ended, "while another is busy")
	close(hangs)
	require.Equal(t, "slow", <-ended)
	stop()
	require.ErrorIs(t, <-stopped, context.Canceled)
	require.Empty(t, w.dueItems(t))
}

// bubble returns a process in a bubble of synctest: its clock is the bubble's, and its
// requests are real.
func (w world) bubble(t testing.TB, at time.Time) world {
	t.Helper()
	began := time.Now()
	return w.clocked(t, func() time.Time { return at.Add(time.Since(began)) }, func(aws.HTTPClient) aws.HTTPClient {
		return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	})
}

// Another worker has ended the work of one that was frozen.
func TestACallThatHasBecomeNeedlessIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
	w.enter(t, "b")
	synctest.Test(t, func(t *testing.T) {
		done, err := w.bubble(t, march(12, 0)).Deliver(t.Context(), func(ctx context.Context, _ leaderboard.Ended) error {
			heir := w.bubble(t, march(12, 1)) // its lease is over
			require.Equal(t, 1, heir.deliver(t, (&calls{}).do))
			<-ctx.Done()
			return ctx.Err()
		})
		require.NoError(t, err)
		require.Zero(t, done)
	})
	require.Empty(t, w.dueItems(t))
}
