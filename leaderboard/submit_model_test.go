package leaderboard_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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

// A few players submit with any operator. Scores and times are often the same, and some
// submissions are repeated.
func TestAnySequenceLeavesTheExpectedStandings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	table := w.raw(t)
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		orders := rapid.SampledFrom([]leaderboard.Order{leaderboard.Descending, leaderboard.Ascending})
		b := leaderboard.Board{
			Name: fmt.Sprint("board ", run), Order: orders.Draw(t, "order"), SubOrder: orders.Draw(t, "sub order"),
			Ties: rapid.SampledFrom([]leaderboard.Ties{leaderboard.EarlierFirst, leaderboard.LaterFirst}).Draw(t, "ties"),
		}
		operators := []leaderboard.Operator{leaderboard.Best}
		if rapid.Bool().Draw(t, "every operator") {
			b.Operator, b.Allow = every("").Operator, every("").Allow
			operators = append(b.Allow, b.Operator)
		}
		if rapid.Bool().Draw(t, "floor") {
			b.Floor = ptr(leaderboard.Int(-1))
		}
		w.define(t, b)
		places := map[string]place{}
		var sent []leaderboard.Submission
		for range rapid.IntRange(1, 12).Draw(t, "submissions") {
			if len(sent) > 0 && rapid.IntRange(0, 4).Draw(t, "repeat") == 0 {
				w.submit(t, rapid.SampledFrom(sent).Draw(t, "repeated"))
				continue
			}
			player := rapid.SampledFrom([]string{"ann", "bob", "cat"}).Draw(t, "player")
			i := rapid.IntRange(0, 2).Draw(t, "at")
			s := score(b.Name, player, rapid.Int64Range(-2, 2).Draw(t, "score"), i)
			s.Sub, s.Op = rapid.Int64Range(-1, 1).Draw(t, "sub"), w.id()
			s.Operator = rapid.SampledFrom(operators).Draw(t, "operator")
			got := w.submit(t, s)
			sent = append(sent, s)

			old, existed := places[player]
			next := place{player, s.Score.Int64(), s.Sub, i}
			switch s.Operator {
			case leaderboard.Increment:
				next.score = old.score + next.score
			case leaderboard.Decrement:
				next.score = old.score - next.score
			}
			if b.Floor != nil {
				next.score = max(next.score, b.Floor.Int64())
			}
			now := next // except for its time
			now.at = old.at
			improved := !existed || better(b, now, old) < 0
			if improved || s.Operator != leaderboard.Best && now != old {
				places[player] = next
			}
			want := leaderboard.Result{
				Op: s.Op, Period: forever, Existed: existed, Improved: improved,
				Old: leaderboard.Int(old.score), New: leaderboard.Int(places[player].score),
			}
			require.Equal(t, want, got)
		}
		var want []place
		for _, p := range places {
			want = append(want, p)
		}
		slices.SortFunc(want, func(p, q place) int { return better(b, p, q) })
		for i, r := range w.rows(t, table, b.Name+"#"+forever+"#0") {
			require.Equal(t, "P#"+want[i].player, r.PK, "%v", want)
		}
	})
}
