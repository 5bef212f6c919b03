package leaderboard_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestTopAndHiddenArePagedExactly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		board  leaderboard.Board
		hidden bool
	}{
		"top":             {leaderboard.Board{}, false},
		"top over shards": {leaderboard.Board{Shards: 4, Order: leaderboard.Ascending}, false},
		"hidden":          {leaderboard.Board{Shards: 4}, true},
	} {
		if name == "top over shards" && !faults.Full() {
			continue // TestRanksEqualBruteForce pages over shards
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := faults.New(t, 1, faults.Rates{})
			w := newWorld(t, nil, sent.Wrap)
			w.define(t, leaderboard.Board{Name: "other"})
			w.play(t, "other", "ann 1", "bob 2", "cat 3", "dan 4")
			for _, player := range []string{"cat", "dan"} {
				require.NoError(t, errorOf(w.Hide(t.Context(), in("other"), player)))
			}
			list, another, shard := w.top, w.hiddenOf, "0"
			if c.hidden {
				list, another, shard = another, list, "hidden"
			}
			pagetest.Run(t, func(t *testing.T) pagetest.List[leaderboard.Standing] {
				board := c.board
				board.Name = "board of " + t.Name()
				w.define(t, board)
				n := 0
				// With a cached period, a forged cursor is refused without a request.
				w.submit(t, score(board.Name, "gone", 0, 0))
				require.NoError(t, errorOf(w.Remove(t.Context(), in(board.Name), "gone")))
				return pagetest.List[leaderboard.Standing]{
					Page: list(in(board.Name)),
					ID:   func(r leaderboard.Standing) string { return r.Player },
					Add: func(ctx context.Context, count int) []string {
						players, items := make([]string, count), make([]any, count)
						for i := range players {
							n++
							players[i] = fmt.Sprint("player ", n)
							v := int64(n)
							if name != "top over shards" {
								items[i] = place{players[i], v, 0, 0}.item(board.Name, shard)
								continue
							}
							w.submit(t, score(board.Name, players[i], -v, 0))
						}
						if name != "top over shards" {
							w.put(t, items...)
						}
						return players
					},
					Remove: func(ctx context.Context, player string) {
						change := w.Remove
						if c.hidden {
							change = w.Unhide
						}
						changed, err := change(ctx, in(board.Name), player)
						require.NoError(t, err)
						require.True(t, changed)
					},
					Others: []pagetest.Other{
						pagetest.Foreign("another board", list(in("other"))),
						pagetest.Foreign("the other list", another(in("other"))),
						pagetest.Foreign("the top percent", func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Standing], error) {
							return w.TopPercent(ctx, in("other"), 100, req)
						}),
					},
					Requests: sent.Requests,
					Brief:    c.hidden,
				}
			})
		})
	}
}

func TestACursorBelongsToOnePeriod(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "hourly", Cron: "@hourly"})
	for range 2 {
		for i := range 3 {
			w.submit(t, leaderboard.Submission{Board: "hourly", Player: fmt.Sprint("player ", i), Score: leaderboard.Int(int64(i))})
		}
		w.set(w.Now().Add(time.Hour))
	}
	first, second := leaderboard.In{Board: "hourly", Period: "20260310T120000Z"}, leaderboard.In{Board: "hourly", Period: "20260310T130000Z"}
	page, err := w.Top(t.Context(), first, cursor.PageRequest{Limit: 1})
	require.NoError(t, err)
	for _, c := range []cursor.Cursor{page.Next, page.Prev} {
		_, err = w.Top(t.Context(), second, cursor.PageRequest{Cursor: c})
		require.ErrorIs(t, err, cursor.ErrInvalid)
		_, err = w.Top(t.Context(), in("hourly"), cursor.PageRequest{Cursor: c})
		require.ErrorIs(t, err, cursor.ErrInvalid)
		_, err = w.Top(t.Context(), first, cursor.PageRequest{Cursor: c})
		require.NoError(t, err)
	}
}

func TestAPageAtTheTopCountsRanksAgain(t *testing.T) {
	t.Parallel()
	bothRankings(t, func(t *testing.T, w world) {
		w.define(t, leaderboard.Board{Name: "b", Shards: 2})
		w.play(t, "b", "ann 10", "bob 9", "cat 8", "dan 7")
		list := w.top(in("b"))
		page := func(c cursor.Cursor, limit int) cursor.Page[leaderboard.Standing] {
			t.Helper()
			got, err := list(t.Context(), cursor.PageRequest{Cursor: c, Limit: limit})
			require.NoError(t, err)
			return got
		}
		second := page(page("", 2).Next, 2)
		require.Equal(t, []string{"3/3 cat 8", "4/4 dan 7"}, texts(second.Items))
		w.play(t, "b", "eve 20", "fay 20", "gus 20")
		w.publish(t)
		require.Equal(t, []string{"4/4 ann 10", "5/5 bob 9"}, texts(page(second.Prev, 2).Items), "more are above than the cursor knew of")
		top := page(second.Prev, 9)
		require.Equal(t, []string{"1/1 eve 20", "2/1 fay 20", "3/1 gus 20", "4/4 ann 10", "5/5 bob 9"}, texts(top.Items), "the top is reached")
		require.Equal(t, []string{"6/6 cat 8", "7/7 dan 7"}, texts(page(top.Next, 9).Items))
		require.Equal(t, []string{"3/1 gus 20", "4/4 ann 10"}, texts(page(page(page("", 4).Next, 9).Prev, 2).Items), "a tie goes on above the page")
	})
}

// Above the cursor are more tied players than its ranks leave room for.
func TestRanksAboveACursorWhoseTieGrew(t *testing.T) {
	t.Parallel()
	bothRankings(t, func(t *testing.T, w world) {
		w.define(t, leaderboard.Board{Name: "b"})
		w.play(t, "b", "ann 20", "bob 19", "cat 18", "dan 17", "zoe 8")
		list := w.top(in("b"))
		first, err := list(t.Context(), cursor.PageRequest{Limit: 4})
		require.NoError(t, err)
		second, err := list(t.Context(), cursor.PageRequest{Cursor: first.Next})
		require.NoError(t, err)
		require.Equal(t, []string{"5/5 zoe 8"}, texts(second.Items))
		w.play(t, "b", "eve 8", "fay 8", "gus 8", "hal 8")
		w.publish(t)
		up, err := list(t.Context(), cursor.PageRequest{Cursor: second.Prev, Limit: 3})
		require.NoError(t, err)
		require.Equal(t, []string{"2/1 fay 8", "3/1 gus 8", "4/1 hal 8"}, texts(up.Items))
	})
}

// The test pages up and down while players' scores change.
func TestRanksRiseWithinAPage(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(4) {
		random := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t, nil)
		w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set, Shards: 2, Ties: leaderboard.LaterFirst})
		move := func() {
			player := fmt.Sprint("player ", random.IntN(30))
			if random.IntN(4) == 0 {
				require.NoError(t, errorOf(w.Remove(t.Context(), in("b"), player)))
				return
			}
			w.submit(t, score("b", player, random.Int64N(6), random.IntN(100)))
		}
		for range faults.Size(30, 15) {
			move()
		}
		at := cursor.Cursor("")
		for range faults.Size(60, 10) {
			page, err := w.Top(t.Context(), in("b"), cursor.PageRequest{Cursor: at, Limit: 1 + random.IntN(8)})
			require.NoError(t, err)
			for i, row := range page.Items {
				require.LessOrEqual(t, int64(1), row.Rank)
				require.LessOrEqual(t, row.Rank, row.Ordinal)
				if i > 0 {
					above := page.Items[i-1]
					require.Equal(t, above.Ordinal+1, row.Ordinal)
					require.Equal(t, above.Score == row.Score, above.Rank == row.Rank)
					require.LessOrEqual(t, above.Rank, row.Rank)
				}
			}
			at = page.Next
			if random.IntN(2) == 0 {
				at = page.Prev
			}
			for range random.IntN(4) {
				move()
			}
		}

		// Nobody writes now. Paging up, the ranks are right once the top is reached.
		want := all(t, 100, w.top(in("b")))
		last := want
		for page, err := w.Top(t.Context(), in("b"), cursor.PageRequest{Cursor: at, Limit: 3}); ; {
			require.NoError(t, err)
			if len(page.Items) == 0 && page.Prev == at || page.Prev == "" {
				break
			}
			if at = page.Prev; len(page.Items) > 0 {
				last = page.Items
			}
			page, err = w.Top(t.Context(), in("b"), cursor.PageRequest{Cursor: at, Limit: 3})
		}
		require.Equal(t, texts(want[:len(last)]), texts(last))
	}
}

// The count is stale and 0, but the list has players.
func TestTopPercentOfALaggingIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.play(t, "b", "ann 2", "bob 1")
	lags := faults.New(t, 1, faults.Rates{})
	reader, lagged := w.process(t, nil, lags.Wrap), false
	lags.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "Query" && isStaleRead(body) && !lagged {
			lagged = true
			return faults.Fault{Kind: faults.Stale}
		}
		return faults.Fault{}
	})
	page, err := reader.TopPercent(t.Context(), in("b"), 50, cursor.PageRequest{})
	require.NoError(t, err)
	require.Equal(t, []string{"1/1 ann 2"}, texts(page.Items))
	require.Equal(t, 1, lags.Count(faults.Stale))
}

func TestTheTopPercent(t *testing.T) {
	t.Parallel()
	bothRankings(t, func(t *testing.T, w world) {
		w.define(t, leaderboard.Board{Name: "b", Shards: 2})
		list := func(percent float64) func(context.Context, cursor.PageRequest) (cursor.Page[leaderboard.Standing], error) {
			return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Standing], error) {
				return w.TopPercent(ctx, in("b"), percent, req)
			}
		}
		require.Empty(t, all(t, 0, list(50)), "of nobody")
		w.many(t, "b", 30)
		w.publish(t)
		whole := texts(all(t, 100, w.top(in("b"))))
		for percent, want := range map[float64]int{0.001: 1, 1: 1, 3.4: 2, 10: 3, 33: 10, 50: 15, 99: 30, 100: 30} {
			for _, limit := range faults.Some(1, 10, 100, 1, 3) {
				require.Equal(t, whole[:want], texts(all(t, limit, list(percent))), "%v%%, pages of %d", percent, limit)
			}
		}
		page, err := list(50)(t.Context(), cursor.PageRequest{Limit: 10})
		require.NoError(t, err)
		w.play(t, "b", "best 100")
		rest, err := list(50)(t.Context(), cursor.PageRequest{Cursor: page.Next})
		require.NoError(t, err)
		require.Equal(t, whole[10:15], texts(rest.Items), "it was counted for the first page")
		back, err := list(50)(t.Context(), cursor.PageRequest{Cursor: rest.Prev, Limit: 9})
		require.NoError(t, err)
		require.Equal(t, whole[1:10], texts(back.Items))
		_, err = list(49)(t.Context(), cursor.PageRequest{Cursor: page.Next})
		require.ErrorIs(t, err, cursor.ErrInvalid)

		w.define(t, leaderboard.Board{Name: "250"})
		w.manyRows(t, "250", 250)
		w.publish(t)
		exact := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Standing], error) {
			return w.TopPercent(ctx, in("250"), 64.4, req)
		}
		require.Len(t, all(t, 100, exact), 161, "64.4% of 250 are 161, in floats a little more")
	})
}
