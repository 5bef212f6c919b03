package leaderboard_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestEntryIsReadImmediately(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	w.define(t, leaderboard.Board{Name: "b", Kind: leaderboard.KindFloat, Cron: "@daily", Keep: time.Hour})
	s := leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Float(0.5), Name: "Ann", Meta: []byte(`{"a":1}`)}
	got := w.submit(t, s)
	want := leaderboard.Entry{Board: "b", Period: got.Period, Score: s.Score, Name: "Ann", Meta: json.RawMessage(`{"a":1}`)}
	stale := w.process(t, nil, faults.New(t, 1, faults.Rates{Stale: 1}).Wrap)
	for _, in := range []leaderboard.In{in("b"), {Board: "b", Period: got.Period}} {
		e, err := stale.Entry(t.Context(), in, "ann")
		require.NoError(t, err)
		require.Equal(t, want, e)
	}
	meter.AtMost(t, "entry", dynamotest.Cost{Requests: 1, Read: 1}, func() {
		_, err := w.Entry(t.Context(), in("b"), "ann")
		require.NoError(t, err)
	})
	changes(t, w.Hide, "ann", true)
	want.Hidden = true
	e, err := w.Entry(t.Context(), in("b"), "ann")
	require.NoError(t, err)
	require.Equal(t, want, e)

	absent := func(in leaderboard.In, player string) {
		t.Helper()
		_, err := w.Entry(t.Context(), in, player)
		require.ErrorIs(t, err, plaza.ErrNotFound)
	}
	absent(in("b"), "bob")
	absent(in("unknown"), "ann")
	absent(leaderboard.In{Board: "b", Period: forever}, "ann")
	changes(t, w.Remove, "ann", true)
	absent(in("b"), "ann")
	w.submit(t, s)
	w.set(march(11, 2))
	absent(in("b"), "ann")
	absent(leaderboard.In{Board: "b", Period: got.Period}, "ann") // the period has expired
	_, err = w.Entry(t.Context(), in("b"), "")
	requireInvalid(t, "Player", err)
	_, err = w.Entry(t.Context(), in(""), "ann")
	requireInvalid(t, "Board", err)
}

// The test fills every attribute that grows. The entry stays below 8 KB.
func TestTheLargestEntryHasABound(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	name, player := fmt.Sprintf("%*s", 256, "#"), fmt.Sprintf("%*s", 256, `\`)
	w.define(t, leaderboard.Board{Name: name, Operator: leaderboard.Increment, Allow: []leaderboard.Operator{leaderboard.Set}, Cron: "@daily", Keep: time.Hour})
	for i := range 22 {
		s := leaderboard.Submission{Board: name, Player: player, Score: leaderboard.Int(1 << 55), Sub: int64(i)}
		s.Name = fmt.Sprintf("%*s", leaderboard.MaxName, "n")
		s.Meta = fmt.Appendf(nil, `"%*s"`, leaderboard.MaxMeta-2, "m")
		w.submit(t, s)
		if i == 4 { // what it remembers fills after that
			for _, call := range []change{w.Hide, w.Unhide, w.Remove} {
				require.NoError(t, errorOf(call(t.Context(), in(name), player)))
			}
		}
	}
	for _, call := range []change{w.Hide, w.Unhide, w.Hide} {
		require.NoError(t, errorOf(call(t.Context(), in(name), player)))
	}
	meter.AtMost(t, "entry", dynamotest.Cost{Requests: 1, Read: 2}, func() {
		_, err := w.Entry(t.Context(), in(name), player)
		require.NoError(t, err)
	})
}
