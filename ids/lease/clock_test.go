package lease_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

func TestAWrongClockTakesNoNumberOfAnother(t *testing.T) {
	t.Parallel()
	db, table := dynamotest.DB(t), dynamotest.Table(t, lease.Table)
	w := &world{t: t, truth: db, table: table}
	holder, err := lease.NewSource(db, table, &lease.Options{First: only})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, holder.Close(context.Background())) })
	_, err = holder.Next(t.Context())
	require.NoError(t, err)
	held := w.row()
	dates := &faults.Dates{}
	dates.Shift(-time.Hour)
	ahead, err := lease.NewSource(dynamotest.DB(t, dates.Wrap), table, &lease.Options{First: only})
	require.NoError(t, err)
	ahead.SetNow(func() time.Time { return time.Now().Add(time.Hour) })
	_, err = ahead.Next(t.Context())
	require.ErrorAs(t, err, new(*plaza.ClockError))
	require.Equal(t, held, w.row())
}

// The time is synctest's, which is DynamoDB's too.
func TestNoIDIsMadeByAWrongClock(t *testing.T) {
	t.Parallel()
	table, meter := dynamotest.Table(t, lease.Table), dynamotest.NewMeter()
	stated := callstest.ReadCosts(t, "../..", "ids/lease")
	send := dynamotest.Outside(t, meter.Wrap)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		dates := &faults.Dates{}
		w := &world{t: t, truth: dynamotest.DB(t, send), table: table}
		source, err := lease.NewSource(dynamotest.DB(t, send, dates.Wrap), table, &lease.Options{First: only})
		require.NoError(t, err)
		var jump atomic.Int64
		began := time.Now()
		source.SetClock(func() store.Reading {
			return store.Reading{Wall: time.Now().Add(time.Duration(jump.Load())), Mono: time.Since(began) + time.Hour}
		})
		defer func() { require.NoError(t, source.Close(t.Context())) }()
		next := func() (id ids.ID, err error) {
			id, err = source.Next(t.Context())
			require.Equal(t, err != nil, id == 0)
			return id, err
		}
		refused := func() {
			t.Helper()
			meter.Take()
			for range 100 {
				_, err := next()
				require.ErrorAs(t, err, new(*plaza.ClockError))
				require.ErrorIs(t, err, plaza.ErrUnavailable)
			}
			require.LessOrEqual(t, meter.Take().Requests, 4, "two to notice it, and one to give the number back")
			for range 10 {
				time.Sleep(time.Second)
				_, err := next()
				require.ErrorAs(t, err, new(*plaza.ClockError))
			}
			wrong := stated.Times(10, "Lease.Next", "after the clock was changed, and each second while it is wrong")
			require.LessOrEqual(t, meter.Take().Requests, wrong.Requests+1)
		}
		right := func() {
			t.Helper()
			time.Sleep(time.Second)
			_, err := next()
			require.NoError(t, err)
		}

		dates.Shift(time.Hour)
		refused()
		require.Empty(t, w.row().Owner, "a number that was acquired is given back")
		require.Zero(t, w.row().Until)
		dates.Shift(0)
		right()

		jump.Store(int64(3 * time.Hour))
		stored := w.row()
		refused()
		time.Sleep(10 * time.Minute)
		require.Equal(t, stored, w.row(), "the lease is not renewed by a wrong clock")
		jump.Store(0)
		right()

		dates.Shift(-time.Minute) // the clock drifts, and a renewal notices it
		time.Sleep(time.Minute)
		refused()
		dates.Shift(0)
		right()

		meter.Take()
		_, err = next()
		require.NoError(t, err)
		require.Equal(t, stated.Of("Lease.Next", "an id").Requests, meter.Take().Requests, "a right clock costs nothing")
	})
}
