package lease_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

var _ ids.Source = (*lease.Lease)(nil)

func mustNext(t testing.TB, l *lease.Lease) ids.ID {
	t.Helper()
	id, err := l.Next(t.Context())
	require.NoError(t, err)
	return id
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	db := dynamo.NewFromIface(nil)
	for field, c := range map[string]struct {
		db    *dynamo.DB
		table string
		opts  lease.Options
	}{
		"db":       {nil, "t", lease.Options{}},
		"table":    {db, "", lease.Options{}},
		"Duration": {db, "t", lease.Options{Duration: time.Second - 1}},
		"Renew":    {db, "t", lease.Options{Duration: time.Second, Renew: time.Second}},
		"First":    {db, "t", lease.Options{First: 16384}},
		"Tries":    {db, "t", lease.Options{Tries: -1}},
	} {
		_, acquiring := lease.Acquire(t.Context(), c.db, c.table, &c.opts)
		_, making := lease.NewSource(c.db, c.table, &c.opts)
		for _, err := range []error{acquiring, making} {
			var invalid *plaza.InvalidError
			require.ErrorAs(t, err, &invalid, field)
			require.Equal(t, field, invalid.Field)
		}
	}
}

func TestNumbersInUseAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	o := options(c)
	o.First = only - 2
	machines := map[ids.ID]bool{}
	for range 3 {
		l, err := w.acquire(c, o)
		require.NoError(t, err)
		machines[mustNext(t, l)&(1<<14-1)] = true
	}
	assert.Equal(t, map[ids.ID]bool{only - 2: true, only - 1: true, only: true}, machines)

	before := w.Requests()
	skipped := callstest.ReadCosts(t, "../..", "ids/lease").Times(3, "Acquire", "each number that is skipped, more")
	_, err := w.acquire(c, o)
	assert.ErrorIs(t, err, plaza.ErrBusy)
	assert.Equal(t, skipped.Requests, w.Requests()-before)

	o.Tries = 2
	_, err = w.acquire(c, o)
	assert.ErrorIs(t, err, plaza.ErrBusy)
	assert.Equal(t, 5, w.Requests()-before)
}

func TestCallsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t)
	w.db = dynamotest.DB(t, meter.Wrap)
	c := clockAt(noon)
	stated := callstest.ReadCosts(t, "../..", "ids/lease")
	renewal := stated.Of("Lease.Next", "a renewal")
	var l *lease.Lease
	meter.AtMost(t, "acquire", stated.Of("Acquire", "an unused number"), func() { l = w.mustAcquire(c) })
	meter.AtMost(t, "ids of the first half", stated.Of("Lease.Next", "an id"), func() {
		mustNext(t, l)
		c.Advance(30 * time.Second)
		mustNext(t, l)
	})
	got := meter.AtMost(t, "ids after it", renewal, func() {
		c.Advance(time.Millisecond)
		for range 100 {
			mustNext(t, l)
		}
	})
	assert.Equal(t, renewal, got)
	meter.AtMost(t, "close", stated.Of("Lease.Close"), func() { require.NoError(t, l.Close(t.Context())) })
	meter.AtMost(t, "close again", dynamotest.Cost{}, func() { require.NoError(t, l.Close(t.Context())) })
	c.Advance(time.Minute)
	meter.AtMost(t, "acquire what was used", stated.Of("Acquire", "a number that was used before"), func() { w.mustAcquire(c) })
}

func TestFailingRenewalMattersOnceNoTimeIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	l := w.mustAcquire(c)
	until := w.row().until()

	w.always(faults.LostBefore, 1<<30)
	c.Advance(31 * time.Second)
	before := w.Requests()
	for range 1000 {
		mustNext(t, l)
	}
	assert.LessOrEqual(t, w.Requests()-before, 3, "one attempt, which the SDK makes three of")

	c.Advance(until.Sub(c.Now()) - 3*time.Millisecond)
	given := 0
	for ; given < 100; given++ { // they run ahead of the clock
		id, err := l.Next(t.Context())
		if err != nil {
			assert.ErrorIs(t, err, plaza.ErrUnknownOutcome)
			assert.NotErrorIs(t, err, lease.ErrLost)
			assert.Zero(t, id)
			break
		}
		require.False(t, id.Time().After(until), "%v is past %v", id.Time(), until)
	}
	assert.Equal(t, 4*4, given, "four milliseconds of four ids")

	w.Off()
	assert.True(t, mustNext(t, l).Time().After(until))
}

func TestTakerStartsAfterTheOldHolder(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{
		"as the lease ends":      time.Minute,
		"a little later":         time.Minute + 5*time.Millisecond,
		"with a clock far ahead": 5 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			old, new := clockAt(noon), clockAt(noon.Add(ahead))
			l := w.mustAcquire(old)
			until := w.row().until()
			taker := w.mustAcquire(new)
			assert.Equal(t, 2, w.row().Gen)

			done := make(chan ids.ID)
			go func() {
				id, err := taker.Next(t.Context())
				assert.NoError(t, err)
				done <- id
			}()
			new.Advance(2 * time.Millisecond) // past the last millisecond, so that it does not wait
			first := <-done
			assert.True(t, first.Time().After(until), "%v", first.Time())

			// The old holder keeps the rest of its time, until a renewal is refused.
			old.Advance(31 * time.Second)
			assert.Less(t, mustNext(t, l), first)
			before, stored := w.Requests(), w.row()
			for range 3 {
				id, err := l.Next(t.Context())
				assert.ErrorIs(t, err, lease.ErrLost)
				assert.Zero(t, id)
			}
			assert.Equal(t, before, w.Requests())
			assert.NoError(t, l.Close(t.Context()))
			assert.Equal(t, stored, w.row(), "closing touched what is another's")
			assert.Greater(t, mustNext(t, taker), first)
		})
	}
}

func TestATakerWhoseClockIsBehindTakesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c, behind := clockAt(noon), clockAt(noon.Add(-3*time.Hour))
	l := w.mustAcquire(c)
	mustNext(t, l)
	require.NoError(t, l.Close(t.Context()))
	_, err := w.acquire(behind, options(behind))
	assert.ErrorIs(t, err, plaza.ErrBusy)
}

func TestClockGoingBackAfterAcquireGivesNoOldIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	l := w.mustAcquire(c)
	mustNext(t, l)
	require.NoError(t, l.Close(t.Context()))
	c.Advance(time.Second)
	taker := w.mustAcquire(c)
	c.Advance(-time.Hour)
	_, err := taker.Next(t.Context())
	assert.ErrorIs(t, err, ids.ErrClockRollback)

	// Whatever the holder does now, the time of its earlier ids stays stored.
	before := w.row()
	require.NoError(t, taker.Close(t.Context()))
	assert.Equal(t, noon, w.row().until().UTC())
	assert.Less(t, w.row().Until, before.Until)
}

func TestRollbackOfTheGeneratorIsPassedOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(time.Now())
	o := options(c)
	l, err := lease.Acquire(t.Context(), w.db, w.table, &o)
	require.NoError(t, err)
	mustNext(t, l)
	c.Advance(-time.Hour)
	for range 16 { // it may take a burst until it is noticed
		if _, err = l.Next(t.Context()); err != nil {
			break
		}
	}
	assert.ErrorIs(t, err, ids.ErrClockRollback)
	require.NoError(t, l.Close(t.Context()))
}

func TestCloseGivesTheNumberBackAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	var last ids.ID
	for gen := range 5 {
		l := w.mustAcquire(c)
		assert.Equal(t, gen+1, w.row().Gen)
		for range 3 {
			id := mustNext(t, l)
			require.Greater(t, id, last)
			last = id
		}
		require.NoError(t, l.Close(t.Context()))
		assert.Equal(t, row{Gen: gen + 1, Until: last.Time().UnixMilli()}, w.row())

		id, err := l.Next(t.Context())
		assert.ErrorIs(t, err, lease.ErrLost)
		assert.Zero(t, id)
		require.NoError(t, l.Close(t.Context()))
		c.Advance(time.Millisecond)
	}
}

func TestTakerWaitsOutTheLastMillisecond(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	l := w.mustAcquire(c)
	before := mustNext(t, l)
	require.NoError(t, l.Close(t.Context()))

	taker := w.mustAcquire(c) // in the same millisecond
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := taker.Next(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	after := mustNext(t, taker) // the source's time runs ahead of the clock
	assert.True(t, after.Time().After(before.Time()))
}

func TestClosingAnUnusedLeaseKeepsTheStoredTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	for gen := range 2 { // nobody has used it
		require.NoError(t, w.mustAcquire(c).Close(t.Context()))
		assert.Equal(t, row{Gen: gen + 1}, w.row())
	}
	mustNext(t, w.mustAcquire(c)) // never given back
	until := w.row().Until
	c.Advance(2 * time.Minute)
	require.NoError(t, w.mustAcquire(c).Close(t.Context()))
	assert.Equal(t, row{Gen: 4, Until: until}, w.row())
}

// A renewal in the background belongs to no call that runs, but a meter needs a name for it.
func TestHeartbeatRenews(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	names := make(chan string, 100)
	w.db = dynamotest.DB(t, w.Wrap, func(next aws.HTTPClient) aws.HTTPClient {
		return clientFunc(func(r *http.Request) (*http.Response, error) {
			names <- plaza.Operation(r.Context())
			return next.Do(r)
		})
	})
	c := clockAt(noon)
	o := options(c)
	o.Renew = time.Millisecond
	l, err := w.acquire(c, o)
	require.NoError(t, err)
	require.Equal(t, "ids/lease.Acquire", <-names)
	for range 3 {
		c.Advance(20 * time.Second)
		require.Equal(t, "ids/lease.Lease.Next", <-names)
	}
	require.NoError(t, l.Close(t.Context()))
	before := w.Requests()
	c.Advance(20 * time.Second)
	assert.Equal(t, before, w.Requests())
	assert.Empty(t, w.row().Owner)
}

func TestLostAnswersChangeNothing(t *testing.T) {
	t.Parallel()
	// The SDK sends a request three times: five lost answers make the first
	// call of Acquire fail.
	for name, answers := range map[string]int{"one": 1, "five": 5} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := clockAt(noon)

			w.always(faults.LostAfter, answers)
			l := w.mustAcquire(c)
			assert.Equal(t, 1, w.row().Gen)
			mustNext(t, l)

			c.Advance(31 * time.Second)
			w.always(faults.LostAfter, answers)
			mustNext(t, l)
			if answers > 3 { // tried again a little later
				c.Advance(4 * time.Second)
				mustNext(t, l)
			}
			assert.Equal(t, c.Now().Add(time.Minute), w.row().until())

			w.always(faults.LostAfter, answers)
			if err := l.Close(t.Context()); answers > 3 {
				assert.ErrorIs(t, err, plaza.ErrUnknownOutcome)
			} else {
				assert.NoError(t, err)
			}
			assert.Empty(t, w.row().Owner)
			assert.NoError(t, l.Close(t.Context()))

			last := w.row().Until
			w.after(1, faults.LostAfter, answers) // the refusal arrives
			l = w.mustAcquire(c)
			assert.Equal(t, 2, w.row().Gen)
			assert.Greater(t, mustNext(t, l).Time().UnixMilli(), last)
		})
	}
}

func TestAnAcquireWithoutAnAnswerIsAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	for _, then := range []faults.Kind{faults.LostBefore, faults.Throttled, faults.Refused} {
		w := newWorld(t)
		c := clockAt(noon)
		w.Script(func(_ string, _ []byte, n int) faults.Fault {
			if n <= 3 { // those of one call
				return faults.Fault{Kind: faults.LostBefore}
			}
			return faults.Fault{Kind: then}
		})
		_, err := w.acquire(c, options(c))
		assert.ErrorIs(t, err, plaza.ErrUnknownOutcome)
		assert.Empty(t, w.rows())
	}
}

func TestLateRenewalShortensNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	l := w.mustAcquire(c)
	for range 2 {
		c.Advance(40 * time.Second)
		mustNext(t, l)
	}
	until := w.row()
	w.late.deliver(t, 1)
	assert.Equal(t, until, w.row())

	require.NoError(t, l.Close(t.Context()))
	back := w.row()
	for i := range 4 { // close, renewals, acquisition
		w.late.deliver(t, i)
		assert.Equal(t, back, w.row())
	}
}

func TestARenewalReadsTheStoredEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	o := options(c)
	o.Renew = time.Millisecond
	l, err := w.acquire(c, o)
	require.NoError(t, err)

	// The clock jumps forward, the answer to a renewal is lost, and the clock jumps back.
	sent := make(chan struct{}, 100)
	start := w.Requests()
	w.Script(func(_ string, _ []byte, n int) faults.Fault {
		sent <- struct{}{}
		if n > start+3 {
			return faults.Fault{}
		}
		return faults.Fault{Kind: faults.LostAfter}
	})
	c.Advance(70 * time.Second)
	for range 3 {
		<-sent
	}
	stored := w.row()
	require.Equal(t, c.Now().Add(time.Minute), stored.until())
	c.Advance(-5 * time.Second)
	mustNext(t, l)
	assert.Equal(t, stored, w.row())
}

func TestHolderRenewingMeanwhileKeepsItsNumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old, new := clockAt(noon), clockAt(noon.Add(2*time.Minute))
	l := w.mustAcquire(old)
	old.Advance(2 * time.Minute)

	requests := 0
	o := options(new)
	_, err := lease.Acquire(t.Context(), dynamotest.DB(t, func(next aws.HTTPClient) aws.HTTPClient {
		return clientFunc(func(r *http.Request) (*http.Response, error) {
			if requests++; requests == 2 { // it has seen that the lease expired
				mustNext(t, l)
			}
			return next.Do(r)
		})
	}), w.table, &o)
	assert.ErrorIs(t, err, plaza.ErrBusy)
	mustNext(t, l)
}

type clientFunc func(*http.Request) (*http.Response, error)

func (f clientFunc) Do(r *http.Request) (*http.Response, error) { return f(r) }
