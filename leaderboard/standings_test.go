package leaderboard_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

var page1 = cursor.PageRequest{Limit: 1}

// in names the current period of a board.
func in(board string) leaderboard.In { return leaderboard.In{Board: board} }

// play submits scores one second apart: "ann 50", or "ann 50 3" with a sub score.
func (w world) play(t testing.TB, board string, scores ...string) {
	t.Helper()
	for i, text := range scores {
		var player string
		var v, sub int64
		n, _ := fmt.Sscan(text, &player, &v, &sub)
		require.GreaterOrEqual(t, n, 2, text)
		s := score(board, player, v, i)
		s.Sub = sub
		w.submit(t, s)
	}
}

// many submits different scores of n players. Player 1 is the best.
func (w world) many(t testing.TB, board string, n int) {
	t.Helper()
	submissions := make([]leaderboard.Submission, n)
	for i := range submissions {
		submissions[i] = score(board, fmt.Sprint("player ", i+1), int64(n-i), 0)
	}
	w.submitMany(t, submissions)
}

// manyRows is many by rows of the table and the index, at a fifth of the cost.
func (w world) manyRows(t testing.TB, board string, n int) {
	t.Helper()
	w.many(t, board, 1) // opens the period
	places := make([]place, n)
	for i := range places {
		places[i] = place{fmt.Sprint("player ", i+1), int64(n - i), 0, 0}
	}
	w.load(t, board, places)
}

// texts formats rows as "ordinal/competition player score".
func texts(rows []leaderboard.Standing) []string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = fmt.Sprintf("%d/%d %s %v", r.Ordinal, r.Rank, r.Player, r.Score)
	}
	return list
}

// all reads a list to its end.
func all[T any](t tester, limit int, list func(context.Context, cursor.PageRequest) (cursor.Page[T], error)) []T {
	t.Helper()
	var items []T
	for req := (cursor.PageRequest{Limit: limit}); ; {
		page, err := list(t.Context(), req)
		require.NoError(t, err)
		items = append(items, page.Items...)
		if req.Cursor = page.Next; req.Cursor == "" {
			return items
		}
	}
}

// top lists standings.
func (w world) top(in leaderboard.In) func(context.Context, cursor.PageRequest) (cursor.Page[leaderboard.Standing], error) {
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Standing], error) {
		return w.Top(ctx, in, req)
	}
}

func (w world) hiddenOf(in leaderboard.In) func(context.Context, cursor.PageRequest) (cursor.Page[leaderboard.Standing], error) {
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Standing], error) {
		return w.Hidden(ctx, in, req)
	}
}

func (w world) boardsOf(player string) func(context.Context, cursor.PageRequest) (cursor.Page[leaderboard.Entry], error) {
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Entry], error) {
		return w.ByPlayer(ctx, player, req)
	}
}

func (w world) periodsOf(board string) func(context.Context, cursor.PageRequest) (cursor.Page[leaderboard.Period], error) {
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Period], error) {
		return w.Periods(ctx, board, req)
	}
}

func TestARowShowsTheSubmission(t *testing.T) {
	t.Parallel()
	bothRankings(t, func(t *testing.T, w world) {
		for _, b := range []leaderboard.Board{{Name: "int"}, {Name: "float", Kind: leaderboard.KindFloat, Order: leaderboard.Ascending, SubOrder: leaderboard.Ascending, Ties: leaderboard.LaterFirst}} {
			w.define(t, b)
			want := leaderboard.Standing{
				Position: leaderboard.Position{Ordinal: 1, Rank: 1},
				Player:   "用户#1", Name: "Ann", Score: leaderboard.Int(-7), Sub: -3, At: noon.Add(-time.Nanosecond), Meta: []byte(`{"a":1}`),
			}
			if b.Kind == leaderboard.KindFloat {
				want.Score = leaderboard.Float(5e-324)
			}
			w.submit(t, leaderboard.Submission{Board: b.Name, Player: want.Player, Name: want.Name, Score: want.Score, Sub: want.Sub, At: want.At, Meta: want.Meta})
			w.publish(t)
			for name, read := range map[string]func() ([]leaderboard.Standing, error){
				"top": func() ([]leaderboard.Standing, error) {
					page, err := w.Top(t.Context(), in(b.Name), cursor.PageRequest{})
					return page.Items, err
				},
				"range":  func() ([]leaderboard.Standing, error) { return w.Range(t.Context(), in(b.Name), 1, 0) },
				"around": func() ([]leaderboard.Standing, error) { return w.Around(t.Context(), in(b.Name), want.Player, 0) },
				"score":  func() ([]leaderboard.Standing, error) { return w.AroundScore(t.Context(), in(b.Name), want.Score, 0) },
				"players": func() ([]leaderboard.Standing, error) {
					return w.Players(t.Context(), in(b.Name), []string{want.Player})
				},
			} {
				rows, err := read()
				require.NoError(t, err, name)
				for i := range rows {
					rows[i].Position = timeless(rows[i].Position)
				}
				require.Equal(t, []leaderboard.Standing{want}, rows, name)
			}
			require.Equal(t, want.Position, w.rank(t, in(b.Name), want.Player))
		}
	})
}

func TestOldStandingsStayReadable(t *testing.T) {
	t.Parallel()
	bothRankings(t, func(t *testing.T, w world) {
		w.define(t, leaderboard.Board{Name: "daily", Cron: "@daily", Grace: time.Hour, Keep: 48 * time.Hour})
		old := w.submit(t, score("daily", "ann", 50, 0)).Period
		w.submit(t, score("daily", "bob", 40, 1))
		standings := []string{"1/1 ann 50", "2/2 bob 40"}
		yesterday := leaderboard.In{Board: "daily", Period: old}
		require.Equal(t, standings, texts(all(t, 0, w.top(in("daily")))))
		require.Equal(t, standings, texts(all(t, 0, w.top(yesterday))))

		w.set(noon.Add(24 * time.Hour))
		require.Empty(t, all(t, 0, w.top(in("daily"))), "nobody submitted yet")
		rows, err := w.AroundScore(t.Context(), in("daily"), leaderboard.Int(1), 0)
		require.NoError(t, err)
		require.Empty(t, rows)
		_, err = w.Rank(t.Context(), in("daily"), "ann")
		require.ErrorIs(t, err, plaza.ErrNotFound)
		_, err = w.ScoreAt(t.Context(), in("daily"), 50)
		require.ErrorIs(t, err, plaza.ErrNotFound)
		w.submit(t, leaderboard.Submission{Board: "daily", Player: "bob", Score: leaderboard.Int(1)})
		w.publish(t)
		require.Equal(t, []string{"1/1 bob 1"}, texts(all(t, 0, w.top(in("daily")))))

		for _, reader := range []world{w, w.process(t, nil)} {
			require.Equal(t, standings, texts(all(t, 0, reader.top(yesterday))))
			rank, err := reader.Rank(t.Context(), yesterday, "bob")
			require.NoError(t, err)
			require.Equal(t, int64(2), rank.Ordinal)
			_, err = reader.Top(t.Context(), leaderboard.In{Board: "daily", Period: "20260309T000000Z"}, cursor.PageRequest{})
			require.ErrorIs(t, err, plaza.ErrNotFound, "a period that never began")
			_, err = reader.Top(t.Context(), leaderboard.In{Board: "daily", Period: "20260310T000001Z"}, cursor.PageRequest{})
			require.ErrorIs(t, err, plaza.ErrNotFound, "a time within a period")
		}

		w.set(time.Date(2026, 3, 13, 0, 59, 59, 0, time.UTC))
		require.Equal(t, standings, texts(all(t, 0, w.top(yesterday))))
		w.set(w.Now().Add(time.Second))
		for _, reader := range []world{w, w.process(t, nil)} {
			_, err = reader.Top(t.Context(), yesterday, cursor.PageRequest{})
			require.ErrorIs(t, err, plaza.ErrNotFound, "it is not kept any more")
		}
	})
}

func TestReadersSeeShardsThatOthersOpened(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.many(t, "b", 1)
	reader := w.process(t, nil)
	require.Len(t, all(t, 0, reader.top(in("b"))), 1)

	w.define(t, leaderboard.Board{Name: "b", Shards: 8})
	w.many(t, "b", 30)
	require.Len(t, all(t, 0, reader.top(in("b"))), 30, "who knew the board before")
	reader.isWhole(t, in("b"))
	late := faults.Size(60, 20)
	for i := range int64(late) {
		w.set(w.Now().Add(4 * time.Minute / time.Duration(late)))
		w.submit(t, score("b", fmt.Sprint("late ", i), i, 0))
		if faults.Full() || i%4 == 3 {
			require.Len(t, all(t, 50, reader.top(in("b"))), 31+int(i))
		}
	}
	for shard := range 8 {
		require.NotEmpty(t, w.rows(t, w.raw(t), fmt.Sprint("b#", forever, "#", shard)))
	}
}

func playerOf(rank int64) string { return fmt.Sprint("player ", rank) }

// orderKey encodes a key of a board with default settings, without our code.
func orderKey(score, sub, at int64, player string) []byte {
	var key []byte
	key = binary.BigEndian.AppendUint64(key, ^(uint64(score) ^ 1<<63))
	key = binary.BigEndian.AppendUint64(key, ^(uint64(sub) ^ 1<<63))
	key = binary.BigEndian.AppendUint64(key, uint64(at)^1<<63)
	return append(key, player...)
}

// isStaleRead reports whether a read is eventually consistent, and so may be stale.
func isStaleRead(body []byte) bool {
	var read struct{ ConsistentRead bool }
	return json.Unmarshal(body, &read) == nil && !read.ConsistentRead
}

// scoreOf returns the score in a key of orderKey.
func scoreOf(key []byte) int64 { return int64(^binary.BigEndian.Uint64(key) ^ 1<<63) }
