package share_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/share"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bubble runs a test with a fake clock. It fails if a goroutine outlives the test.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

type group = share.Group[string, int]

func TestFresh(t *testing.T) {
	t.Parallel()
	read := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]bool{
		-time.Hour: false, -1: false, 0: true, time.Minute - 1: true, time.Minute: false,
	} {
		require.Equal(t, want, share.Fresh(read, read.Add(age), time.Minute), age)
	}
}

// reader counts its reads. Each takes a second and returns n.
type reader struct {
	n     int
	err   error
	mu    sync.Mutex
	reads int
	ended []error // the context errors of stopped reads
}

func (r *reader) read(ctx context.Context) (int, error) {
	r.mu.Lock()
	r.reads++
	r.mu.Unlock()
	select {
	case <-time.After(time.Second):
		return r.n, r.err
	case <-ctx.Done():
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ended = append(r.ended, ctx.Err())
		return 0, ctx.Err()
	}
}

type answer struct {
	n   int
	err error
}

// ask starts n callers that read one key. All of them are waiting when it returns.
func ask(ctx context.Context, g *group, n int, read func(context.Context) (int, error)) (wait func() []answer) {
	answers := make([]answer, n)
	var callers sync.WaitGroup
	for i := range n {
		callers.Go(func() { answers[i].n, answers[i].err = g.Do(ctx, "k", read) })
	}
	synctest.Wait()
	return func() []answer { callers.Wait(); return answers }
}

func TestEqualReadsAreOne(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, want := range []error{nil, errors.New("broken")} {
			var g group
			r, other := &reader{n: 7, err: want}, &reader{n: 8}
			wait := ask(t.Context(), &g, 100, r.read)
			n, err := g.Do(t.Context(), "another key", other.read)
			require.NoError(t, err)
			require.Equal(t, 8, n)
			for _, a := range wait() {
				require.Equal(t, answer{7, want}, a)
			}
			require.Equal(t, 1, r.reads)
			_, err = g.Do(t.Context(), "k", other.read)
			require.NoError(t, err)
			require.Equal(t, 2, other.reads, "nothing is kept")
		}
	})
}

func TestACancelledFirstCallerFailsNobodyElse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var g group
		r := &reader{n: 7}
		first, cancel := context.WithCancel(t.Context())
		gone := ask(first, &g, 1, r.read)
		others := ask(t.Context(), &g, 99, r.read)
		start := time.Now()
		cancel()
		require.Equal(t, []answer{{0, context.Canceled}}, gone())
		require.Zero(t, time.Since(start), "it waits no longer")
		for _, a := range others() {
			require.Equal(t, answer{n: 7}, a)
		}
		require.Equal(t, 1, r.reads)
	})
}

func TestAReadEndsWithItsLastCaller(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var g group
		abandoned, next := &reader{n: 7}, &reader{n: 8}
		impatient, cancel := context.WithCancel(t.Context())
		gone := ask(impatient, &g, 2, abandoned.read)
		cancel()
		for _, a := range gone() {
			require.ErrorIs(t, a.err, context.Canceled)
		}
		// Nobody shares the stopped read, whether or not it has noticed.
		n, err := g.Do(t.Context(), "k", next.read)
		require.NoError(t, err)
		require.Equal(t, 8, n)
		require.Equal(t, []error{context.Canceled}, abandoned.ended)

		_, err = g.Do(impatient, "k", next.read)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 1, next.reads, "a context that has ended begins none")
	})
}

func TestAReadIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var g group
		start := time.Now()
		_, err := g.Do(t.Context(), "k", func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		require.ErrorIs(t, err, plaza.ErrBusy)
		require.NotErrorIs(t, err, context.DeadlineExceeded, "the caller's own context has not ended")
		require.Equal(t, 30*time.Second, time.Since(start))
	})
}

func TestTheContextKeepsTheFirstCallersValues(t *testing.T) {
	bubble(t, func(t *testing.T) {
		type name struct{}
		var g group
		_, err := g.Do(context.WithValue(t.Context(), name{}, "first"), "k", func(ctx context.Context) (int, error) {
			require.Equal(t, "first", ctx.Value(name{}))
			return 0, nil
		})
		require.NoError(t, err)
	})
}

func TestAPanicIsAnErrorForEveryCaller(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for name, end := range map[string]func(){
			"panic":          func() { panic("broken") },
			"runtime.Goexit": runtime.Goexit,
		} {
			var g group
			wait := ask(t.Context(), &g, 3, func(context.Context) (int, error) {
				time.Sleep(time.Second)
				end()
				return 7, nil
			})
			for _, a := range wait() {
				require.Error(t, a.err, name)
				var panicked *parallel.PanicError
				require.Equal(t, name == "panic", errors.As(a.err, &panicked), name)
			}
			n, err := g.Do(t.Context(), "k", (&reader{n: 8}).read)
			require.NoError(t, err, name)
			require.Equal(t, 8, n, name)
		}
	})
}
