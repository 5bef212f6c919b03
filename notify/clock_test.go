package notify_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

// A full group rests for Coalesce, also if the clock goes back.
func TestAFullGroupRestsNoLongerIfTheClockGoesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := w.like("first")
	w.store(t, n)
	w.fill(t, n, group.Cap, filler)
	require.Equal(t, notify.Full, w.outcome(t, w.like("late")))
	require.True(t, w.process(t, nil).retract(t, n), "by another process")
	w.pass(-time.Hour)
	w.store(t, w.like("after"))
}

// Who wants to keep groups for ever must not lose them at once.
func TestTheLongestRetentionKeepsGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, err := notify.New(dynamotest.DB(t), w.table, w.clock, &notify.Options{Retention: math.MaxInt64})
	requireInvalid(t, "Options.Retention", err, "")
	w = w.process(t, &notify.Options{Retention: 100 * 365 * 24 * time.Hour})
	w.put(t, in("ann", 1))
	require.Len(t, w.list(t, "ann"), 1)
}
