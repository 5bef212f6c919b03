package leaderboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// Range reads more of each shard than one request returns, and far more of one
// shard than of the others.
func TestRangeReadsDeepIntoShards(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	n := int64(faults.Size(700, 400))
	w.manyRows(t, "b", int(n))
	w.define(t, leaderboard.Board{Name: "b", Shards: 4})
	w.play(t, "b", "opens 0")
	for _, from := range []int64{1, 300, n - 50} {
		rows, err := w.Range(t.Context(), in("b"), from, 100)
		require.NoError(t, err)
		require.Len(t, rows, int(min(100, n+2-from)))
		for i, row := range rows[:min(50, len(rows))] {
			require.Equal(t, from+int64(i), row.Ordinal)
			require.Equal(t, playerOf(from+int64(i)), row.Player)
		}
	}
}

// The index lags behind the entries.
func TestAroundShowsThePlayersCurrentRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set})
	w.play(t, "b", "ann 50", "bob 40", "cat 30")
	lagging := w.process(t, nil, faults.New(t, 1, faults.Rates{Stale: 1}).Wrap)
	for _, player := range []string{"cat", "ann"} {
		_, err := lagging.Around(t.Context(), in("b"), player, 5)
		require.NoError(t, err)
	}
	for _, c := range []struct {
		player string
		v      int64
	}{{"cat", 60}, {"cat", 45}, {"ann", 20}} {
		w.submit(t, score("b", c.player, c.v, 9))
		for _, n := range []int{1, 2, 5} {
			rows, err := lagging.Around(t.Context(), in("b"), c.player, n)
			require.NoError(t, err)
			own := 0
			for _, row := range rows {
				if row.Player == c.player {
					own++
					require.Equal(t, leaderboard.Int(c.v), row.Score)
				}
			}
			require.Equal(t, 1, own, "%v", texts(rows))
		}
		rows, err := lagging.Players(t.Context(), in("b"), []string{c.player})
		require.NoError(t, err)
		require.Equal(t, leaderboard.Int(c.v), rows[0].Score)
		percentile, err := lagging.Percentile(t.Context(), in("b"), c.player)
		require.NoError(t, err)
		require.GreaterOrEqual(t, percentile, 0.0)
		require.Less(t, percentile, 100.0)
	}
}

// The index shows the player at an earlier place.
func TestAroundShowsThePlayerOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set})
	w.play(t, "b", "bob 40", "cat 30", "ann 20")
	page, err := w.Top(t.Context(), in("b"), cursor.PageRequest{Limit: 2})
	require.NoError(t, err)
	page, err = w.Top(t.Context(), in("b"), cursor.PageRequest{Cursor: page.Next})
	require.NoError(t, err)

	lags := faults.New(t, 1, faults.Rates{})
	reader, stale := w.process(t, nil, lags.Wrap), false
	lags.Script(func(op string, body []byte, _ int) faults.Fault {
		if stale && op == "Query" && isStaleRead(body) {
			return faults.Fault{Kind: faults.Stale}
		}
		return faults.Fault{}
	})
	w.submit(t, score("b", "ann", 50, 9))
	_, err = reader.Top(t.Context(), in("b"), cursor.PageRequest{Cursor: page.Prev, Limit: 4}) // from below ann's old place
	require.NoError(t, err)
	w.submit(t, score("b", "ann", 20, 2))
	stale = true
	rows, err := reader.Around(t.Context(), in("b"), "ann", 5)
	require.NoError(t, err)
	require.Equal(t, []string{"1/1 bob 40", "2/2 cat 30", "3/3 ann 20"}, texts(rows))
}
