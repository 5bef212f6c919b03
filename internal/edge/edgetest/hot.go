package edgetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
)

// hotKeys makes random calls where the keys are hot: calls fail as busy, and a repeat
// succeeds. The stream delivers late and twice.
func hotKeys[E any](t *testing.T, f Feature[E]) {
	buckets, records := &faults.Buckets{PerSecond: 1000}, faults.NewRecords(1)
	base := world[E]{f: f, table: dynamotest.Table(t, streamtest.Streamed(f.Table))}.process(t, spread(1))
	reader := newReader(t, base, records)
	m := crowd[E]{base.process(t, spread(1), buckets.Wrap), newModel(f), rand.New(rand.NewPCG(1, 1))}
	begin, end := m.Begin, m.End
	m.Begin = func(ctx context.Context, e E) (E, bool, error) {
		got, begun, err := begin(ctx, e)
		return got, begun, onlyBusy(t, err)
	}
	m.End = func(ctx context.Context, e E) (bool, error) {
		ended, err := end(ctx, e)
		return ended, onlyBusy(t, err)
	}
	for steps := 0; buckets.Throttled() < 50 || records.Twice() < 20; steps++ {
		require.Less(t, steps, 500, "%d throttled, %d twice", buckets.Throttled(), records.Twice())
		m.step(t)
		if steps%20 == 0 {
			require.Equal(t, m.stands, reader.standing(t))
		}
	}
	m.requireStored(t, m.stands.edges()...)
	require.Equal(t, m.stands, reader.standing(t))
	tails, heads := f.names()
	base.holds(t, m.stands, tails, heads)
}

// onlyBusy fails the test if throttling has another error.
func onlyBusy(t testing.TB, err error) error {
	t.Helper()
	if err != nil && !errors.Is(err, plaza.ErrRemoved) {
		require.ErrorIs(t, err, plaza.ErrBusy)
	}
	return err
}
