package leaderboard_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// crowd fills a board of one shard with players of rank 1 to n, with ids and names of
// 16 bytes.
func (w world) crowd(t testing.TB, board string, n int) {
	t.Helper()
	w.define(t, leaderboard.Board{Name: board})
	w.play(t, board, "zero -1") // opens the period
	items := make([]any, n)
	for i := range items {
		player := sixteen(fmt.Sprint("p", i+1))
		items[i] = entry{
			row: row{
				PK: "P#" + player, SK: "LB#" + board + "#" + forever, Part: board + "#" + forever + "#0",
				Key: orderKey(int64(n-i), 0, 0, player), Name: strings.Repeat("n", 16),
			},
			Score: fmt.Sprint(n - i), Rev: 1,
		}
	}
	w.put(t, items...)
}

// The test confirms the formula in Count's comment, for every call that counts.
func TestCountingCostsTheRowsItReads(t *testing.T) {
	t.Parallel()
	for _, n := range faults.Some(1, 500, 10_000) {
		meter := dynamotest.NewMeter()
		quiet := newWorld(t, nil)
		w := quiet.process(t, nil, meter.Wrap)
		board := sixteen("board")
		quiet.crowd(t, board, n)
		_, err := w.Top(t.Context(), in(board), cursor.PageRequest{Limit: 1}) // reads the board
		require.NoError(t, err)

		const row = 2*16 + 2*(16+1+16+1+1) + 16 + 40
		units := func(rows int) float64 { return float64(rows) * row / 8192 }
		count := func() {
			got, err := w.Count(t.Context(), in(board))
			require.NoError(t, err)
			require.EqualValues(t, n+1, got)
		}
		ranks := func(rank int) func() {
			return func() {
				got, err := w.Rank(t.Context(), in(board), sixteen(fmt.Sprint("p", rank)))
				require.NoError(t, err)
				require.EqualValues(t, rank, got.Ordinal)
			}
		}
		megabytes := func(rows int) int { return 1 + rows*row/(1<<20) }
		type cost = dynamotest.Cost
		for _, c := range []struct {
			name  string
			rows  int
			fixed cost
			call  func()
		}{
			{"count", n, cost{Requests: 0, Read: 0}, count},
			{"rank of the first", 0, cost{Requests: 2, Read: 2}, ranks(1)},
			{"rank in the middle", n / 2, cost{Requests: 2, Read: 1.5}, ranks(n / 2)},
			{"rank of the last", n, cost{Requests: 2, Read: 1.5}, ranks(n)},
			{"percentile", n, cost{Requests: 2, Read: 1.5}, func() {
				_, err := w.Percentile(t.Context(), in(board), sixteen("p7"))
				require.NoError(t, err)
			}},
			{"around in the middle", n / 2, cost{Requests: 4, Read: 4}, func() {
				rows, err := w.Around(t.Context(), in(board), sixteen(fmt.Sprint("p", n/2)), 25)
				require.NoError(t, err)
				require.EqualValues(t, n/2-12, rows[0].Ordinal)
			}},
			{"range", n / 2, cost{Requests: 0, Read: 1}, func() {
				rows, err := w.Range(t.Context(), in(board), int64(n/2-24), 25)
				require.NoError(t, err)
				require.EqualValues(t, n/2, rows[24].Ordinal)
			}},
			{"score at the 75th", n + n/4, cost{Requests: 1, Read: 1}, func() {
				_, err := w.ScoreAt(t.Context(), in(board), 75)
				require.NoError(t, err)
			}},
			{"count between", n / 10, cost{Requests: 0, Read: 0.5}, func() {
				got, err := w.CountBetween(t.Context(), in(board), leaderboard.Int(1), leaderboard.Int(int64(n/10)))
				require.NoError(t, err)
				require.EqualValues(t, n/10, got)
			}},
		} {
			want := cost{Requests: c.fixed.Requests + megabytes(c.rows), Read: c.fixed.Read + 1.02*units(c.rows) + 0.5}
			got := meter.AtMost(t, fmt.Sprint(c.name, " of ", n), want, c.call)
			require.GreaterOrEqual(t, got.Read, 0.98*units(c.rows), "%s: the formula says more", c.name)
			t.Logf("%s of %d: %v; the formula says %.1f RCU", c.name, n, got, units(c.rows))
		}
	}
}

func TestReadsAndChangesCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	const shards = 8
	m := callstest.NewMetered(t, "..", "leaderboard")
	quiet := newWorld(t, nil)
	w := quiet.process(t, nil, m.Wrap)
	strong := quiet.process(t, &leaderboard.Options{Consistent: true}, m.Wrap)
	for name, n := range map[string]int{"one": 1, "spread": shards} {
		quiet.define(t, leaderboard.Board{Name: name, Shards: n})
		for i := range 51 {
			s := score(name, sixteen(fmt.Sprint("player ", i)), int64(51-i), 0)
			s.Name = "A name of sixty-four bytes, which is as long as they may be, yes"
			quiet.submit(t, s)
		}
	}
	var elsewhere []any
	for i := range 25 {
		elsewhere = append(elsewhere, place{player: sixteen("player 0")}.item(fmt.Sprint("board ", i), "0"))
	}
	quiet.put(t, elsewhere...)
	page := func(c *cursor.Cursor) cursor.PageRequest { return cursor.PageRequest{Cursor: *c} }
	start := new(cursor.Cursor)
	quiet.define(t, leaderboard.Board{Name: "tied"})
	quiet.submit(t, score("tied", sixteen("player 0"), 1, 0))
	tied := make([]place, 60)
	for i := range tied {
		tied[i] = place{sixteen(fmt.Sprint("player ", i)), 1, 0, i}
	}
	quiet.load(t, "tied", tied)
	quiet.define(t, leaderboard.Board{Name: "hourly", Cron: "@hourly"})
	old := in("hourly")
	for i := range 4 {
		quiet.set(noon.Add(time.Duration(i-3) * time.Hour))
		got := quiet.submit(t, leaderboard.Submission{Board: "hourly", Player: "ann", Score: leaderboard.Int(1)})
		if i == 0 {
			old.Period = got.Period
		}
	}
	readsOld := func(ctx context.Context) error { _, err := w.Top(ctx, old, page(start)); return err }
	ids := make([]string, 100)
	for i := range ids {
		ids[i] = sixteen(fmt.Sprint("player ", i))
	}
	var next, prev cursor.Cursor
	full := func(page cursor.Page[leaderboard.Standing], err error) error {
		require.Len(t, page.Items, 25)
		if page.Next != "" {
			next, prev = page.Next, page.Prev
		}
		return err
	}
	later := quiet.ahead(t)
	change := func(call change, board string) func(context.Context) error {
		return func(ctx context.Context) error {
			changed, err := call(ctx, in(board), ids[1])
			require.True(t, changed)
			return err
		}
	}
	type cost = dynamotest.Cost
	m.AtMost("a process's first read", cost{Requests: 3, Read: 2 + 1}, func(ctx context.Context) error { return full(w.Top(ctx, in("one"), page(start))) })
	m.Costs(func(ctx context.Context) error { return full(w.Top(ctx, in("one"), page(start))) }, "Repository.Top", "25 rows, each shard")
	m.Costs(func(ctx context.Context) error { return full(w.Top(ctx, in("one"), page(&next))) }, "Repository.Top", "25 rows, each shard")
	m.Costs(func(ctx context.Context) error { return full(w.Top(ctx, in("one"), page(&prev))) }, "Repository.Top", "25 rows, each shard")
	m.AtMost("a process's first read, over shards", cost{Requests: shards + 2, Read: 2 + shards}, func(ctx context.Context) error { return full(w.Top(ctx, in("spread"), page(start))) })
	m.AtMost("top over shards", m.Stated.Times(shards, "Repository.Top", "25 rows, each shard"), func(ctx context.Context) error { return full(w.Top(ctx, in("spread"), page(start))) })
	m.AtMost("top amid a tie", cost{Requests: 2 + 3, Read: 2 + 3}, func(ctx context.Context) error {
		next = ""
		for range 2 {
			if err := full(w.Top(ctx, in("tied"), page(&next))); err != nil {
				return err
			}
		}
		rest, err := w.Top(ctx, in("tied"), page(&next))
		prev = rest.Prev
		return err
	})
	m.AtMost("top, back amid a tie", cost{Requests: 1, Read: 1}, func(ctx context.Context) error { return full(w.Top(ctx, in("tied"), page(&prev))) })
	m.AtMost("an old period", cost{Requests: 4, Read: 3 + 0.5}, readsOld)
	m.AtMost("an old period, again", cost{Requests: 1, Read: 0.5}, readsOld)
	m.AtMost("top percent", cost{Requests: 2, Read: 3}, func(ctx context.Context) error { return full(w.TopPercent(ctx, in("one"), 50, page(start))) })
	m.AtMost("around the first", cost{Requests: 3, Read: 1 + 1.5}, func(ctx context.Context) error { _, err := w.Around(ctx, in("one"), ids[0], 25); return err })
	m.AtMost("around a score, over shards", cost{Requests: 2 * shards, Read: 1.5 * shards}, func(ctx context.Context) error {
		_, err := w.AroundScore(ctx, in("spread"), leaderboard.Int(100), 25)
		return err
	})
	m.AtMost("range", cost{Requests: 1, Read: 1.5}, func(ctx context.Context) error { _, err := w.Range(ctx, in("one"), 26, 25); return err })
	m.AtMost("range over shards", m.Stated.Times(shards, "Repository.Range", "25 of the first 129 rows, each shard"), func(ctx context.Context) error { _, err := w.Range(ctx, in("spread"), 26, 25); return err })
	m.Costs(func(ctx context.Context) error { _, err := w.Rank(ctx, in("one"), ids[0]); return err }, "Repository.Rank", "the entry", "each shard")
	m.AtMost("rank over shards", m.Stated.Of("Repository.Rank", "the entry").Plus(m.Stated.Times(shards, "Repository.Rank", "each shard")), func(ctx context.Context) error { _, err := w.Rank(ctx, in("spread"), ids[9]); return err })
	m.AtMost("count", cost{Requests: 1, Read: 2}, func(ctx context.Context) error { _, err := w.Count(ctx, in("one")); return err })
	m.AtMost("players, 25", cost{Requests: 1, Read: 25}, func(ctx context.Context) error { _, err := w.Players(ctx, in("one"), ids[:25]); return err })
	m.AtMost("players, 100", cost{Requests: 1, Read: 100}, func(ctx context.Context) error { _, err := w.Players(ctx, in("one"), ids); return err })
	m.Costs(change(w.Hide, "one"), "Repository.Hide", "hide")
	m.Costs(func(ctx context.Context) error { _, err := w.Hide(ctx, in("one"), ids[1]); return err }, "Repository.Hide", "nothing changed")
	m.AtMost("hidden", cost{Requests: 1, Read: 0.5}, func(ctx context.Context) error { _, err := w.Hidden(ctx, in("one"), page(start)); return err })
	m.Costs(change(w.Unhide, "one"), "Repository.Hide", "hide")
	m.Costs(change(w.Remove, "one"), "Repository.Remove", "remove")
	m.Costs(func(ctx context.Context) error { _, err := w.Remove(ctx, in("one"), ids[1]); return err }, "Repository.Remove", "nothing changed")
	m.Costs(func(ctx context.Context) error {
		later.submit(t, score("one", ids[1], 100, 1)) // not metered
		return change(w.Remove, "one")(ctx)
	}, "Repository.Remove", "where the clock that gave the entry's Op is ahead")
	m.AtMost("boards", cost{Requests: 1, Read: 1}, func(ctx context.Context) error { _, err := w.ByPlayer(ctx, ids[0], page(start)); return err })
	m.AtMost("boards, consistent", cost{Requests: 1, Read: 2}, func(ctx context.Context) error { _, err := strong.ByPlayer(ctx, ids[0], page(start)); return err })
	m.AtMost("periods", cost{Requests: 1, Read: 0.5}, func(ctx context.Context) error { _, err := w.Periods(ctx, "one", page(start)); return err })
	m.AtMost("check", m.Stated.Of("Repository.Check", "the period").Plus(cost{Requests: 1 + 2 + 1, Read: 14 + 3}), func(ctx context.Context) error { _, err := w.Check(ctx, in("one")); return err })
	m.AtMost("erase", cost{Requests: 1 + 2, Read: 2, Write: 28 * 2}, func(ctx context.Context) error { return w.Erase(ctx, ids[0]) })
}
