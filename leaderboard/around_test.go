package leaderboard_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestAroundAndAroundScore(t *testing.T) {
	t.Parallel()
	bothRankings(t, func(t *testing.T, w world) {
		w.define(t, leaderboard.Board{Name: "5"})
		w.many(t, "5", 5)
		w.define(t, leaderboard.Board{Name: "10", Shards: faults.Size(4, 2)})
		w.many(t, "10", 10)
		w.publish(t)
		around := func(board, player string, n int) func() ([]leaderboard.Standing, error) {
			return func() ([]leaderboard.Standing, error) { return w.Around(t.Context(), in(board), player, n) }
		}
		score := func(board string, score int64, n int) func() ([]leaderboard.Standing, error) {
			return func() ([]leaderboard.Standing, error) {
				return w.AroundScore(t.Context(), in(board), leaderboard.Int(score), n)
			}
		}
		ranged := func(board string, from int64, n int) func() ([]leaderboard.Standing, error) {
			return func() ([]leaderboard.Standing, error) { return w.Range(t.Context(), in(board), from, n) }
		}
		for name, c := range map[string]struct {
			read        func() ([]leaderboard.Standing, error)
			first, last int64 // ranks; 0 means none
		}{
			"the middle of 5":           {around("5", "player 3", 3), 2, 4},
			"the first of 5":            {around("5", "player 1", 3), 1, 3},
			"the second of 5":           {around("5", "player 2", 3), 1, 3},
			"the fourth of 5":           {around("5", "player 4", 3), 3, 5},
			"the last of 5":             {around("5", "player 5", 3), 3, 5},
			"one alone":                 {around("5", "player 4", 1), 4, 4},
			"two":                       {around("5", "player 4", 2), 4, 5},
			"two at the end":            {around("5", "player 5", 2), 4, 5},
			"as many as there are":      {around("5", "player 4", 5), 1, 5},
			"more than there are":       {around("5", "player 4", 50), 1, 5},
			"far more than there are":   {around("5", "player 4", math.MaxInt), 1, 5},
			"by default":                {around("5", "player 4", 0), 1, 5},
			"the second of 10":          {around("10", "player 2", 4), 1, 4},
			"the third of 10":           {around("10", "player 3", 4), 2, 5},
			"the ninth of 10":           {around("10", "player 9", 4), 7, 10},
			"a score that is there":     {score("10", 5, 3), 5, 7}, // player 6 has 5
			"a score between":           {score("10", 5, 4), 5, 8},
			"a score above the best":    {score("10", math.MaxInt64, 3), 1, 3},
			"a score below the worst":   {score("10", math.MinInt64, 3), 8, 10},
			"a score, and all":          {score("10", 5, 11), 1, 10},
			"a range":                   {ranged("10", 3, 4), 3, 6},
			"a range to the end":        {ranged("10", 9, 4), 9, 10},
			"a range past the end":      {ranged("10", 11, 4), 0, 0},
			"a range far past the end":  {ranged("10", math.MaxInt64, 4), 0, 0},
			"a range of everything":     {ranged("10", 1, math.MaxInt), 1, 10},
			"a range of default length": {ranged("10", 2, 0), 2, 10},
		} {
			rows, err := c.read()
			require.NoError(t, err, name)
			if c.first == 0 {
				require.Empty(t, rows, name)
				continue
			}
			require.Len(t, rows, int(c.last-c.first)+1, name)
			for i, row := range rows {
				rank := c.first + int64(i)
				require.Equal(t, leaderboard.Position{Ordinal: rank, Rank: rank}, timeless(row.Position), name)
				require.Equal(t, playerOf(rank), row.Player, name)
			}
		}
		_, err := w.Around(t.Context(), in("5"), "nobody", 3)
		require.ErrorIs(t, err, plaza.ErrNotFound)
	})
}

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
	half, err := w.ScoreAt(t.Context(), in("b"), 50)
	require.NoError(t, err)
	require.Equal(t, float64(n)/2, half)
}

// The index lags behind the entries.
func TestAroundShowsThePlayersCurrentRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set})
	w.play(t, "b", "ann 50", "bob 40", "cat 30")
	lagging := w.lagging(t)
	for _, read := range []func() ([]leaderboard.Standing, error){
		func() ([]leaderboard.Standing, error) { return lagging.Around(t.Context(), in("b"), "cat", 5) },
		func() ([]leaderboard.Standing, error) { return lagging.Around(t.Context(), in("b"), "ann", 5) },
	} {
		_, err := read()
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
