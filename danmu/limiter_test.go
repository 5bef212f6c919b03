package danmu_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// limiters returns both limiters with a world's clock: one comment in 2 s, three at once.
func limiters(t testing.TB) map[string]func(world, ...wrapper) ratelimit.Limiter {
	rate := ratelimit.Rate{Every: 2 * time.Second, Burst: 3}
	return map[string]func(world, ...wrapper) ratelimit.Limiter{
		"in memory": func(w world, _ ...wrapper) ratelimit.Limiter {
			l, err := ratelimit.NewMemory(rate, &ratelimit.Options{Now: w.Now})
			require.NoError(t, err)
			return l
		},
		"in the table": func(w world, wrap ...wrapper) ratelimit.Limiter {
			l, err := ratelimit.NewTable(dynamotest.DB(t, wrap...), w.table, rate, &ratelimit.Options{Now: w.Now})
			require.NoError(t, err)
			return l
		},
	}
}

// retryAfter returns the wait of a ratelimit.Error.
func retryAfter(t testing.TB, err error) time.Duration {
	t.Helper()
	var rate *ratelimit.Error
	require.ErrorAs(t, err, &rate)
	require.ErrorIs(t, err, ratelimit.ErrExceeded)
	require.ErrorIs(t, err, plaza.ErrBusy)
	return rate.Wait
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
				for range faults.Size(5, 2) {
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

func (refusing) Take(context.Context, ratelimit.Attempt) (time.Duration, error) {
	return time.Minute, nil
}

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
