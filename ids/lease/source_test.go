package lease_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

var _ ids.Source = (*lease.Source)(nil)

// source makes ids with the time of c.
func (w *world) source(c *clock, o lease.Options) *lease.Source {
	w.t.Helper()
	s, err := lease.NewSource(w.db, w.table, o.WithSource(func(machine uint16) (ids.Source, error) {
		return &source{clock: c, machine: machine}, nil
	}))
	require.NoError(w.t, err)
	w.t.Cleanup(func() {
		w.Off()
		_ = s.Close(context.Background())
	})
	return s
}

func sourceNext(t testing.TB, s *lease.Source) ids.ID {
	t.Helper()
	id, err := s.Next(t.Context())
	require.NoError(t, err)
	return id
}

func TestASourceThatIsNeverUsedSendsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, err := lease.NewSource(w.db, w.table, nil)
	require.NoError(t, err)
	require.NoError(t, s.Close(t.Context()))
	_, err = s.Next(t.Context())
	require.ErrorIs(t, err, lease.ErrLost)
	require.Zero(t, w.Requests())
}

func TestASourceAcquiresAndRenewsOnceForAllWhoWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	s := w.source(c, options(c))
	for requests := 1; requests <= 2; requests++ { // it is acquired, and then renewed
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				_, err := s.Next(t.Context())
				assert.NoError(t, err)
			})
		}
		wg.Wait()
		require.Equal(t, requests, w.Requests())
		c.Advance(2 * time.Minute)
	}
	require.Equal(t, 1, w.row().Gen)
}

func TestASourceTakesAnotherNumberAfterALoss(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c, ahead := clockAt(noon), clockAt(noon.Add(2*time.Minute))
	o := options(c)
	o.First = only - 1
	s := w.source(c, o)
	var last ids.ID
	seen := map[ids.ID]bool{}
	machines := map[ids.ID]bool{}
	next := func() {
		t.Helper()
		id := sourceNext(t, s)
		require.Greater(t, id, last)
		require.False(t, seen[id])
		last, seen[id] = id, true
		machines[id&(1<<14-1)] = true
	}
	next()
	for range 2 { // another's clock is ahead: it takes both numbers over
		other := options(ahead)
		other.First = only - 1
		taker, err := w.acquire(ahead, other)
		require.NoError(t, err)
		id := mustNext(t, taker)
		require.False(t, seen[id])
		seen[id] = true
	}
	c.Advance(3*time.Minute + time.Second)
	for range 10 {
		next()
		c.Advance(10 * time.Second)
	}
	require.NoError(t, s.Close(t.Context()))
	_, err := s.Next(t.Context())
	require.ErrorIs(t, err, lease.ErrLost)
}

func TestASourceOutlivesItsFirstCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	s := w.source(c, options(c))
	sent, answer := make(chan struct{}), make(chan struct{})
	w.Script(func(string, []byte, int) faults.Fault {
		close(sent)
		<-answer
		return faults.Fault{}
	})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, err := s.Next(ctx)
		first <- err
	}()
	<-sent
	cancel()
	require.ErrorIs(t, <-first, context.Canceled)
	close(answer)
	sourceNext(t, s)
	require.Equal(t, 1, w.Requests(), "the second caller has what the first began")
}

func TestAFailingAcquisitionIsTriedAgainByTheNextCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	s := w.source(c, options(c))
	w.always(faults.LostBefore, 6) // both requests, each sent three times
	_, err := s.Next(t.Context())
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	sourceNext(t, s)

	taken := w.source(c, options(c))
	_, err = taken.Next(t.Context())
	require.ErrorIs(t, err, plaza.ErrBusy)
	require.NoError(t, s.Close(t.Context()))
	c.Advance(time.Second)
	sourceNext(t, taken)
}

func TestASourceNeverReturnsOlderIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	o := options(c)
	o.First = only - 1
	s := w.source(c, o)
	before := sourceNext(t, s)
	other := clockAt(c.Now().Add(2 * time.Minute))
	taking := options(other)
	taking.First, taking.Tries = o.First, 1
	held := uint16(before & (1<<14 - 1))
	taking.Rand = bytes.NewReader(append([]byte("another process."), 0, byte(held-o.First)))
	l, err := w.acquire(other, taking)
	require.NoError(t, err)
	taken, err := l.Next(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, held, taken&(1<<14-1))
	c.Advance(31 * time.Second)
	after := sourceNext(t, s) // the renewal finds the number lost; the id is still good
	require.Greater(t, after, before)
	c.Advance(-20 * time.Second)
	_, err = s.Next(t.Context())
	require.ErrorIs(t, err, ids.ErrClockRollback)
	c.Advance(20*time.Second - 5*time.Millisecond)
	require.Greater(t, sourceNext(t, s), after, "a little is waited out")
}

func TestCloseEndsAnAcquisition(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	s := w.source(c, options(c))
	sent := make(chan struct{})
	once := sync.OnceFunc(func() { close(sent) })
	w.Script(func(string, []byte, int) faults.Fault {
		once()
		return faults.Fault{Kind: faults.Hung}
	})
	failed := make(chan error)
	go func() {
		_, err := s.Next(t.Context())
		failed <- err
	}()
	<-sent
	require.NoError(t, s.Close(t.Context()))
	require.ErrorIs(t, <-failed, lease.ErrLost)
	_, err := s.Next(t.Context())
	require.ErrorIs(t, err, lease.ErrLost)
}

func TestSourcesNeverShareAnID(t *testing.T) {
	t.Parallel()
	db, table := dynamotest.DB(t), dynamotest.Table(t, lease.Table)
	var mu sync.Mutex
	seen := map[ids.ID]bool{}
	var wg sync.WaitGroup
	for n := range uint64(2) {
		in := faults.New(t, n, faults.Standard)
		s, err := lease.NewSource(dynamotest.DB(t, in.Wrap), table, &lease.Options{First: only - 7})
		require.NoError(t, err)
		for range 4 {
			wg.Go(func() {
				var last ids.ID
				for range 300 {
					id, err := s.Next(t.Context())
					for faults.Passing(err) {
						id, err = s.Next(t.Context())
					}
					mu.Lock()
					if seen[id] || id <= last || err != nil {
						t.Errorf("%s after %s, seen: %t, %v", id, last, seen[id], err)
					}
					seen[id] = true
					mu.Unlock()
					last = id
				}
			})
		}
		t.Cleanup(func() {
			in.Off()
			assert.NoError(t, s.Close(context.Background()))
		})
	}
	wg.Wait()
	var rows []row
	require.NoError(t, db.Table(table).Scan().All(t.Context(), &rows))
	require.NotEmpty(t, rows)
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	w := newWorld(t)
	c, ahead := clockAt(noon), clockAt(noon.Add(2*time.Minute))
	mustNext(t, w.mustAcquire(c)) // so that the client has its connections
	o, other := options(c), options(ahead)
	o.First, other.First = only-1, only-1
	o.Renew = 59 * time.Second
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent(),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))

	// A Close that cannot give the number back ends the lease too.
	failing, err := lease.Acquire(t.Context(), w.db, w.table, nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, failing.Close(ctx), context.Canceled)
	require.NoError(t, failing.Close(t.Context()))

	s := w.source(c, o)
	sourceNext(t, s)
	l, err := w.acquire(ahead, other)
	require.NoError(t, err)
	l2, err := w.acquire(ahead, other)
	require.NoError(t, err)
	c.Advance(3 * time.Minute)
	require.NoError(t, l.Close(t.Context()))
	sourceNext(t, s) // with another number
	require.NoError(t, l2.Close(t.Context()))
	require.NoError(t, s.Close(t.Context()))
}

// damage replaces an attribute of a number's item.
func (w *world) damage(number uint16, attribute string, value any) {
	w.t.Helper()
	update := w.truth.Table(w.table).Update("pk", fmt.Sprint("M#", number)).Range("sk", "LEASE")
	if value == nil {
		update.Remove(attribute)
	} else {
		update.Set(attribute, value)
	}
	require.NoError(w.t, update.Run(w.t.Context()))
}

func TestADamagedNumberIsSkipped(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{"text": "x", "negative": -1, "a list": []int{1}, "nothing": nil} {
		for _, attribute := range []string{"gen", "until"} {
			w := newWorld(t)
			c := clockAt(noon)
			require.NoError(t, w.mustAcquire(c).Close(t.Context()))
			w.damage(only, attribute, value)
			c.Advance(time.Hour)
			var told []*plaza.CorruptError
			o := options(c)
			o.OnCorrupt = func(err *plaza.CorruptError) { told = append(told, err) }
			_, err := w.acquire(c, o)
			require.ErrorIs(t, err, plaza.ErrCorrupt, "%s, %s", attribute, name)
			require.Len(t, told, 1)
			require.Equal(t, fmt.Sprint("M#", only), told[0].PK)

			o.First = only - 1
			for range 2 { // wherever it begins
				l, err := w.acquire(c, o)
				require.NoError(t, err)
				require.EqualValues(t, only-1, mustNext(t, l)&(1<<14-1))
				require.NoError(t, l.Close(t.Context()))
				c.Advance(time.Second)
			}
		}
	}
}

func TestASourceWhoseItemIsDamagedTakesAnotherNumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const machine = 1<<14 - 1
	c := clockAt(noon)
	o := options(c)
	o.First = only - 1
	s := w.source(c, o)
	first := uint16(sourceNext(t, s) & machine)
	w.damage(first, "until", "x")
	c.Advance(2 * time.Minute)
	second := uint16(sourceNext(t, s) & machine)
	require.NotEqual(t, first, second)
	w.damage(second, "gen", "x")
	c.Advance(2 * time.Minute)
	_, err := s.Next(t.Context())
	require.ErrorIs(t, err, plaza.ErrCorrupt, "there is no other")
}

// A caller uses the lease while it closes.
func TestACloseThatFailedBesideANextIsRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := clockAt(noon)
	asked, closed := make(chan struct{}), make(chan struct{})
	o := options(c)
	s, err := lease.NewSource(w.db, w.table, o.WithSource(func(machine uint16) (ids.Source, error) {
		return slowSource{asked: asked, answer: closed, Source: &source{clock: c, machine: machine}}, nil
	}))
	require.NoError(t, err)
	failed := make(chan error)
	go func() {
		_, err := s.Next(t.Context())
		failed <- err
	}()
	<-asked
	w.always(faults.LostBefore, 3)
	require.ErrorIs(t, s.Close(t.Context()), plaza.ErrUnknownOutcome)
	close(closed)
	require.ErrorIs(t, <-failed, lease.ErrLost)
	require.NotEmpty(t, w.row().Owner)
	require.NoError(t, s.Close(t.Context()))
	require.Empty(t, w.row().Owner)
}

// slowSource signals that it was called, and answers later.
type slowSource struct {
	asked, answer chan struct{}
	ids.Source
}

func (s slowSource) Next(ctx context.Context) (ids.ID, error) {
	close(s.asked)
	<-s.answer
	return s.Source.Next(ctx)
}

func TestTheTableIsVerified(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	db, table := dynamotest.DB(t, meter.Wrap), dynamotest.Table(t, lease.Table)
	s, err := lease.NewSource(db, table, nil)
	require.NoError(t, err)
	meter.AtMost(t, "verify", dynamotest.Cost{Requests: 2, Read: 0.5}, func() { require.NoError(t, s.Verify(t.Context())) })
	meter.AtMost(t, "init", dynamotest.Cost{Requests: 3, Read: 0.5, Write: 1}, func() { require.NoError(t, s.Init(t.Context())) })
	require.NoError(t, s.Init(t.Context()))
	sourceNext(t, s)
	require.NoError(t, s.Close(t.Context()))

	other, err := follow.New(db, table, s, nil)
	require.NoError(t, err)
	require.ErrorIs(t, other.Init(t.Context()), plaza.ErrTable)
	missing, err := lease.NewSource(dynamo.NewFromIface(db.Client()), "nowhere", nil)
	require.NoError(t, err)
	require.ErrorIs(t, missing.Verify(t.Context()), plaza.ErrTable)
	_, err = lease.Acquire(t.Context(), db, "nowhere", nil)
	require.ErrorIs(t, err, plaza.ErrTable)
}
