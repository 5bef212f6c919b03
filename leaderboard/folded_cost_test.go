package leaderboard_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestFoldedReadsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	const shards, n = 4, 1500
	quiet := newOwn(t, leaderboard.Table)
	quiet.define(t, leaderboard.Board{Name: "one", Ranking: leaderboard.RankByFold})
	quiet.define(t, leaderboard.Board{Name: "spread", Shards: shards, Ranking: leaderboard.RankByFold})
	places := make([]place, n) // player i has rank i+1; the middle third ties
	for i := range places {
		places[i] = place{sixteen(fmt.Sprint("p", i)), int64(n - i), 0, i}
		if i/(n/3) == 1 {
			places[i].score = n / 2
		}
	}
	boards := faults.Some(1, "one", "spread")
	for _, board := range boards {
		quiet.play(t, board, sixteen("last")+" -1")
		quiet.load(t, board, places)
	}
	quiet = quiet.followed(t)
	quiet.publish(t)

	m := callstest.NewMetered(t, "..", "leaderboard")
	w := quiet.process(t, nil, m.Wrap)
	for _, board := range boards {
		_, err := w.Top(t.Context(), in(board), cursor.PageRequest{Limit: 1}) // reads the board
		require.NoError(t, err)
	}
	rank := func(board string, i int) func(context.Context) error {
		return func(ctx context.Context) error {
			got, err := w.Rank(ctx, in(board), sixteen(fmt.Sprint("p", i)))
			require.EqualValues(t, i+1, got.Ordinal)
			require.True(t, got.Folded)
			return err
		}
	}
	cold := func(call func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error { w.ForgetPublished(); return call(ctx) }
	}
	second := func(call func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error { w.set(w.Now().Add(time.Second)); return call(ctx) }
	}
	// A leaf has up to 511 keys, and an entry of these takes 140 bytes of the index.
	const leaf = 511 * 140.0 / 8192
	type cost = dynamotest.Cost
	m.AtMost("rank, cold", cost{Requests: 3 + 1, Read: 1 + 0.5 + 1 + leaf}, cold(rank("one", 1400)))
	m.Costs(rank("one", 1399), "Repository.Rank", "the entry", "by the fold, each shard, for 511 entries of 140 bytes")
	m.AtMost("rank, a second later", cost{Requests: 2 + 1, Read: 1 + 0.5 + leaf}, second(rank("one", 1398)))
	m.AtMost("rank of the first", cost{Requests: 1 + 1, Read: 1 + 0.5}, rank("one", 0))
	m.Costs(rank("one", 999), "Repository.Rank", "the entry", "by the fold, each shard, in a tie")
	m.AtMost("count, cold", cost{Requests: 1, Read: 0.5}, cold(func(ctx context.Context) error {
		got, err := w.Count(ctx, in("one"))
		require.EqualValues(t, n+1, got)
		return err
	}))
	m.Meter.AtMost(t, "count", cost{}, func() { _, err := w.Count(t.Context(), in("one")); require.NoError(t, err) })
	m.AtMost("count between", cost{Requests: 1 + 2, Read: 1 + 1 + 2*leaf}, func(ctx context.Context) error {
		got, err := w.CountBetween(ctx, in("one"), leaderboard.Int(100), leaderboard.Int(1400))
		require.EqualValues(t, 1301, got)
		return err
	})
	m.AtMost("count within a leaf", cost{Requests: 1, Read: 0.5}, func(ctx context.Context) error {
		got, err := w.CountBetween(ctx, in("one"), leaderboard.Int(10), leaderboard.Int(19))
		require.EqualValues(t, 10, got)
		return err
	})
	m.AtMost("percentile", cost{Requests: 2, Read: 1 + leaf}, func(ctx context.Context) error {
		_, err := w.Percentile(ctx, in("one"), sixteen("p1400"))
		return err
	})
	m.AtMost("around", cost{Requests: 1 + 2 + 1, Read: 1 + 2 + leaf}, func(ctx context.Context) error {
		rows, err := w.Around(ctx, in("one"), sixteen("p1400"), 25)
		require.EqualValues(t, 1389, rows[0].Ordinal)
		return err
	})
	m.AtMost("range", cost{Requests: 1, Read: 1 + leaf}, func(ctx context.Context) error {
		rows, err := w.Range(ctx, in("one"), 1401, 25)
		require.EqualValues(t, 1401, rows[0].Ordinal)
		return err
	})
	m.AtMost("range in a tie over leaves", cost{Requests: 2, Read: 1 + 2*leaf}, func(ctx context.Context) error {
		rows, err := w.Range(ctx, in("one"), 990, 5)
		require.EqualValues(t, 501, rows[0].Rank)
		return err
	})
	m.AtMost("score at", cost{Requests: 1, Read: 1 + leaf}, func(ctx context.Context) error {
		_, err := w.ScoreAt(ctx, in("one"), 50)
		return err
	})
	// The table has 3,000 entries of 250 bytes.
	m.AtMost("check", m.Stated.Of("Repository.Check", "the period", "by the fold, what is published of up to 4 KB, more", "by the fold, each block of about 70,000 entries, more").Plus(cost{Requests: 1 + 1, Read: 2*n*250/4096.0 + n*140/8192.0 + 1}), func(ctx context.Context) error {
		drift, err := w.Check(ctx, in("one"))
		require.Zero(t, drift)
		return err
	})
	m.AtMost("top percent", cost{Requests: 1, Read: 1}, func(ctx context.Context) error {
		_, err := w.TopPercent(ctx, in("one"), 50, cursor.PageRequest{})
		return err
	})
	m.AtMost("range near the top, cold", cost{Requests: 1, Read: 3}, cold(func(ctx context.Context) error {
		_, err := w.Range(ctx, in("one"), 101, 25)
		return err
	}))
	if !faults.Full() {
		return
	}
	m.AtMost("rank over shards, cold", cost{Requests: 3 + shards, Read: 1 + 0.5 + 1 + leaf + shards}, cold(rank("spread", 1400)))
	m.AtMost("rank over shards", cost{Requests: 1 + shards, Read: 1 + leaf + shards}, rank("spread", 1399))
	m.AtMost("rank in a tie over leaves and shards", cost{Requests: 1 + 2*shards, Read: 1 + 2*(leaf+shards)}, rank("spread", 999))
	m.AtMost("range over shards, cold", cost{Requests: 2 + 1 + shards, Read: 0.5 + 1 + leaf + shards}, cold(func(ctx context.Context) error {
		_, err := w.Range(ctx, in("spread"), 1401, 25)
		return err
	}))
}
