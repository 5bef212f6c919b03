package danmu_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// limiters returns both limiters with a world's clock: one comment in 2 s, three at once.
func limiters(t testing.TB) map[string]func(world, ...wrapper) danmu.Limiter {
	rate := danmu.Rate{Every: 2 * time.Second, Burst: 3}
	return map[string]func(world, ...wrapper) danmu.Limiter{
		"in memory": func(w world, _ ...wrapper) danmu.Limiter {
			l, err := danmu.NewMemoryLimiter(rate, &danmu.LimiterOptions{Now: w.Now})
			require.NoError(t, err)
			return l
		},
		"in the table": func(w world, wrap ...wrapper) danmu.Limiter {
			l, err := danmu.NewTableLimiter(dynamotest.DB(t, wrap...), w.table, rate, &danmu.LimiterOptions{Now: w.Now})
			require.NoError(t, err)
			return l
		},
	}
}

// retryAfter returns the wait of a RateError.
func retryAfter(t testing.TB, err error) time.Duration {
	t.Helper()
	var rate *danmu.RateError
	require.ErrorAs(t, err, &rate)
	require.ErrorIs(t, err, danmu.ErrRate)
	require.ErrorIs(t, err, plaza.ErrBusy)
	return rate.RetryAfter
}

func TestAFastSenderMustWait(t *testing.T) {
	t.Parallel()
	for name, limiter := range limiters(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quiet := newWorld(t, nil)
			w := quiet.process(t, &danmu.Options{Limiter: limiter(quiet)})
			send := func(c danmu.Comment) error {
				c.Text = "haha"
				_, _, err := w.Send(t.Context(), c)
				return err
			}
			ann := danmu.Comment{Object: "v", User: "ann"}
			for range 3 {
				require.NoError(t, send(ann))
			}
			require.Equal(t, 2*time.Second, retryAfter(t, send(ann)))
			require.Equal(t, 2*time.Second, retryAfter(t, send(ann)), "a refusal counts for nothing")
			require.NoError(t, send(danmu.Comment{Object: "v", User: "bob"}))
			require.NoError(t, send(danmu.Comment{Object: "w", User: "ann"}))
			w.pass(500 * time.Millisecond)
			require.Equal(t, 1500*time.Millisecond, retryAfter(t, send(ann)))
			w.pass(1500 * time.Millisecond)
			require.NoError(t, send(ann))
			retryAfter(t, send(ann))
			w.pass(time.Hour)
			for range 3 {
				require.NoError(t, send(ann))
			}
			retryAfter(t, send(ann))
			require.Len(t, w.items(t, "D#v#"), 3+1+1+3)
		})
	}
}

func TestARepeatIsNeitherRefusedNorCountedTwice(t *testing.T) {
	t.Parallel()
	for name, limiter := range limiters(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quiet := newWorld(t, nil)
			w := quiet.process(t, &danmu.Options{Limiter: limiter(quiet)})
			var sent []danmu.Comment
			for i := range 3 {
				sent = append(sent, w.send(t, danmu.Comment{Key: fmt.Sprint(i)}))
				for range 5 {
					for _, c := range sent {
						again, created, err := w.Send(t.Context(), c)
						require.NoError(t, err)
						require.Equal(t, c, again)
						require.False(t, created)
					}
				}
			}
			_, _, err := w.Send(t.Context(), danmu.Comment{Object: "v", User: "ann", Text: "haha", Key: "3"})
			retryAfter(t, err)

			// Later, when it would count as a first attempt.
			w.pass(time.Hour)
			_, _, err = w.Send(t.Context(), sent[2])
			require.NoError(t, err)
			for range 3 {
				w.send(t, danmu.Comment{})
			}

			// A repeat that the limiter has forgotten, or another process has counted.
			stranger := quiet.send(t, danmu.Comment{Key: "4"})
			other := w.process(t, &danmu.Options{Limiter: limiter(quiet)})
			for _, w := range []world{w, other} {
				again, created, err := w.Send(t.Context(), stranger)
				require.NoError(t, err)
				require.Equal(t, stranger, again)
				require.False(t, created)
			}
			changed := stranger
			changed.Text = "hehe"
			_, _, err = w.Send(t.Context(), changed)
			require.ErrorIs(t, err, plaza.ErrConflict)
		})
	}
}

// refusing refuses every attempt.
type refusing struct{}

func (refusing) Take(context.Context, danmu.Attempt) (time.Duration, error) { return time.Minute, nil }

func TestARefusedRepeatIsFoundInEveryPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.configure(t, "v", danmu.Settings{Shards: 32})
	for i := range 10 {
		c := danmu.Comment{Object: "v", User: "ann", Text: "haha", Key: fmt.Sprint(i)}
		lagging := faults.New(t, 1, faults.Rates{Stale: 1})
		process := w.process(t, &danmu.Options{Limiter: refusing{}}, lagging.Wrap)
		_, _, err := process.Send(t.Context(), c)
		require.Equal(t, time.Minute, retryAfter(t, err))
		sent := w.send(t, c)
		again, created, err := process.Send(t.Context(), c)
		require.NoError(t, err)
		require.Equal(t, sent, again)
		require.False(t, created)
	}
	require.Len(t, w.items(t, "D#v#"), 10)
}

// Several processes use it under faults. It allows no more than the rate, and it allows
// repeats.
func TestTheTableLimiterIsExact(t *testing.T) {
	t.Parallel()
	limiter := limiters(t)["in the table"]
	for seed := range seeds() {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, faultMixes[seed%3])
			w, ids := newWorld(t, nil), parsed(t)
			for round := range 3 {
				user := fmt.Sprint("user ", round)
				var let, refused atomic.Int64
				var group sync.WaitGroup
				for p := range 3 {
					l := limiter(w, in.Wrap)
					group.Go(func() {
						for i := range 2 {
							a := danmu.Attempt{Object: "v", User: user, ID: ids[p*2+i]}
							var wait time.Duration
							faults.Acknowledged(t, func() (err error) {
								wait, err = l.Take(t.Context(), a)
								return err
							})
							if wait > 0 {
								refused.Add(1)
								continue
							}
							let.Add(1)
							faults.Acknowledged(t, func() (err error) {
								wait, err = l.Take(t.Context(), a)
								return err
							})
							if wait > 0 {
								t.Error("a repeat was refused")
							}
						}
					})
				}
				group.Wait()
				require.EqualValues(t, 3, let.Load(), "of six at once")
				require.EqualValues(t, 3, refused.Load())
			}
			require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice)+in.Count(faults.LostBefore))
		})
	}
}

func TestTheCostOfTheTableLimiter(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil)
	l := limiters(t)["in the table"](w, meter.Wrap)
	ids := parsed(t)
	for i, want := range []dynamotest.Cost{
		{Requests: 1, Write: 1},
		{Requests: 2, Write: 2},
		{Requests: 2, Write: 2},
		{Requests: 1, Write: 1},
	} {
		meter.AtMost(t, fmt.Sprint("attempt ", i), want, func() {
			wait, err := l.Take(t.Context(), danmu.Attempt{Object: "v", User: "ann", ID: ids[i+1]})
			require.NoError(t, err)
			require.Equal(t, i == 3, wait > 0)
		})
	}
	for name, a := range map[string]danmu.Attempt{"Object": {User: "ann"}, "User": {Object: "v"}} {
		_, err := l.Take(t.Context(), a)
		require.Equal(t, name, field(t, err))
	}
}
