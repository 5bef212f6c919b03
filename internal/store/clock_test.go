package store_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

// clocks are those of a process and of DynamoDB, which only the test moves.
type clocks struct {
	*store.Table
	*faults.Injector

	own    store.Reading
	theirs time.Time
	took   time.Duration                   // by each request
	answer func(n int, header http.Header) // changes the header of the n-th answer
	n      int
}

func newClocks(t *testing.T) *clocks {
	t.Helper()
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	c := &clocks{
		Injector: faults.New(t, 1, faults.Rates{}), own: store.Reading{Wall: noon, Mono: time.Hour}, theirs: noon,
		answer: func(int, http.Header) {},
	}
	date := faults.Headers(func(h http.Header) {
		c.pass(c.took)
		c.n++
		h.Set("Date", c.theirs.UTC().Format(http.TimeFormat))
		c.answer(c.n, h)
	})
	var err error
	c.Table, err = store.Open(dynamotest.DB(t, c.Wrap, date.Wrap), dynamotest.Table(t, store.Schema), nil, false)
	require.NoError(t, err)
	c.SetClock(func() store.Reading { return c.own })
	return c
}

// pass lets time pass by all clocks.
func (c *clocks) pass(d time.Duration) {
	c.own.Mono += d
	c.jump(d)
	c.theirs = c.theirs.Add(d)
}

// jump moves the process's wall clock alone.
func (c *clocks) jump(d time.Duration) { c.own.Wall = c.own.Wall.Add(d) }

// read is a request that DynamoDB answers anyway.
func (c *clocks) read(t *testing.T) {
	t.Helper()
	err := c.Dated().Get(t.Context(), store.Key{PK: "a", SK: "b"}, false, new(row))
	require.ErrorIs(t, err, plaza.ErrNotFound)
}

// check returns how far ahead the clock is said to be, and how many requests it took.
func (c *clocks) check(t *testing.T) (ahead time.Duration, asked int) {
	t.Helper()
	before := c.n
	err := c.CheckClock(t.Context())
	if wrong := (*plaza.ClockError)(nil); errors.As(err, &wrong) {
		require.ErrorIs(t, err, plaza.ErrUnavailable)
		require.Equal(t, c.Name(), wrong.Table)
		return wrong.Ahead, c.n - before
	}
	require.NoError(t, err)
	return 0, c.n - before
}

func TestAClockIsWrongByTwoAnswers(t *testing.T) {
	t.Parallel()
	for name, off := range map[string]struct {
		by    time.Duration
		wrong bool
	}{
		"ahead":                 {6 * time.Second, true},
		"behind":                {-6 * time.Second, true},
		"behind, it may be":     {-4 * time.Second, true}, // the Date may be 2 s old
		"far ahead":             {400 * 24 * time.Hour, true},
		"of 1970":               {-56 * 365 * 24 * time.Hour, true},
		"of 2100":               {74 * 365 * 24 * time.Hour, true},
		"a little ahead":        {5 * time.Second, false},
		"a little behind":       {-3 * time.Second, false},
		"right":                 {0, false},
		"right within a second": {999 * time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClocks(t)
			c.theirs = c.theirs.Add(-off.by)
			c.read(t)
			ahead, asked := c.check(t)
			if !off.wrong {
				require.Zero(t, asked)
				require.Zero(t, ahead)
				return
			}
			require.Equal(t, 1, asked)
			require.InDelta(t, off.by.Seconds(), ahead.Seconds(), 2)

			_, asked = c.check(t)
			require.Zero(t, asked, "it asks once a second")
			c.pass(time.Second)
			ahead, asked = c.check(t)
			require.Equal(t, 1, asked)
			require.NotZero(t, ahead)

			c.jump(-off.by)
			c.pass(time.Second)
			ahead, asked = c.check(t)
			require.Equal(t, 1, asked)
			require.Zero(t, ahead, "the clock was set right")
			_, asked = c.check(t)
			require.Zero(t, asked)
		})
	}
}

func TestAClockThatPartsIsCompared(t *testing.T) {
	t.Parallel()
	c := newClocks(t)
	c.jump(time.Second)
	_, asked := c.check(t)
	require.Zero(t, asked)

	c.jump(time.Millisecond)
	ahead, asked := c.check(t)
	require.Equal(t, 1, asked)
	require.Zero(t, ahead)

	c.jump(time.Hour)
	ahead, asked = c.check(t)
	require.Equal(t, 2, asked, "two answers must agree, and at once")
	require.InDelta(t, 3600, ahead.Seconds(), 3)
	c.jump(-time.Hour)
	ahead, _ = c.check(t)
	require.NotZero(t, ahead, "no answer has said otherwise")
	c.pass(time.Second)
	ahead, asked = c.check(t)
	require.Equal(t, 1, asked)
	require.Zero(t, ahead)

	c.own.Wall, c.theirs = c.own.Wall.Add(8*time.Hour), c.theirs.Add(8*time.Hour) // the machine slept
	ahead, asked = c.check(t)
	require.Equal(t, 1, asked)
	require.Zero(t, ahead)

	c.pass(8 * time.Hour) // the function was frozen
	_, asked = c.check(t)
	require.Zero(t, asked)
}

func TestAClockThatDriftsIsWrongOneDay(t *testing.T) {
	t.Parallel()
	c := newClocks(t)
	for c.own.Wall.Sub(c.theirs) <= 5*time.Second {
		c.read(t)
		ahead, asked := c.check(t)
		require.Zero(t, ahead)
		require.Zero(t, asked)
		c.pass(20 * time.Second)
		c.jump(100 * time.Millisecond)
	}
	c.read(t)
	ahead, asked := c.check(t)
	require.Equal(t, 1, asked)
	require.NotZero(t, ahead)
}

func TestWhatSaysNothingOfTheClock(t *testing.T) {
	t.Parallel()
	const off = -time.Hour
	for name, tc := range map[string]struct {
		off    time.Duration // of DynamoDB's clock
		took   time.Duration
		answer func(n int, h http.Header)
	}{
		"no Date":                    {off, 0, func(_ int, h http.Header) { h.Del("Date") }},
		"a Date that does not parse": {off, 0, func(_ int, h http.Header) { h.Set("Date", "yesterday") }},
		"an answer from a cache":     {off, 0, func(_ int, h http.Header) { h.Set("Age", "3600") }},
		"slow answers":               {off, 1001 * time.Millisecond, func(int, http.Header) {}},
		"one wrong Date among right ones": {0, 0, func(n int, h http.Header) {
			if n == 1 {
				h.Set("Date", "Thu, 01 Jan 1970 00:00:00 GMT")
			}
		}},
		"wrong Dates that do not agree": {0, 0, func(n int, h http.Header) {
			h.Set("Date", map[int]string{0: "Thu, 01 Jan 1970 00:00:00 GMT", 1: "Fri, 01 Jan 2100 00:00:00 GMT"}[n%2])
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClocks(t)
			c.theirs, c.took, c.answer = c.theirs.Add(tc.off), tc.took, tc.answer
			for range 5 {
				c.read(t)
				ahead, asked := c.check(t)
				require.Zero(t, ahead)
				require.LessOrEqual(t, asked, 2)
				_, asked = c.check(t)
				require.Zero(t, asked)
				c.pass(time.Second)
			}
		})
	}
}

func TestAClockIsNotComparedAgainWithoutDates(t *testing.T) {
	t.Parallel()
	c := newClocks(t)
	c.answer = func(_ int, h http.Header) { h.Del("Date") }
	c.jump(time.Hour)
	for _, want := range []int{1, 0, 0} {
		ahead, asked := c.check(t)
		require.Zero(t, ahead)
		require.Equal(t, want, asked)
		c.pass(time.Second)
	}
}

func TestErrorsHaveDatesToo(t *testing.T) {
	t.Parallel()
	c := newClocks(t)
	c.theirs = c.theirs.Add(time.Hour)
	c.Script(func(string, []byte, int) faults.Fault { return faults.Fault{Kind: faults.Throttled} })
	require.ErrorIs(t, c.Dated().Get(t.Context(), store.Key{PK: "a", SK: "b"}, false, new(row)), plaza.ErrBusy)
	ahead, _ := c.check(t)
	require.InDelta(t, -3600, ahead.Seconds(), 2)
}

func TestAClockThatPartedWithoutAnAnswerIsUnavailable(t *testing.T) {
	t.Parallel()
	c := newClocks(t)
	c.jump(time.Hour)
	sent := next(c.Injector, always, faults.Fault{Kind: faults.LostBefore})
	err := c.CheckClock(t.Context())
	require.ErrorIs(t, err, plaza.ErrUnavailable)
	require.NotErrorAs(t, err, new(*plaza.ClockError))
	require.ErrorIs(t, c.CheckClock(t.Context()), plaza.ErrUnavailable)
	require.Equal(t, 1, sent(), "it asks once a second, and the SDK does not ask again")
}

func TestAJumpDoesNotSlipThrough(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]func(c *clocks){
		"the second answer is lost": func(c *clocks) {
			first := c.Requests() + 1
			c.Script(func(_ string, _ []byte, n int) faults.Fault {
				if n == first {
					return faults.Fault{}
				}
				return faults.Fault{Kind: faults.LostBefore}
			})
		},
		"the answer is slow": func(c *clocks) { c.took = 1001 * time.Millisecond },
		"the answer has no Date, though others have": func(c *clocks) {
			c.answer = func(_ int, h http.Header) { h.Del("Date") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClocks(t)
			c.read(t)
			meet(c)
			c.jump(3 * time.Hour)
			err := c.CheckClock(t.Context())
			require.ErrorIs(t, err, plaza.ErrUnavailable)
			require.NotErrorAs(t, err, new(*plaza.ClockError))
		})
	}
}

func TestAJumpBackDuringARequestIsNoticed(t *testing.T) {
	t.Parallel()
	c := newClocks(t)
	c.answer = func(n int, _ http.Header) {
		if n == 1 {
			c.jump(-3 * time.Hour)
		}
	}
	c.read(t)
	ahead, _ := c.check(t)
	require.NotZero(t, ahead)
}

func TestWhoGivesUpSettlesNothing(t *testing.T) {
	t.Parallel()
	c := newClocks(t)
	c.own.Wall, c.theirs = c.own.Wall.Add(time.Hour), c.theirs.Add(time.Hour) // the machine slept
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, c.CheckClock(ctx), context.Canceled)
	ahead, asked := c.check(t)
	require.Zero(t, ahead)
	require.Equal(t, 1, asked)
}

func TestATrustedClockIsNotCompared(t *testing.T) {
	t.Parallel()
	table, in := newTable(t)
	require.NoError(t, table.CheckClock(t.Context()))
	require.Same(t, table, table.Dated())
	require.Zero(t, in.Requests())
}

func TestVerifyChecksTheClock(t *testing.T) {
	t.Parallel()
	c := newClocks(t)
	feature := store.Feature{Name: "test", Format: 1, Schema: store.Schema}
	require.NoError(t, c.Verify(t.Context(), feature))
	c.theirs = c.theirs.Add(time.Hour)
	before := c.n
	require.ErrorAs(t, c.Verify(t.Context(), feature), new(*plaza.ClockError))
	require.Equal(t, 2, c.n-before, "what it asks anyway is enough")
	c.theirs = c.theirs.Add(-time.Hour)
	require.NoError(t, c.Verify(t.Context(), feature))
}
