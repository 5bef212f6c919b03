package work_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/work"
)

// end returns work that ends each job and records its name.
func (q *queue) end(done *[]string) func(context.Context, job) (bool, error) {
	return func(ctx context.Context, j job) (bool, error) {
		*done = append(*done, j.Work.To)
		return true, q.End(ctx, j)
	}
}

func TestAPassDoesDueJobs(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	var done []string
	n, err := q.Pass(t.Context(), "", q.end(&done))
	require.NoError(t, err)
	require.Zero(t, n, "there was no job yet")

	q.store(t, "2026-01-01 ann", "2026-01-03 ann", "2026-01-02 ben", "2026-01-01 joe")
	n, err = q.Pass(t.Context(), "2026-01-03", q.end(&done))
	require.NoError(t, err)
	require.Equal(t, 3, n)
	slices.Sort(done)
	require.Equal(t, []string{"2026-01-01 ann", "2026-01-01 joe", "2026-01-02 ben"}, done)
	n, err = q.Pass(t.Context(), "2026-01-03", q.end(&done))
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = q.Pass(t.Context(), "", q.end(&done))
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

func TestAPassKeepsTheOrderOfAShard(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	q.Shards = 1
	var names, done []string
	for n := range 205 { // more than two reads return
		names = append(names, fmt.Sprintf("%03d", n))
	}
	q.store(t, names...)
	n, err := q.Pass(t.Context(), "", q.end(&done))
	require.NoError(t, err)
	require.Equal(t, len(names), n)
	require.Equal(t, names, done)
}

func TestAFailingJobDelaysNoOther(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann", "ben", "joe")
	broken := errors.New("broken")
	var done []string
	do := func(ctx context.Context, j job) (bool, error) {
		if j.Work.To == "ben" {
			return false, broken
		}
		return q.end(&done)(ctx, j)
	}
	n, err := q.Pass(t.Context(), "", do)
	require.ErrorIs(t, err, broken)
	require.Equal(t, 2, n)
	n, err = q.Pass(t.Context(), "", do)
	require.NoError(t, err, "its lease keeps it away")
	require.Zero(t, n)
	q.now = q.now.Add(lease)
	_, err = q.Pass(t.Context(), "", do)
	require.ErrorIs(t, err, broken)
}

func TestADamagedJobStays(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann", "ben")
	damaged := q.job("ben").Key
	require.NoError(t, q.Table.Run(t.Context(), q.Table.Update(damaged).Remove("to")))
	var done []string
	n, err := q.Pass(t.Context(), "", q.end(&done))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, 1, q.damaged)
	var item dynamo.Item
	require.NoError(t, q.Table.Get(t.Context(), damaged, true, &item))
	require.Equal(t, dynamo.Item{"pk": text(damaged.PK), "sk": text(damaged.SK)}, item, "nobody claimed it")
}

func TestAPassReturnsReadAndClaimErrors(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann")
	for _, op := range []string{"GetItem", "Query", "UpdateItem"} {
		in := faults.New(t, 1, faults.Rates{})
		in.Script(func(on string, _ []byte, _ int) faults.Fault {
			if on == op {
				return faults.Fault{Kind: faults.LostBefore}
			}
			return faults.Fault{}
		})
		process := q.process(t, in)
		var failed []error
		process.Failed = func(err error) error {
			failed = append(failed, err)
			return fmt.Errorf("work: %w", err)
		}
		var done []string
		_, err := process.Pass(t.Context(), "", process.end(&done))
		require.Error(t, err, op)
		require.NotEmpty(t, failed, op)
		require.ErrorIs(t, err, failed[0], op)
		require.Empty(t, done, op)

		process.Failed = nil
		_, err = process.Pass(t.Context(), "", process.end(&done))
		require.Error(t, err, op)
	}
}

func TestAStoppedPassReturnsTheContextError(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	q.Shards = 1
	q.store(t, "ann", "ben")
	ctx, stop := context.WithCancel(t.Context())
	n, err := q.Pass(ctx, "", func(context.Context, job) (bool, error) {
		stop()
		return true, nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, n)
	require.Equal(t, store.Key{PK: "J#0", SK: "ben"}, q.stored(t, "ben").Key)
	require.Zero(t, q.stored(t, "ben").Lease, "it was not claimed")
}

// The clock is synctest's.
func TestRunWaitsWhenThereIsNothingToDo(t *testing.T) {
	const poll = 2 * time.Second
	for name, tc := range map[string]struct {
		done int
		err  error
		wait bool
	}{
		"nothing to do":        {0, nil, true},
		"something was done":   {1, nil, false},
		"it failed":            {0, plaza.ErrBusy, true},
		"it failed among some": {1, plaza.ErrBusy, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				last := time.Now()
				var waits []time.Duration
				err := new(work.Queue[parcel]).Run(ctx, poll, func(context.Context) (int, error) {
					waits = append(waits, time.Since(last))
					last = time.Now()
					if len(waits) == 100 {
						stop()
					}
					return tc.done, tc.err
				})
				require.ErrorIs(t, err, context.Canceled)
				require.Len(t, waits, 100)
				for _, wait := range waits[1:] {
					if !tc.wait {
						require.Zero(t, wait)
						continue
					}
					require.GreaterOrEqual(t, wait, poll*3/4)
					require.LessOrEqual(t, wait, poll*5/4)
				}
				require.Equal(t, tc.wait, slices.Max(waits[1:]) > slices.Min(waits[1:]), "workers do not move in step")
			})
		})
	}
}

func TestRunStopsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		start := time.Now()
		err := new(work.Queue[parcel]).Run(ctx, time.Hour, func(context.Context) (int, error) { return 0, nil })
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Minute, time.Since(start))

		err = new(work.Queue[parcel]).Run(t.Context(), time.Hour, func(context.Context) (int, error) { return 1, plaza.ErrTable })
		require.ErrorIs(t, err, plaza.ErrTable, "that will not pass")
	})
}

func TestEachShowsEveryJobAndClaimsNone(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann", "bob", "chris")
	var seen []string
	require.NoError(t, q.Each(t.Context(), "c", func(_ context.Context, j job, read time.Time) {
		require.Equal(t, q.now, read)
		require.Zero(t, j.Lease)
		seen = append(seen, j.Work.To)
	}))
	require.ElementsMatch(t, []string{"ann", "bob"}, seen)
	require.Zero(t, q.stored(t, "ann").Lease)
}

// simulated makes the queue's clock that of a bubble of synctest. Its requests are real.
func (q *queue) simulated(t *testing.T) {
	t.Helper()
	table, err := store.Open(dynamotest.DB(t, func(aws.HTTPClient) aws.HTTPClient {
		return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	}), q.table, nil, true)
	require.NoError(t, err)
	q.Table, q.Now = table, time.Now
}

func TestAHeldJobIsRenewedUntilItsWorkReturns(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann")
	broken := errors.New("broken")
	synctest.Test(t, func(t *testing.T) {
		q.simulated(t)
		mine := q.claimed(t, "ann")
		held, err := q.Hold(t.Context(), &mine, func(context.Context) error {
			for range 9 {
				time.Sleep(21 * time.Second)
				require.Greater(t, q.stored(t, "ann").Lease, time.Now().Add(lease/2).UnixMilli())
			}
			return broken
		})
		require.ErrorIs(t, err, broken)
		require.True(t, held)
		last := q.stored(t, "ann")
		require.Equal(t, mine, last)
		time.Sleep(time.Hour)
		require.Equal(t, last, q.stored(t, "ann"), "nothing renews it any more")

		held, err = q.Hold(t.Context(), &mine, func(context.Context) error { panic(broken) })
		var panicked *parallel.PanicError
		require.ErrorAs(t, err, &panicked)
		require.True(t, held)
	})
}

func TestWorkOnAnEndedJobIsCancelled(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann")
	synctest.Test(t, func(t *testing.T) {
		q.simulated(t)
		mine := q.stored(t, "ann")
		theirs := mine
		held, err := q.Hold(t.Context(), &mine, func(ctx context.Context) error {
			require.NoError(t, q.End(ctx, theirs)) // as another worker does
			<-ctx.Done()
			return ctx.Err()
		})
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, held)
	})
}

func TestRunPausesWhileTheClockIsWrong(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t, store.Schema)
	meter, dates := dynamotest.NewMeter(), &faults.Dates{}
	send := dynamotest.Outside(t, meter.Wrap)
	processOn(t, name, nil).store(t, "ann")
	synctest.Test(t, func(t *testing.T) {
		table, err := store.Open(dynamotest.DB(t, send, dates.Wrap), name, nil, false)
		require.NoError(t, err)
		q, reported := newQueueOf(table, time.Now), 0
		q.Failed = func(err error) error { reported++; return err }
		ctx, stop := context.WithCancel(t.Context())
		var done []string
		var failed []error
		run := parallel.New()
		dates.Shift(time.Hour)
		run.Go(func() error {
			return q.Run(ctx, 100*time.Millisecond, func(ctx context.Context) (int, error) {
				n, err := q.Pass(ctx, "", func(ctx context.Context, j job) (bool, error) {
					done = append(done, j.Work.To)
					return true, q.End(ctx, j)
				})
				if err != nil {
					failed = append(failed, err)
				}
				return n, err
			})
		})
		time.Sleep(time.Hour)
		require.LessOrEqual(t, meter.Take().Requests, 3600+4, "one a second, and those of the pass that noticed it")
		require.Empty(t, done)
		require.Len(t, failed, 1)
		require.Equal(t, 1, reported)
		require.ErrorAs(t, failed[0], new(*plaza.ClockError))

		dates.Shift(0)
		time.Sleep(7 * time.Second) // a second to the next question, and up to five after it
		require.Equal(t, []string{"ann"}, done)
		stop()
		require.ErrorIs(t, run.Wait(), context.Canceled)
	})
}
