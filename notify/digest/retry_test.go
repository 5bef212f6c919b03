package digest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// failing is a Sender that always fails.
type failing struct{}

func (failing) Send(context.Context, digest.Digest) error { return errBroken }

// sends is a Sender made of a function.
type sends func(context.Context, digest.Digest) error

func (s sends) Send(ctx context.Context, d digest.Digest) error { return s(ctx, d) }

func TestADigestThatFailsIsTriedForADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	var sent []digest.Digest
	var attempts []digest.Attempt
	var at []time.Time
	p := w.process(t, parts{
		sender: sends(func(_ context.Context, d digest.Digest) error {
			sent = append(sent, d)
			at = append(at, w.Now())
			return errBroken
		}),
		worker: digest.WorkerOptions{OnAttempt: func(a digest.Attempt) { attempts = append(attempts, a) }},
	})
	p.notify(t, "1")
	w.pass(time.Hour)
	for jobs := w.jobs(t); len(jobs) > 0; jobs = w.jobs(t) {
		w.set(jobs[0].due(t).Add(notify.Window))
		if len(sent) < 9 { // from then on each wait is an hour
			require.Zero(t, p.deliver(t), "not before")
		}
		w.pass(time.Millisecond)
		_, err := p.worker.Deliver(t.Context())
		require.ErrorIs(t, err, errBroken)
	}
	require.Empty(t, w.jobs(t))
	require.Len(t, sent, 7+24, "after 30 s, a minute, 2, 4, 8, 16, 32, and then each hour")
	for n, d := range sent {
		require.Equal(t, sent[0].Key, d.Key)
		require.Equal(t, n+1, d.Attempt)
		require.Equal(t, "1", objectsOf(d))
		last := n == len(sent)-1
		require.Equal(t, last, attempts[n].Done)
		require.False(t, attempts[n].Sent)
		require.ErrorIs(t, attempts[n].Err, errBroken)
		require.Equal(t, 1, attempts[n].Entries)
		if n > 0 {
			wait := min(30*time.Second<<min(n-1, 7), time.Hour)
			require.Equal(t, wait+notify.Window+time.Millisecond, at[n].Sub(at[n-1]))
		}
	}
	require.GreaterOrEqual(t, at[len(at)-1].Sub(at[0]), 24*time.Hour)
}

// due is when a job is due.
func (j job) due(t testing.TB) time.Time {
	t.Helper()
	id, err := ids.Parse(j.SK[:13])
	require.NoError(t, err)
	return id.Time()
}

func TestAnAttemptWaitsAsLongAsItsReceiverSays(t *testing.T) {
	t.Parallel()
	for said, want := range map[time.Duration]time.Duration{
		2 * time.Hour: 2 * time.Hour, 45 * time.Second: 45 * time.Second, 100 * time.Hour: 24 * time.Hour, 0: 30 * time.Second, -time.Hour: 30 * time.Second,
	} {
		w := newWorld(t, hourly)
		p := w.process(t, parts{sender: sends(func(_ context.Context, d digest.Digest) error {
			if d.Attempt == 1 {
				return errBroken
			}
			return fmt.Errorf("push: %w", digest.RetryAfter(errBroken, said))
		})})
		p.notify(t, "1")
		w.pass(time.Hour + time.Minute)
		for _, wait := range []time.Duration{30 * time.Second, want} {
			require.ErrorIs(t, errOf(p.worker.Deliver(t.Context())), errBroken)
			jobs := w.jobs(t)
			require.Len(t, jobs, 1)
			require.Equal(t, wait, jobs[0].due(t).Sub(w.Now()), said)
			w.set(jobs[0].due(t).Add(notify.Window + time.Millisecond))
		}
	}
	require.NoError(t, digest.RetryAfter(nil, time.Hour))
}

func TestAPermanentErrorEndsADigest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	var attempts []digest.Attempt
	p := w.process(t, parts{
		sender: sends(func(context.Context, digest.Digest) error {
			return fmt.Errorf("smtp: %w", digest.Permanent(errBroken))
		}),
		worker: digest.WorkerOptions{OnAttempt: func(a digest.Attempt) { attempts = append(attempts, a) }},
	})
	p.notify(t, "1")
	w.pass(time.Hour + time.Minute)
	done, err := p.worker.Deliver(t.Context())
	require.ErrorIs(t, err, errBroken)
	require.Equal(t, 1, done)
	require.Empty(t, w.jobs(t))
	require.Len(t, attempts, 1)
	require.True(t, attempts[0].Done)
	require.False(t, attempts[0].Sent)
	require.NoError(t, digest.Permanent(nil))
}

// Meanwhile more slots pass than a mark keeps separate spans for.
func TestADigestThatFailsKeepsWhatItCovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, digest.Schedule{Every: time.Minute})
	broken := true
	p := w.process(t, parts{sender: sends(func(ctx context.Context, d digest.Digest) error {
		if broken && objectsOf(d) == "0" {
			return errBroken
		}
		return w.Send(ctx, d)
	})})
	want := "1"
	for n := range digest.MaxSpans + faults.Size(digest.MaxSpans, 4) {
		p.notify(t, fmt.Sprint(n))
		w.pass(time.Minute + 25*time.Second)
		_, err := p.worker.Deliver(t.Context())
		if err != nil {
			require.ErrorIs(t, err, errBroken)
		}
		if n > 1 {
			want += fmt.Sprint(", ", n)
		}
	}
	broken = false
	w.pass(time.Hour)
	require.Equal(t, 1, p.deliver(t))
	require.Equal(t, want+", 0", w.objects(t))
}

func TestAPanicOfOnAttemptIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	p := w.process(t, parts{worker: digest.WorkerOptions{OnAttempt: func(digest.Attempt) { panic("a fault of the application") }}})
	p.notify(t, "1")
	w.pass(time.Hour + time.Minute)
	done, err := p.worker.Deliver(t.Context())
	require.Error(t, err)
	require.Equal(t, 1, done)
	require.Equal(t, "1", w.objects(t))
}

func TestOneFailingUserDelaysNoOther(t *testing.T) {
	t.Parallel()
	for name, fail := range faults.Sample(2, map[string]func(context.Context) error{
		"an error": func(context.Context) error { return errBroken },
		"a panic":  func(context.Context) error { panic(errBroken) },
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, hourly)
			for part, p := range map[string]parts{
				"sender": {sender: sends(func(ctx context.Context, d digest.Digest) error {
					if d.User == "ann" {
						return fail(ctx)
					}
					return w.Send(ctx, d)
				})},
				"policy": {worker: digest.WorkerOptions{Policy: decides(func(ctx context.Context, n notify.Notification) (notify.Decision, error) {
					if n.User == "ann" {
						return notify.Decision{}, fail(ctx)
					}
					return notify.Decision{Channels: []string{email}}, nil
				})}},
				"unsubscribe": {worker: digest.WorkerOptions{Unsubscribe: func(user, _ string) (string, error) {
					if user == "ann" {
						return "", fail(t.Context())
					}
					return "", nil
				}}},
				"schedule": {schedule: func(ctx context.Context, user, _ string) (digest.Schedule, error) {
					if user == "ann" {
						return digest.Schedule{}, fail(ctx)
					}
					return hourly, nil
				}},
			} {
				well, ill := w.process(t, parts{}), w.process(t, p)
				before := len(w.all())
				for _, user := range []string{"ann", "bob", "chris"} {
					require.NoError(t, errOf3(well.Notify(t.Context(), w.post(user, part))))
				}
				w.pass(time.Hour)
				w.pass(time.Minute)
				done, err := ill.worker.Deliver(t.Context())
				require.Error(t, err, part)
				require.Equal(t, 2, done, part)
				require.Len(t, w.all(), before+2, part)
				require.Zero(t, well.deliver(t), "it is left alone for a while")
				w.pass(51 * time.Second)
				require.Equal(t, 1, well.deliver(t), part)
				require.Len(t, w.all(), before+3, part)
				require.Equal(t, "ann", w.all()[before+2].User)
			}
		})
	}
}

type decides func(context.Context, notify.Notification) (notify.Decision, error)

func (d decides) Decide(ctx context.Context, n notify.Notification) (notify.Decision, error) {
	return d(ctx, n)
}
