package leaderboard_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestRepairFixesBrokenEntries(t *testing.T) {
	t.Parallel()
	for name, c := range faults.Sample(6, map[string]struct {
		damage func(*dynamo.Update)
		stands []string
		hidden bool
	}{
		"another score":                        {func(u *dynamo.Update) { u.Set("score", "7") }, []string{"ann 50", "bob 40", "cat 30"}, false},
		"no score":                             {func(u *dynamo.Update) { u.Remove("score") }, []string{"ann 50", "bob 40", "cat 30"}, false},
		"no part":                              {func(u *dynamo.Update) { u.Remove("part") }, []string{"ann 50", "bob 40", "cat 30"}, false},
		"an unread shard":                      {func(u *dynamo.Update) { u.Set("part", "b#"+forever+"#9") }, []string{"ann 50", "bob 40", "cat 30"}, false},
		"another board's part":                 {func(u *dynamo.Update) { u.Set("part", "c#"+forever+"#0") }, []string{"ann 50", "bob 40", "cat 30"}, false},
		"hidden, another score":                {func(u *dynamo.Update) { u.Set("score", "7").Set("part", "b#"+forever+"#hidden") }, []string{"ann 50", "cat 30"}, true},
		"no key that can be read, but a score": {func(u *dynamo.Update) { u.Set("key", []byte("key")).Set("score", "35") }, []string{"ann 50", "bob 35", "cat 30"}, false},
		"another player's key":                 {func(u *dynamo.Update) { u.Set("key", orderKey(20, 0, 0, "ann")) }, []string{"ann 50", "bob 40", "cat 30"}, false},
		"a score of another kind":              {func(u *dynamo.Update) { u.Set("key", []byte("key")).Set("score", "35.5") }, []string{"ann 50", "cat 30"}, false},
		"neither key nor score":                {func(u *dynamo.Update) { u.Set("key", []byte("key")).Remove("score") }, []string{"ann 50", "cat 30"}, false},
		"no key":                               {func(u *dynamo.Update) { u.Remove("key") }, []string{"ann 50", "cat 30"}, false},
		"no revision":                          {func(u *dynamo.Update) { u.Remove("rev", "part") }, []string{"ann 50", "bob 40", "cat 30"}, false},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.define(t, leaderboard.Board{Name: "b", Shards: 2})
			w.define(t, leaderboard.Board{Name: "another"})
			w.play(t, "b", "ann 50", "bob 40", "cat 30", "gone 20")
			w.play(t, "another", "bob 1")
			changes(t, w.Remove, "gone", true)
			damage := w.raw(t).Update("pk", "P#bob").Range("sk", "LB#b#"+forever)
			c.damage(damage)
			require.NoError(t, damage.Run(t.Context()))
			damaged := w.entry(t, "bob", "b", forever)

			for _, call := range []func() (leaderboard.Drift, error){
				func() (leaderboard.Drift, error) { return w.Check(t.Context(), in("b")) },
				func() (leaderboard.Drift, error) { return w.Repair(t.Context(), in("b")) },
			} {
				drift, err := call()
				require.NoError(t, err)
				require.Equal(t, leaderboard.Drift{Broken: 1}, drift)
			}
			require.Equal(t, damaged.Rev+1, w.entry(t, "bob", "b", forever).Rev, "as with every write")
			for range 2 {
				drift, err := w.Repair(t.Context(), in("b"))
				require.NoError(t, err)
				require.Zero(t, drift)
			}
			require.Equal(t, c.stands, w.standings(t, "b", forever, 2))
			require.Equal(t, c.hidden, len(all(t, 0, w.hiddenOf(in("b")))) == 1)
			if c.hidden {
				changes(t, w.Unhide, "bob", true)
			}
			w.play(t, "b", "bob 90")
			require.Equal(t, []string{"bob 90", "ann 50", "cat 30"}, w.standings(t, "b", forever, 2), "it works again")
		})
	}
}

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
	lags.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "Query" && isStaleRead(body) {
			return faults.Fault{Kind: faults.Stale}
		}
		return faults.Fault{}
	})
	for _, call := range []func() (leaderboard.Drift, error){
		func() (leaderboard.Drift, error) { return lagging.Check(t.Context(), in("b")) },
		func() (leaderboard.Drift, error) { return lagging.Repair(t.Context(), in("b")) },
	} {
		drift, err := call()
		require.NoError(t, err)
		require.Equal(t, leaderboard.Drift{Lagging: 4}, drift)
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

func TestCheckReadsShardsThatOthersOpened(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.many(t, "b", 1)
	other := w.process(t, nil)
	other.define(t, leaderboard.Board{Name: "b", Shards: 4})
	other.many(t, "b", 10)
	w.isWhole(t, in("b"))
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
	require.Greater(t, len(w.parts(t)), 8)
	require.Equal(t, "b#"+forever+"#63", w.entry(t, "ann", "b", forever).Part)
}

// parts returns the partitions of the index, with the number of entries in each.
func (w world) parts(t testing.TB) map[string]int {
	t.Helper()
	var rows []row
	require.NoError(t, w.raw(t).Scan().Consistent(true).All(t.Context(), &rows))
	parts := map[string]int{}
	for _, r := range rows {
		if r.Part != "" {
			parts[r.Part]++
		}
	}
	return parts
}

// TestSubScoresAreStored beside the key that has them too: each repairs the other.
func TestSubScoresAreStored(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, nil), leaderboard.In{Board: "b"}
	w.define(t, leaderboard.Board{Name: "b"})
	s := score("b", "ann", 40, 0)
	s.Sub = -9
	w.submit(t, s)
	whole := func(broken int) {
		t.Helper()
		for _, left := range []int{broken, 0} {
			drift, err := w.Repair(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, left, drift.Broken)
		}
	}
	entry := func() *dynamo.Update { return w.raw(t).Update("pk", "P#ann").Range("sk", "LB#b#"+forever) }
	whole(0)
	for name, damage := range map[string]*dynamo.Update{
		"sub is gone":    entry().Remove("sub"),
		"sub is another": entry().Set("sub", 7),
		"sub is no sub":  entry().Set("sub", "x"),
		"key is damaged": entry().Set("key", []byte("x")),
	} {
		require.NoError(t, damage.Run(t.Context()))
		whole(1)
		e, err := w.Entry(t.Context(), in, "ann")
		require.NoError(t, err, name)
		require.Equal(t, leaderboard.Entry{Board: "b", Period: forever, Score: leaderboard.Int(40), Sub: -9}, e, name)
	}
	removed, err := w.Remove(t.Context(), in, "ann")
	require.NoError(t, err)
	require.True(t, removed)
	whole(0)
	var left map[string]any
	require.NoError(t, w.raw(t).Get("pk", "P#ann").Range("sk", dynamo.Equal, "LB#b#"+forever).One(t.Context(), &left))
	require.NotContains(t, left, "sub")
}
