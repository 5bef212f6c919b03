package danmu_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// limited has both kinds of limits: one comment in 2 s, three at once.
var limited = map[string]danmu.Options{
	"in this process":  {Rate: ratelimit.Rate{Every: 2 * time.Second, Burst: 3}},
	"in all processes": {Rate: ratelimit.Rate{Every: 2 * time.Second, Burst: 3}, SharedRate: true},
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
	for name, opts := range limited {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quiet := newWorld(t, nil)
			w, other := quiet.process(t, &opts), quiet.process(t, &opts)
			send := func(w world, object, user string) error {
				_, _, err := w.Send(t.Context(), danmu.Comment{Object: object, User: user, Text: "haha"})
				return err
			}
			for range 3 {
				require.NoError(t, send(w, "v", "ann"))
			}
			for range 2 { // a refusal counts for nothing
				require.Equal(t, 2*time.Second, retryAfter(t, send(w, "v", "ann")))
			}
			require.NoError(t, send(w, "v", "bob"))
			require.NoError(t, send(w, "w", "ann"))
			err := send(other, "v", "ann")
			require.Equal(t, opts.SharedRate, err != nil)
			if opts.SharedRate {
				retryAfter(t, err)
			}
			w.pass(2 * time.Second)
			require.NoError(t, send(w, "v", "ann"))
			retryAfter(t, send(w, "v", "ann"))
		})
	}
}

func TestARepeatIsNeitherRefusedNorCountedTwice(t *testing.T) {
	t.Parallel()
	for name, opts := range limited {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quiet := newWorld(t, nil)
			w := quiet.process(t, &opts)
			var sent []danmu.Comment
			for i := range 3 {
				sent = append(sent, w.send(t, danmu.Comment{Key: fmt.Sprint(i)}))
				for range faults.Size(5, 2) {
					for _, c := range sent {
						w.repeats(t, c, c)
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
			other := w.process(t, &opts)
			for _, w := range []world{w, other} {
				w.repeats(t, stranger, stranger)
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
		process.repeats(t, c, sent)
	}
	require.Len(t, w.items(t, "D#v#"), 10)
}
