package leaderboard_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestCheckReportsALaggingIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.define(t, leaderboard.Board{Name: "empty", Cron: "@daily"})
	w.play(t, "b", "ann 50", "bob 40", "cat 30", "dan 20")
	lags := faults.New(t, 1, faults.Rates{})
	lagging := w.process(t, nil, lags.Wrap)
	lags.Script(func(string, []byte, int) faults.Fault { return faults.Fault{} }) // records answers, for stale ones later
	lagging.isWhole(t, in("b"))

	w.play(t, "b", "eve 60", "ann 70") // eve is missing in the index, ann has another place there
	changes(t, w.Remove, "dan", true)  // dan is still in the index
	require.NoError(t, w.Erase(t.Context(), "cat"))
	w.damage(t, "P#bob", "LB#b#"+forever, dynamo.Item{"meta": textOf("1")})
	lags.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "Query" && isStaleRead(body) {
			return faults.Fault{Kind: faults.Stale}
		}
		return faults.Fault{}
	})
	for _, call := range []func(context.Context, leaderboard.In) (leaderboard.Drift, error){lagging.Check, lagging.Repair} {
		drift, err := call(t.Context(), in("b"))
		require.NoError(t, err)
		require.Equal(t, leaderboard.Drift{Lagging: 5}, drift)
	}
	w.isWhole(t, in("b"))
	w.isWhole(t, in("empty"))
}

func TestRepairUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(9) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.define(t, leaderboard.Board{Name: "b", Shards: 3})
			w.many(t, "b", 8)
			for rank := int64(1); rank <= 8; rank += 2 {
				u := w.raw(t).Update("pk", "P#"+playerOf(rank)).Range("sk", "LB#b#"+forever)
				require.NoError(t, u.Set("part", "b#"+forever+"#3").Set("score", "no").Run(t.Context()))
			}
			sent := faults.New(t, seed, faultMixes[seed%3])
			repairing := w.process(t, nil, sent.Wrap)
			faults.Acknowledged(t, func() error { _, err := repairing.Repair(t.Context(), in("b")); return err })
			w.isWhole(t, in("b"))
			rows := all(t, 3, w.top(in("b")))
			require.Len(t, rows, 8)
			for i, row := range rows {
				require.Equal(t, playerOf(int64(i+1)), row.Player)
			}
		})
	}
}

// Others write between Repair's reads and its write.
func TestRepairKeepsConcurrentWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.play(t, "b", "ann 50", "bob 40", "cat 30")
	for _, player := range []string{"ann", "bob", "cat"} {
		require.NoError(t, w.raw(t).Update("pk", "P#"+player).Range("sk", "LB#b#"+forever).Set("part", "nowhere").Run(t.Context()))
	}
	repairing := w.process(t, nil, before("PutItem", func() {
		w.play(t, "b", "ann 90")
		require.NoError(t, w.Erase(t.Context(), "bob"))
		changes(t, w.Hide, "cat", true)
	}))
	drift, err := repairing.Repair(t.Context(), in("b"))
	require.NoError(t, err)
	require.Equal(t, leaderboard.Drift{Broken: 3}, drift)
	require.Equal(t, []string{"ann 90"}, w.standings(t, "b", forever, 1))
}

// Others open shards after Repair has read the period and before it reads the
// entries, and again before its write.
func TestRepairKeepsEntriesInShardsOpenedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.play(t, "b", "ann 1", "bob 1")
	sent := faults.New(t, 1, faults.Rates{})
	repairing := w.process(t, nil, sent.Wrap)
	_, err := repairing.Check(t.Context(), in("b")) // reads the period
	require.NoError(t, err)
	breakEntry := func(part string) {
		require.NoError(t, w.raw(t).Update("pk", "P#ann").Range("sk", "LB#b#"+forever).Set("part", part).Add("rev", 1).Run(t.Context()))
	}
	grow := func(shards int) {
		w.define(t, leaderboard.Board{Name: "b", Shards: shards})
		w.many(t, "b", 1)
		w.set(w.Now().Add(3 * time.Minute))
		w.many(t, "b", 20)
	}
	breakEntry("nowhere")
	grown := 0
	sent.Script(func(op string, _ []byte, _ int) faults.Fault {
		switch {
		case op == "Scan" && grown == 0:
			grown = 8
			grow(grown)
		case op == "PutItem" && grown == 8:
			grown = 64
			grow(grown)
			breakEntry("b#" + forever + "#63")
		}
		return faults.Fault{}
	})
	drift, err := repairing.Repair(t.Context(), in("b"))
	require.NoError(t, err)
	require.Equal(t, 64, grown)
	require.Equal(t, 1, drift.Broken)
	require.Equal(t, "b#"+forever+"#63", w.entry(t, "ann", "b", forever).Part)
}
