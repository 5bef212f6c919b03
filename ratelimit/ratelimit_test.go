package ratelimit_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestMain(m *testing.M) { faults.Main(m) }

// clock is a clock that only pass moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

var rate = ratelimit.Rate{Every: 2 * time.Second, Burst: 3}

func newMemory(t testing.TB, c *clock) *ratelimit.Memory {
	t.Helper()
	l, err := ratelimit.NewMemory(rate, &ratelimit.Options{Now: c.Now})
	require.NoError(t, err)
	return l
}

func newTable(t testing.TB, c *clock, table string, wrap ...func(aws.HTTPClient) aws.HTTPClient) *ratelimit.Table {
	t.Helper()
	l, err := ratelimit.NewTable(dynamotest.DB(t, wrap...), table, rate, &ratelimit.Options{Now: c.Now})
	require.NoError(t, err)
	return l
}

// each runs a test with both limiters: one attempt in 2 s, three at once.
func each(t *testing.T, test func(t *testing.T, l ratelimit.Limiter, c *clock)) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		c := newClock()
		test(t, newMemory(t, c), c)
	})
	t.Run("table", func(t *testing.T) {
		t.Parallel()
		c := newClock()
		test(t, newTable(t, c, dynamotest.Table(t, store.Schema)), c)
	})
}

// take returns the wait of an attempt.
func take(t testing.TB, l ratelimit.Limiter, a ratelimit.Attempt) time.Duration {
	t.Helper()
	wait, err := l.Take(t.Context(), a)
	require.NoError(t, err)
	return wait
}

func TestAFastUserMustWait(t *testing.T) {
	each(t, func(t *testing.T, l ratelimit.Limiter, c *clock) {
		n := 0
		attempt := func(object, user string) time.Duration {
			n++
			return take(t, l, ratelimit.Attempt{Object: object, User: user, ID: fmt.Sprint(n)})
		}
		for range 3 {
			require.Zero(t, attempt("v", "ann"))
		}
		require.Equal(t, 2*time.Second, attempt("v", "ann"))
		require.Equal(t, 2*time.Second, attempt("v", "ann"), "a refusal counts for nothing")
		require.Zero(t, attempt("v", "bob"))
		require.Zero(t, attempt("w", "ann"))
		require.Zero(t, attempt("v#ann", "x"), "its key is another one")
		require.Zero(t, attempt("v", "ann#x"))
		c.pass(500 * time.Millisecond)
		require.Equal(t, 1500*time.Millisecond, attempt("v", "ann"))
		c.pass(1500 * time.Millisecond)
		require.Zero(t, attempt("v", "ann"))
		require.NotZero(t, attempt("v", "ann"))
		c.pass(time.Hour)
		for range 3 {
			require.Zero(t, attempt("v", "ann"))
		}
		require.NotZero(t, attempt("v", "ann"))
	})
}

func TestARepeatIsNeitherRefusedNorCountedTwice(t *testing.T) {
	each(t, func(t *testing.T, l ratelimit.Limiter, c *clock) {
		long := strings.Repeat("k", 254)
		attempt := func(i int) time.Duration {
			return take(t, l, ratelimit.Attempt{Object: "v", User: "ann", ID: long + fmt.Sprint(i)})
		}
		for i := range 3 {
			for range 5 {
				for earlier := range i + 1 {
					require.Zero(t, attempt(earlier))
				}
			}
		}
		require.NotZero(t, attempt(3))

		// It remembers 16 attempts of a burst that goes on.
		for i := 3; i < 20; i++ {
			c.pass(2 * time.Second)
			require.Zero(t, attempt(i))
		}
		for i := 4; i < 20; i++ {
			require.Zero(t, attempt(i), i)
		}
		require.NotZero(t, attempt(3), "the 17th last")

		// After a rest, when it would count as a first attempt.
		c.pass(time.Hour)
		require.Zero(t, attempt(19))
		for i := 20; i < 23; i++ {
			require.Zero(t, attempt(i))
		}
		require.NotZero(t, attempt(23))
	})
}

// Of two processes one has a wrong clock.
func TestAClockFarAheadLocksNobodyOut(t *testing.T) {
	for _, ahead := range []time.Duration{time.Hour, 365 * 24 * time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			each(t, func(t *testing.T, l ratelimit.Limiter, c *clock) {
				n := 0
				attempt := func() time.Duration {
					n++
					return take(t, l, ratelimit.Attempt{Object: "v", User: "ann", ID: fmt.Sprint(n)})
				}
				c.pass(ahead)
				for range 3 {
					require.Zero(t, attempt())
				}
				c.pass(-ahead)
				for range 3 {
					require.Zero(t, attempt())
				}
				require.Equal(t, 2*time.Second, attempt())
				c.pass(-keys.MaxAhead)
				require.Equal(t, keys.MaxAhead+2*time.Second, attempt(), "clocks may differ by as much")
			})
		})
	}
}

func TestInvalidAttemptsAreRefused(t *testing.T) {
	each(t, func(t *testing.T, l ratelimit.Limiter, _ *clock) {
		for name, a := range map[string]ratelimit.Attempt{
			"Object": {User: "ann", ID: "1"},
			"User":   {Object: "v", User: "\xff", ID: "1"},
			"ID":     {Object: "v", User: "ann", ID: strings.Repeat("x", 257)},
		} {
			_, err := l.Take(t.Context(), a)
			require.Equal(t, name, field(t, err))
		}
		_, err := l.Take(t.Context(), ratelimit.Attempt{Object: "v", User: "ann"})
		require.Equal(t, "ID", field(t, err), "all such attempts would be repeats of one")
	})
}

func TestInvalidConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	db := dynamotest.DB(t)
	for _, c := range []struct {
		want  string
		table string
		rate  ratelimit.Rate
	}{
		{"Rate.Every", "t", ratelimit.Rate{Every: time.Microsecond}},
		{"Rate.Every", "t", ratelimit.Rate{Every: -time.Second}},
		{"Rate.Burst", "t", ratelimit.Rate{Burst: -1}},
		{"table", "", ratelimit.Rate{}},
	} {
		_, err := ratelimit.NewTable(db, c.table, c.rate, nil)
		require.Equal(t, c.want, field(t, err))
		if c.table != "" {
			_, err = ratelimit.NewMemory(c.rate, nil)
			require.Equal(t, c.want, field(t, err))
		}
	}
	_, err := ratelimit.NewTable(nil, "t", ratelimit.Rate{}, nil)
	require.Equal(t, "db", field(t, err))
}

func TestTheDefaultRateIsFiveAtOnce(t *testing.T) {
	t.Parallel()
	c := newClock()
	l, err := ratelimit.NewMemory(ratelimit.Rate{}, &ratelimit.Options{Now: c.Now})
	require.NoError(t, err)
	for i := range 5 {
		require.Zero(t, take(t, l, ratelimit.Attempt{Object: "v", User: "ann", ID: fmt.Sprint(i)}))
	}
	require.Equal(t, time.Second, take(t, l, ratelimit.Attempt{Object: "v", User: "ann", ID: "5"}))
}

func TestUnlimitedRefusesNothing(t *testing.T) {
	t.Parallel()
	for range 100 {
		require.Zero(t, take(t, ratelimit.Unlimited{}, ratelimit.Attempt{}))
	}
}

func TestAnErrorSaysWhenToRepeat(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("danmu: send: %w", &ratelimit.Error{Wait: time.Second})
	require.ErrorIs(t, err, ratelimit.ErrExceeded)
	require.ErrorIs(t, err, plaza.ErrBusy)
	var refused *ratelimit.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, time.Second, refused.Wait)
	require.NotErrorIs(t, err, plaza.ErrInvalid)
}

func field(t testing.TB, err error) string {
	t.Helper()
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err, &invalid)
	return invalid.Field
}
