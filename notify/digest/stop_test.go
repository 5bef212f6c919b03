package digest_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// A worker is stopped at each of its requests. Another one goes on at once, and nothing
// is sent twice.
func TestAStoppedWorkerGivesItsDigestBack(t *testing.T) {
	for name, tc := range map[string]struct {
		op, with string // the context ends at the first such request,
		kind     faults.Kind
	}{
		"looking for digests":   {"Query", "D#", faults.None},
		"reading the mark":      {"GetItem", "N#", faults.None},
		"before taking it":      {"PutItem", "N#", faults.LostBefore},
		"taking it":             {"PutItem", "N#", faults.Hung},
		"having taken it":       {"PutItem", "N#", faults.None},
		"reading groups":        {"Query", "recent", faults.Hung},
		"before it is sent":     {"Query", "recent", faults.None},
		"ending it, being sent": {"DeleteItem", "D#", faults.None},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, hourly)
			w.process(t, parts{}).notify(t, "1")
			w.pass(time.Hour + time.Minute)
			leaks := goleak.IgnoreCurrent()
			ctx, stop := context.WithCancel(t.Context())
			in, met := faults.New(t, 1, faults.Rates{}), false
			in.Script(func(op string, body []byte, _ int) faults.Fault {
				switch {
				case met:
					stop() // the one that was met is answered
				case op == tc.op && bytes.Contains(body, []byte(tc.with)):
					met = true
					if tc.kind != faults.None {
						stop()
					}
					return faults.Fault{Kind: tc.kind}
				}
				return faults.Fault{}
			})
			require.ErrorIs(t, w.process(t, parts{}, in.Wrap).worker.Run(ctx), context.Canceled)
			require.True(t, met)
			goleak.VerifyNone(t, leaks,
				goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
				goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
			w.process(t, parts{}).deliver(t) // with the stopped one's clock
			require.Empty(t, w.jobs(t))
			require.Len(t, w.all(), 1)
		})
	}
}

func TestASenderThatIsStoppedIsCalledAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	ctx, stop := context.WithCancel(t.Context())
	p := w.process(t, parts{sender: sends(func(ctx context.Context, _ digest.Digest) error {
		stop()
		<-ctx.Done()
		return ctx.Err()
	})})
	p.notify(t, "1")
	w.pass(time.Hour + time.Minute)
	require.ErrorIs(t, p.worker.Run(ctx), context.Canceled)
	other := w.process(t, parts{})
	require.Equal(t, 1, other.deliver(t))
	require.Len(t, w.all(), 1)
	require.Equal(t, 1, w.all()[0].Attempt)
}

// A worker is frozen while it sends, and another takes its digest over. When the first is
// stopped, it does not give away the lease of the other.
func TestAStoppedWorkerLeavesTheLeaseOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	ctx, stop := context.WithCancel(t.Context())
	sending, sent := make(chan struct{}), make(chan struct{})
	heir := w.process(t, parts{sender: sends(func(ctx context.Context, d digest.Digest) error {
		close(sending)
		<-sent
		return w.Send(ctx, d)
	})})
	ended := make(chan error)
	frozen := w.process(t, parts{sender: sends(func(context.Context, digest.Digest) error {
		w.pass(time.Minute)
		go func() {
			_, err := heir.worker.Deliver(t.Context())
			ended <- err
		}()
		<-sending
		stop()
		return ctx.Err()
	})})
	frozen.notify(t, "1")
	w.pass(time.Hour + time.Minute)
	require.ErrorIs(t, frozen.worker.Run(ctx), context.Canceled)
	require.Zero(t, w.process(t, parts{}).deliver(t), "the heir has it")
	close(sent)
	require.NoError(t, <-ended)
	require.Len(t, w.all(), 1)
}

// Time is simulated, and requests are real.
func TestASenderThatHangsIsLeftBehind(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		hang func(ctx context.Context, forever chan struct{}) error
		want error
	}{
		"until its context ends": {func(ctx context.Context, _ chan struct{}) error { <-ctx.Done(); return ctx.Err() }, context.DeadlineExceeded},
		"for ever":               {func(_ context.Context, forever chan struct{}) error { <-forever; return nil }, plaza.ErrBusy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, hourly)
			w.process(t, parts{}).notify(t, "1")
			w.pass(time.Hour + time.Minute)
			synctest.Test(t, func(t *testing.T) {
				forever := make(chan struct{})
				var attempts []digest.Attempt
				worker := w.process(t, parts{
					sender: sends(func(ctx context.Context, _ digest.Digest) error { return tc.hang(ctx, forever) }),
					worker: digest.WorkerOptions{OnAttempt: func(a digest.Attempt) { attempts = append(attempts, a) }},
				}, func(aws.HTTPClient) aws.HTTPClient {
					return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // one of the bubble
				}).worker
				began := time.Now()
				done, err := worker.Deliver(t.Context())
				require.ErrorIs(t, err, tc.want)
				require.Zero(t, done)
				took := time.Since(began)
				require.GreaterOrEqual(t, took, digest.SendTime)
				require.Less(t, took, digest.SendTime+2*time.Second, "it has its lease")
				require.Len(t, attempts, 1)
				require.False(t, attempts[0].Done)
				close(forever)
			})
			jobs := w.jobs(t)
			require.Len(t, jobs, 1)
			require.Equal(t, 1, jobs[0].Tries)
			w.pass(time.Minute)
			require.Equal(t, 1, w.process(t, parts{}).deliver(t))
		})
	}
}

// The time of the attempt ends while its job is being ended.
func TestASentDigestIsNotPlannedAgainWhileItEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	w.process(t, parts{}).notify(t, "1")
	w.pass(time.Hour + time.Minute)
	synctest.Test(t, func(t *testing.T) {
		var attempts []digest.Attempt
		worker := w.process(t, parts{
			sender: sends(func(context.Context, digest.Digest) error {
				time.Sleep(digest.SendTime - time.Second)
				return nil
			}),
			worker: digest.WorkerOptions{OnAttempt: func(a digest.Attempt) { attempts = append(attempts, a) }},
		}, func(aws.HTTPClient) aws.HTTPClient {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // one of the bubble
			return doer(func(r *http.Request) (*http.Response, error) {
				if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".DeleteItem") {
					<-r.Context().Done()
				}
				return client.Do(r)
			})
		}).worker
		_, err := worker.Deliver(t.Context())
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
		require.Len(t, attempts, 1)
		require.True(t, attempts[0].Sent)
		require.False(t, attempts[0].Done)
	})
	jobs := w.jobs(t)
	require.Len(t, jobs, 1)
	require.Zero(t, jobs[0].Tries)
}

// While a worker waits for the schedule, another one sends the digest, and the lease of
// that one ends.
func TestADigestThatEndsDuringASlowTakeIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	w.process(t, parts{}).notify(t, "1")
	w.pass(time.Hour + time.Minute)
	slow := w.process(t, parts{schedule: func(ctx context.Context, user, channel string) (digest.Schedule, error) {
		require.Equal(t, 1, w.process(t, parts{}).deliver(t))
		w.pass(time.Minute)
		return w.schedule(ctx, user, channel)
	}})
	require.Zero(t, slow.deliver(t))
	require.Len(t, w.all(), 1)
}

func TestRunDeliversUntilItIsStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan digest.Attempt, 10)
	hangs, slow := make(chan struct{}), make(chan struct{})
	p := w.process(t, parts{
		sender: sends(func(ctx context.Context, d digest.Digest) error {
			if d.User == "bob" {
				close(slow)
				<-hangs
			}
			return w.Send(ctx, d)
		}),
		worker: digest.WorkerOptions{Poll: time.Millisecond, OnAttempt: func(a digest.Attempt) { ended <- a }},
	})
	require.NoError(t, errOf3(p.Notify(t.Context(), w.post("bob", "1"))))
	w.pass(time.Hour + time.Minute)
	stopped := make(chan error)
	go func() { stopped <- p.worker.Run(ctx) }()
	<-slow
	for range 2 { // it does not wait for the Sender of another digest
		p.notify(t, "1")
		w.pass(time.Hour)
		a := <-ended
		require.Equal(t, "ann", a.User)
		require.True(t, a.Sent && a.Done)
	}
	close(hangs)
	require.Equal(t, "bob", (<-ended).User)
	stop()
	require.ErrorIs(t, <-stopped, context.Canceled)
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }
