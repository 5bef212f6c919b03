package leaderboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestAPlayersBoardsArePagedExactly(t *testing.T) {
	t.Parallel()
	sent := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, &leaderboard.Options{Consistent: true}, sent.Wrap)
	for i := range 2 {
		name := fmt.Sprint("other ", i)
		w.define(t, leaderboard.Board{Name: name})
		w.play(t, name, "other 1", "ann 2")
	}
	pagetest.Run(t, func(t *testing.T) pagetest.List[leaderboard.Entry] {
		player, n := "player of "+t.Name(), 10_000
		return pagetest.List[leaderboard.Entry]{
			Page: w.boardsOf(player),
			ID:   func(e leaderboard.Entry) string { return e.Board },
			Add: func(ctx context.Context, count int) []string {
				boards, entries := make([]string, count), make([]any, count)
				for i := range boards {
					n++ // the list begins with the last name
					boards[i] = fmt.Sprint("board #", n)
					entries[i] = place{player, 1, 0, 0}.item(boards[i], "0")
				}
				w.put(t, entries...)
				return boards
			},
			Remove: func(ctx context.Context, board string) {
				err := w.raw(t).Delete("pk", "P#"+player).Range("sk", `LB#board \#`+board[len("board #"):]+"#"+forever).Run(ctx)
				require.NoError(t, err)
			},
			Hide: func(ctx context.Context, board string) {
				w.define(t, leaderboard.Board{Name: board})
				w.play(t, board, "other 1") // opens the period
				changed, err := w.Remove(ctx, in(board), player)
				require.NoError(t, err)
				require.True(t, changed)
			},
			Others: []pagetest.Other{
				pagetest.Foreign("another player", w.boardsOf("other")),
				pagetest.Foreign("a top", w.top(in("other 0"))),
				pagetest.Foreign("the definitions", w.Definitions),
			},
			Requests: sent.Requests,
			Brief:    true,
		}
	})
}

func TestABoardsPeriodsArePagedExactly(t *testing.T) {
	t.Parallel()
	sent := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, sent.Wrap)
	w.define(t, leaderboard.Board{Name: "other", Cron: "@hourly"})
	name := func(p leaderboard.Period) string { return p.Name }
	pagetest.Run(t, func(t *testing.T) pagetest.List[leaderboard.Period] {
		b := leaderboard.Board{Name: "board of " + t.Name(), Cron: "@hourly", Keep: 100 * 365 * 24 * time.Hour}
		w.define(t, b)
		for range 2 {
			w.submit(t, leaderboard.Submission{Board: "other", Player: "ann", Score: leaderboard.Int(1)})
			w.set(w.Now().Add(time.Hour))
		}
		submit := func(board string) string {
			return w.submit(t, leaderboard.Submission{Board: board, Player: "ann", Score: leaderboard.Int(1)}).Period
		}
		// Once an hour the board must be read again, and this clock does not stand still.
		_, err := w.Periods(t.Context(), b.Name, cursor.PageRequest{})
		require.NoError(t, err)
		item := func(period string) [2]string { return [2]string{"B#" + b.Name, "T#" + period} }
		return pagetest.List[leaderboard.Period]{
			Page: w.periodsOf(b.Name),
			ID:   name,
			Add: func(ctx context.Context, count int) []string {
				periods := make([]string, count)
				var more []any
				for i := range periods {
					w.set(w.Now().Add(time.Hour))
					if i == 0 || faults.Full() {
						periods[i] = submit(b.Name)
						continue
					}
					periods[i] = w.Now().Format("20060102T150405Z")
					more = append(more, map[string]any{"pk": "B#" + b.Name, "sk": "T#" + periods[i], "end": w.Now().Add(time.Hour), "shards": 1})
				}
				if more != nil {
					w.put(t, more...)
				}
				_, err := w.Periods(ctx, "other", cursor.PageRequest{Limit: 1})
				require.NoError(t, err)
				return periods
			},
			Remove: func(ctx context.Context, period string) {
				require.NoError(t, w.raw(t).Delete("pk", item(period)[0]).Range("sk", item(period)[1]).Run(ctx))
			},
			Hide: func(ctx context.Context, period string) { // it expires
				require.NoError(t, w.raw(t).Update("pk", item(period)[0]).Range("sk", item(period)[1]).Set("expires", 1).Run(ctx))
			},
			Others:   []pagetest.Other{pagetest.Foreign("another board", w.periodsOf("other"))},
			Requests: sent.Requests,
			Brief:    true,
		}
	})
}

func TestPeriodsHaveStartAndEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "daily", Cron: "@daily", Zone: "Asia/Shanghai"})
	w.define(t, leaderboard.Board{Name: "ever"})
	for _, board := range []string{"daily", "ever"} {
		require.Empty(t, all(t, 0, w.periodsOf(board)))
		w.submit(t, score(board, "ann", 1, 0))
	}
	start := time.Date(2026, 3, 9, 16, 0, 0, 0, time.UTC)
	require.Equal(t, []leaderboard.Period{{Name: "20260309T160000Z", Start: start, End: start.Add(24 * time.Hour)}}, all(t, 0, w.periodsOf("daily")))
	require.Equal(t, []leaderboard.Period{{Name: forever, Start: time.Unix(0, 0).UTC()}}, all(t, 0, w.periodsOf("ever")))
	_, err := w.Periods(t.Context(), "unknown", cursor.PageRequest{})
	require.ErrorIs(t, err, plaza.ErrNotFound)
}

func TestByPlayerListsCurrentScores(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: `a#\b`, Cron: "@daily", Keep: time.Hour})
	w.define(t, leaderboard.Board{Name: "float", Kind: leaderboard.KindFloat})
	w.define(t, leaderboard.Board{Name: "hides"})
	w.define(t, leaderboard.Board{Name: "removes"})
	for range 2 {
		w.submit(t, leaderboard.Submission{Board: `a#\b`, Player: "ann", Score: leaderboard.Int(1)})
		w.set(noon.Add(24 * time.Hour))
	}
	w.submit(t, leaderboard.Submission{Board: "float", Player: "ann", Score: leaderboard.Float(1e126), Name: "Ann", Meta: []byte(`{"a":1}`)})
	w.play(t, "hides", "ann 3")
	w.play(t, "removes", "ann 4", "bob 5")
	require.NoError(t, errorOf(w.Hide(t.Context(), in("hides"), "ann")))
	require.NoError(t, errorOf(w.Remove(t.Context(), in("removes"), "ann")))
	want := []leaderboard.Entry{
		{Board: "hides", Period: forever, Score: leaderboard.Int(3), Hidden: true},
		{Board: "float", Period: forever, Score: leaderboard.Float(1e126), Name: "Ann", Meta: json.RawMessage(`{"a":1}`)},
		{Board: `a#\b`, Period: "20260311T000000Z", Score: leaderboard.Int(1)},
		{Board: `a#\b`, Period: "20260310T000000Z", Score: leaderboard.Int(1)},
	}
	for limit := range 5 {
		require.Equal(t, want[:3], all(t, limit, w.boardsOf("ann")), "one has expired")
	}
	w.set(noon)
	require.Equal(t, want, all(t, 0, w.boardsOf("ann")))
}

func TestConsistentListsDoNotLag(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.play(t, "b", "ann 1")
	strong := w.process(t, &leaderboard.Options{Consistent: true}, faults.New(t, 1, faults.Rates{Stale: 1}).Wrap)
	require.Len(t, all(t, 0, strong.boardsOf("ann")), 1)
	require.Len(t, all(t, 0, strong.periodsOf("b")), 1)
}
