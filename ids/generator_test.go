package ids_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

var _ ids.Source = (*ids.Generator)(nil)

func TestNewRefusesInvalidOptions(t *testing.T) {
	for field, c := range map[string]struct {
		machine uint16
		opts    *ids.Options
	}{
		"machine":  {16384, nil},
		"Rollback": {1, &ids.Options{Rollback: -1}},
	} {
		_, err := ids.New(c.machine, c.opts)
		var invalid *plaza.InvalidError
		if assert.ErrorAs(t, err, &invalid) {
			assert.Equal(t, field, invalid.Field)
		}
	}
	_, err := ids.New(16383, nil)
	assert.NoError(t, err)
}

func TestIDsAreUniqueAndGrowForEachCaller(t *testing.T) {
	const workers, each = 8, 10_000
	g, err := ids.New(3, nil)
	require.NoError(t, err)
	other, err := ids.New(4, nil)
	require.NoError(t, err)

	start := time.Now()
	var got [2 * workers][]ids.ID
	var wg sync.WaitGroup
	for w := range got {
		source := []*ids.Generator{g, other}[w%2]
		wg.Go(func() {
			for range each {
				id, err := source.Next(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				got[w] = append(got[w], id)
			}
		})
	}
	wg.Wait()
	end := time.Now()

	seen := make(map[ids.ID]bool, 2*workers*each)
	for w, list := range got {
		last := ids.At(start.Truncate(time.Millisecond)) - 1
		for _, id := range list {
			require.Greater(t, id, last)
			require.False(t, seen[id], "%s was given twice", id)
			require.EqualValues(t, 3+w%2, id&(1<<14-1))
			seen[id] = true
			last = id
		}
		assert.False(t, last.Time().After(end), "runs ahead of the clock")
	}
	assert.Len(t, seen, 2*workers*each)
}

// inBubble runs f in a synctest bubble, where time advances only while all goroutines
// sleep.
func inBubble(t *testing.T, f func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
		f(t)
	})
}

func TestAMillisecondHolds256(t *testing.T) {
	for name, offset := range map[string]time.Duration{
		"from its start":  0,
		"from its middle": 400 * time.Microsecond,
		"from its end":    970 * time.Microsecond, // where Next spins instead of sleeping
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				g, err := ids.New(1, nil)
				require.NoError(t, err)
				first := time.Now()
				time.Sleep(offset)
				for i := range 3*256 + 1 {
					id, err := g.Next(t.Context())
					require.NoError(t, err)
					wantTime := first.Add(time.Duration(i/256) * time.Millisecond)
					require.True(t, id.Time().Equal(wantTime), "id %d: %v", i, id.Time())
					require.EqualValues(t, i%256, id>>14&255)
					require.False(t, id.Time().After(time.Now()))
				}
				assert.Equal(t, first.Add(3*time.Millisecond), time.Now())
			})
		})
	}
}

// clock is the system's clock plus an offset that the test sets.
type clock struct{ off atomic.Int64 }

func (c *clock) Now() time.Time { return time.Now().Add(time.Duration(c.off.Load())) }

func TestClockGoingFarBackIsAnError(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := &clock{}
		g, err := ids.New(1, &ids.Options{Rollback: 20 * time.Millisecond, Now: c.Now})
		require.NoError(t, err)
		before, err := g.Next(t.Context())
		require.NoError(t, err)

		c.off.Store(int64(-21 * time.Millisecond))
		start := time.Now()
		for range 3 {
			_, err = g.Next(t.Context())
			assert.ErrorIs(t, err, ids.ErrClockRollback)
		}
		assert.Equal(t, start, time.Now(), "it slept")

		time.Sleep(2 * time.Millisecond)
		after, err := g.Next(t.Context())
		require.NoError(t, err)
		assert.Greater(t, after, before)
	})
}

func TestClockGoingFarBackInABurstIsNoticedSoon(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := &clock{}
		g, err := ids.New(1, &ids.Options{Now: c.Now})
		require.NoError(t, err)
		var last ids.ID
		for range 100 {
			last, err = g.Next(t.Context())
			require.NoError(t, err)
		}
		c.off.Store(int64(-time.Hour))
		more := 0
		for ; more <= 16; more++ {
			id, err := g.Next(t.Context())
			if err != nil {
				assert.ErrorIs(t, err, ids.ErrClockRollback)
				break
			}
			assert.Greater(t, id, last)
			last = id
		}
		assert.LessOrEqual(t, more, 15)
		_, err = g.Next(t.Context())
		assert.ErrorIs(t, err, ids.ErrClockRollback)
	})
}

func TestClockGoingALittleBackIsWaitedOut(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := &clock{}
		g, err := ids.New(1, &ids.Options{Now: c.Now})
		require.NoError(t, err)
		start := time.Now()
		var last ids.ID
		for i := range 1000 {
			if i == 100 {
				c.off.Store(int64(-10 * time.Millisecond)) // the default, to the millisecond
			}
			id, err := g.Next(t.Context())
			require.NoError(t, err)
			require.Greater(t, id, last)
			last = id
		}
		// 256 in the first millisecond; the next once the clock is past it.
		assert.GreaterOrEqual(t, time.Since(start), 11*time.Millisecond)
	})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		stopped := time.Now()
		g, err := ids.New(1, &ids.Options{Now: func() time.Time { return stopped }})
		require.NoError(t, err)
		for range 256 {
			_, err := g.Next(t.Context())
			require.NoError(t, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err = g.Next(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.LessOrEqual(t, time.Since(start), 31*time.Millisecond)

		g, err = ids.New(1, nil)
		require.NoError(t, err)
		_, err = g.Next(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded, "also where there is nothing to wait for")
	})
}

func TestNextAllocatesNothing(t *testing.T) {
	g, err := ids.New(1, nil)
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(5000, func() {
		if _, err := g.Next(t.Context()); err != nil {
			t.Error(err)
		}
	}))
}
