package leaderboard_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// place is a player's place on a board of the model.
type place struct {
	player     string
	score, sub int64
	at         int
}

// better compares two places, the better first.
func better(b leaderboard.Board, p, q place) int {
	along := func(order leaderboard.Order, n int) int {
		if order == leaderboard.Descending {
			return -n
		}
		return n
	}
	at := cmp.Compare(p.at, q.at)
	if b.Ties == leaderboard.LaterFirst {
		at = -at
	}
	return cmp.Or(along(b.Order, cmp.Compare(p.score, q.score)), along(b.SubOrder, cmp.Compare(p.sub, q.sub)), at, cmp.Compare(p.player, q.player))
}

// modelBoard ranks players by brute force.
type modelBoard struct {
	board  leaderboard.Board
	shown  map[string]place
	hidden map[string]place
}

// modelRow is a row of the model.
type modelRow struct {
	ordinal, competition int64
	place
}

// ranked returns the rows of places, the best first.
func (r modelBoard) ranked(places []place) []modelRow {
	slices.SortFunc(places, func(p, q place) int { return better(r.board, p, q) })
	rows := make([]modelRow, len(places))
	for i, p := range places {
		rows[i] = modelRow{int64(i + 1), int64(i + 1), p}
		if i > 0 && places[i-1].score == p.score && places[i-1].sub == p.sub {
			rows[i].competition = rows[i-1].competition
		}
	}
	return rows
}

func (r modelBoard) all(of map[string]place) []place {
	places := []place{}
	for _, p := range of {
		places = append(places, p)
	}
	return places
}

// standing returns those of the shown whom Above does not leave out.
func (r modelBoard) standing() []place {
	return slices.DeleteFunc(r.all(r.shown), func(p place) bool { return r.board.Above != nil && p.score <= r.board.Above.Int64() })
}

// submitted applies a submission with Best or Set.
func (r modelBoard) submitted(next place) {
	of := r.shown
	if _, ok := r.hidden[next.player]; ok {
		of = r.hidden
	}
	old, existed := of[next.player]
	same := next // except for its time
	same.at = old.at
	if !existed || better(r.board, same, old) < 0 || r.board.Operator == leaderboard.Set && same != old {
		of[next.player] = next
	}
}

func modelRowsOf(rows []leaderboard.Standing) []modelRow {
	model := make([]modelRow, len(rows))
	for i, r := range rows {
		at := int(r.At.Sub(noon)/time.Second) + 3600
		model[i] = modelRow{r.Ordinal, r.Rank, place{r.Player, r.Score.Int64(), r.Sub, at}}
	}
	return model
}

// The test makes 500 changes in all if CI is set, twenty on each board, and compares
// every read while nobody writes.
func TestRanksEqualBruteForce(t *testing.T) {
	t.Parallel()
	for name, newWorld := range rankings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, run := newWorld(t), 0
			rapid.Check(t, func(t *rapid.T) {
				if run++; run > faults.Size(25, 3) {
					return
				}
				orders := rapid.SampledFrom([]leaderboard.Order{leaderboard.Descending, leaderboard.Ascending})
				m := modelBoard{leaderboard.Board{
					Name: fmt.Sprint("board ", run), Order: orders.Draw(t, "order"), SubOrder: orders.Draw(t, "sub order"),
					Ties:     rapid.SampledFrom([]leaderboard.Ties{leaderboard.EarlierFirst, leaderboard.LaterFirst}).Draw(t, "ties"),
					Operator: rapid.SampledFrom([]leaderboard.Operator{leaderboard.Best, leaderboard.Set}).Draw(t, "operator"),
					Shards:   rapid.IntRange(1, 3).Draw(t, "shards"),
					Above:    rapid.SampledFrom([]*leaderboard.Score{nil, ptr(leaderboard.Int(-1)), ptr(leaderboard.Int(0))}).Draw(t, "above"),
				}, map[string]place{}, map[string]place{}}
				w.define(t, m.board)
				for range faults.Size(20, 12) {
					m.change(t, w)
				}
				w.publish(t)
				m.compare(t, w)
			})
		})
	}
}

var modelScores = []int64{math.MinInt64, -1, 0, 1, math.MaxInt64}

func (r modelBoard) change(t *rapid.T, w world) {
	player := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}).Draw(t, "player")
	_, shown := r.shown[player]
	_, hidden := r.hidden[player]
	call, changes := w.Remove, shown || hidden
	switch kind := rapid.IntRange(0, 9).Draw(t, "change"); {
	case kind == 0:
		delete(r.shown, player)
		delete(r.hidden, player)
	case kind == 1 && (shown || hidden):
		call, changes = w.Hide, shown
		if shown {
			r.hidden[player] = r.shown[player]
			delete(r.shown, player)
		}
	case kind == 2 && (shown || hidden):
		call, changes = w.Unhide, hidden
		if hidden {
			r.shown[player] = r.hidden[player]
			delete(r.hidden, player)
		}
	default:
		at := rapid.IntRange(0, 2).Draw(t, "at")
		s := score(r.board.Name, player, rapid.SampledFrom(modelScores).Draw(t, "score"), at)
		s.Sub, s.Op = rapid.SampledFrom([]int64{math.MinInt64, 0, math.MaxInt64}).Draw(t, "sub"), w.id()
		w.submit(t, s)
		r.submitted(place{player, s.Score.Int64(), s.Sub, at})
		return
	}
	changed, err := call(t.Context(), in(r.board.Name), player)
	require.NoError(t, err)
	require.Equal(t, changes, changed)
}

func (r modelBoard) compare(t *rapid.T, w world) {
	board := in(r.board.Name)
	want := r.ranked(r.standing())
	limit := rapid.IntRange(1, 5).Draw(t, "limit")
	require.Equal(t, want, modelRowsOf(all(t, limit, w.top(board))))
	r.compareUp(t, w, limit, want)

	n := rapid.SampledFrom([]int{1, 2, 3, 4, 5, 6, 0, math.MaxInt}).Draw(t, "n")
	r.compareCounts(t, w, want)
	r.compareRange(t, w, want, rapid.SampledFrom([]int64{1, 2, 3, 5, 8, 12, math.MaxInt64}).Draw(t, "from"), n)
	r.compareAroundScore(t, w, want, n)
	r.compareScoreAt(t, w, want)

	var friends []place
	for i, s := range want {
		require.Equal(t, leaderboard.Position{Ordinal: s.ordinal, Rank: s.competition}, w.rank(t, board, s.player))
		if rapid.Bool().Draw(t, "friend") {
			friends = append(friends, s.place)
			r.compareAround(t, w, want, i, n)
		}
	}
	var ids []string
	for _, p := range friends {
		ids = append(ids, p.player)
	}
	rows, err := w.Players(t.Context(), board, ids)
	require.NoError(t, err)
	require.Equal(t, r.ranked(friends), modelRowsOf(rows))

	hidden := r.ranked(r.all(r.hidden))
	for i := range hidden {
		hidden[i].ordinal, hidden[i].competition = 0, 0
	}
	require.Equal(t, hidden, modelRowsOf(all(t, limit, w.hiddenOf(board))))
}

func (r modelBoard) compareCounts(t *rapid.T, w world, want []modelRow) {
	count, err := w.Count(t.Context(), in(r.board.Name))
	require.NoError(t, err)
	require.EqualValues(t, len(want), count)
	low, high := rapid.SampledFrom(modelScores).Draw(t, "low"), rapid.SampledFrom(modelScores).Draw(t, "high")
	low, high = min(low, high), max(low, high)
	count, err = w.CountBetween(t.Context(), in(r.board.Name), leaderboard.Int(low), leaderboard.Int(high))
	require.NoError(t, err)
	between := slices.DeleteFunc(slices.Clone(want), func(s modelRow) bool { return s.score < low || s.score > high })
	require.EqualValues(t, len(between), count)
}

func (r modelBoard) compareRange(t *rapid.T, w world, want []modelRow, from int64, n int) {
	rows, err := w.Range(t.Context(), in(r.board.Name), from, n)
	require.NoError(t, err)
	rest := want[min(from-1, int64(len(want))):]
	require.Equal(t, rest[:min(cmp.Or(n, 25), len(rest))], modelRowsOf(rows))
}

func (r modelBoard) compareScoreAt(t *rapid.T, w world, want []modelRow) {
	percentile := rapid.OneOf(rapid.Float64Range(0, 100), rapid.SampledFrom([]float64{0, 25, 50, 100})).Draw(t, "percentile")
	got, err := w.ScoreAt(t.Context(), in(r.board.Name), percentile)
	if len(want) == 0 {
		require.ErrorIs(t, err, plaza.ErrNotFound)
		return
	}
	require.NoError(t, err)
	worse, fraction := math.Modf(float64(len(want)-1) * percentile / 100)
	i := len(want) - 1 - int(worse)
	a, b := float64(want[i].score), float64(want[max(0, i-1)].score)
	require.InDelta(t, a*(1-fraction)+b*fraction, got, 1e-9*max(1, math.Abs(a), math.Abs(b)))
}

func (r modelBoard) compareAroundScore(t *rapid.T, w world, want []modelRow, n int) {
	v := rapid.SampledFrom(append([]int64{-2, 2}, modelScores...)).Draw(t, "around")
	rows, err := w.AroundScore(t.Context(), in(r.board.Name), leaderboard.Int(v), n)
	require.NoError(t, err)
	at := slices.IndexFunc(want, func(s modelRow) bool {
		return s.score == v || s.score < v == (r.board.Order == leaderboard.Descending)
	})
	if at < 0 {
		at = len(want)
	}
	require.Equal(t, around(want, at, n), modelRowsOf(rows))
}

// compareAround reads around the i-th row.
func (r modelBoard) compareAround(t *rapid.T, w world, want []modelRow, i, n int) {
	rows, err := w.Around(t.Context(), in(r.board.Name), want[i].player, n)
	require.NoError(t, err)
	require.Equal(t, around(want, i, n), modelRowsOf(rows))

	below := 0
	for _, other := range want[i:] {
		if other.competition != want[i].competition {
			below++
		}
	}
	percentile, err := w.Percentile(t.Context(), in(r.board.Name), want[i].player)
	require.NoError(t, err)
	require.Equal(t, math.Ceil(100*float64(below)/float64(len(want))), percentile)
}

// compareUp pages from a random row back to the top.
func (r modelBoard) compareUp(t *rapid.T, w world, limit int, want []modelRow) {
	if len(want) < 2 {
		return
	}
	list := w.top(in(r.board.Name))
	start := rapid.IntRange(1, len(want)-1).Draw(t, "start")
	page, err := list(t.Context(), cursor.PageRequest{Limit: start})
	require.NoError(t, err)
	page, err = list(t.Context(), cursor.PageRequest{Cursor: page.Next})
	require.NoError(t, err)
	var up []modelRow
	for len(up) < start {
		page, err = list(t.Context(), cursor.PageRequest{Cursor: page.Prev, Limit: limit})
		require.NoError(t, err)
		require.NotEmpty(t, page.Items)
		up = slices.Concat(modelRowsOf(page.Items), up)
	}
	require.Equal(t, want[:start], up)
}

// around returns n rows around the i-th, by default 25.
func around(rows []modelRow, i, n int) []modelRow {
	n = min(cmp.Or(n, 25), len(rows))
	start := max(0, min(i-(n-1)/2, len(rows)-n))
	return rows[start : start+n]
}
