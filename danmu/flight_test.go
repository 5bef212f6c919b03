package danmu

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// crowd has n read one key, all of whom wait when it returns.
func crowd(t *testing.T, f *flights[string, int], n int, read func(context.Context) (int, error)) (answers []error, wait func()) {
	answers = make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			got, err := f.do(t.Context(), "k", read)
			if err == nil && got != 7 {
				err = errors.New("another's answer")
			}
			answers[i] = err
		})
	}
	synctest.Wait()
	return answers, group.Wait
}

func TestEqualReadsAreOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		for _, want := range []error{nil, broken} {
			var f flights[string, int]
			reads := 0
			answers, wait := crowd(t, &f, 100, func(context.Context) (int, error) {
				reads++
				time.Sleep(time.Second)
				return 7, want
			})
			other, err := f.do(t.Context(), "another", func(context.Context) (int, error) { return 8, nil })
			require.NoError(t, err)
			require.Equal(t, 8, other)
			impatient, cancel := context.WithCancel(t.Context())
			cancel()
			_, err = f.do(impatient, "k", func(context.Context) (int, error) { return 0, errors.New("read") })
			require.ErrorIs(t, err, context.Canceled)
			wait()
			require.Equal(t, 1, reads)
			for _, err := range answers {
				require.ErrorIs(t, err, want)
			}
			require.Empty(t, f.up)
			later, err := f.do(t.Context(), "k", func(context.Context) (int, error) { return 9, nil })
			require.NoError(t, err)
			require.Equal(t, 9, later, "nothing is kept")
		}
	})
}

func TestWhoGoesAwayTakesNobodyAlong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, leave := range map[string]func(context.Context) (int, error){
			"its context ends": func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() },
			"it panics":        func(ctx context.Context) (int, error) { <-ctx.Done(); panic("read") },
		} {
			var f flights[string, int]
			leaving, cancel := context.WithCancel(t.Context())
			gone := make(chan error, 1)
			go func() {
				defer func() { _ = recover() }()
				_, err := f.do(leaving, "k", leave)
				gone <- err
			}()
			synctest.Wait()
			reads := 0
			answers, wait := crowd(t, &f, 100, func(context.Context) (int, error) {
				reads++
				time.Sleep(time.Second)
				return 7, nil
			})
			cancel()
			wait()
			require.Equal(t, 1, reads, name)
			for _, err := range answers {
				require.NoError(t, err, name)
			}
			if name == "its context ends" {
				require.ErrorIs(t, <-gone, context.Canceled)
			}
		}
	})
}
