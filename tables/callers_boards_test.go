package tables_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/ratelimit"
	"github.com/plaza-sdk/plaza/stream/poller"
	"github.com/plaza-sdk/plaza/tables"
)

func leaderboards(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	of := func(role tables.Role) *leaderboard.Repository {
		return ok(leaderboard.New(as[role].db, w.names.Leaderboard, w, &leaderboard.Options{Now: w.Now}))(t)
	}
	reader, service, operator, worker := of(tables.Reader), of(tables.Service), of(tables.Operator), of(tables.Worker)
	in := leaderboard.In{Board: "weekly"}
	all(t,
		operator.Init(ctx),
		reader.Verify(ctx),
		worker.Verify(ctx),
		err2(service.Define(ctx, leaderboard.Board{
			Name: "weekly", Cron: "@weekly", Keep: 30 * 24 * time.Hour, Operator: leaderboard.Set, Allow: []leaderboard.Operator{leaderboard.Increment},
		})),
	)
	score := func(player string) leaderboard.Submission {
		return leaderboard.Submission{Board: "weekly", Player: player, Score: leaderboard.Int(7), Operator: leaderboard.Increment, Op: w.id()}
	}
	guarded := score("ann")
	guarded.Retractable = true
	all(t,
		err3(service.Submit(ctx, guarded)),
		err2(service.Retract(ctx, guarded)),
		err3(service.Submit(ctx, score("ann"))),
		err2(service.Apply(ctx, leaderboard.Projection{Board: "weekly", Player: "ben", Score: leaderboard.Int(9), Version: 1, At: w.Now()})),
	)
	all(t,
		err2(service.SubmitMany(ctx, []leaderboard.Submission{score("cleo"), score("dan")})),
		err2(reader.Definitions(ctx, first)),
		err2(reader.Periods(ctx, "weekly", first)),
		err2(reader.Entry(ctx, in, "ann")),
		err2(reader.ByPlayer(ctx, "ann", first)),
		err2(reader.Players(ctx, in, []string{"ann", "ben"})),
		err2(reader.Top(ctx, in, first)),
		err2(reader.TopPercent(ctx, in, 50, first)),
		err2(reader.Range(ctx, in, 1, 3)),
		err2(reader.Rank(ctx, in, "ann")),
		err2(reader.Around(ctx, in, "ann", 1)),
		err2(reader.AroundScore(ctx, in, leaderboard.Int(8), 1)),
		err2(reader.Percentile(ctx, in, "ann")),
		err2(reader.ScoreAt(ctx, in, 50)),
		err2(reader.Count(ctx, in)),
		err2(reader.CountBetween(ctx, in, leaderboard.Int(1), leaderboard.Int(8))),
		err2(service.Hide(ctx, in, "ann")),
		err2(reader.Hidden(ctx, in, first)),
		err2(service.Unhide(ctx, in, "ann")),
		err2(service.Remove(ctx, in, "dan")),
		err2(operator.Check(ctx, in)),
		err2(operator.Repair(ctx, in)),
		operator.Erase(ctx, "cleo"),
	)
	folds(t, w, as, service, worker)
	w.pass(8 * 24 * time.Hour)
	all(t, err2(worker.Deliver(ctx, func(ctx context.Context, ended leaderboard.Ended) error {
		_, err := worker.Count(ctx, leaderboard.In{Board: ended.Board, Period: ended.Period.Name})
		return err
	})))
	as[tables.Worker].endless(t, "leaderboard.Repository.Run", func(ctx context.Context) error {
		return worker.Run(ctx, func(context.Context, leaderboard.Ended) error { return nil })
	})
	require.ErrorIs(t, err2(operator.Undefine(ctx, "weekly")), plaza.ErrBusy)
	w.pass(5 * time.Minute) // no process knows the board any more
	all(t, err2(operator.Undefine(ctx, "weekly")))
}

// folds runs a folder until it has published a board and deleted what is left of
// another folder.
func folds(t *testing.T, w *world, as callers, service, worker *leaderboard.Repository) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	all(t,
		err2(service.Define(ctx, leaderboard.Board{Name: "folded", Ranking: leaderboard.RankByFold})),
		err3(service.Submit(ctx, leaderboard.Submission{Board: "folded", Player: "ann", Score: leaderboard.Int(7)})),
	)
	table := dynamotest.DB(t).Table(w.names.Leaderboard)
	const period = "R#folded#19700101T000000Z"
	all(t,
		table.Put(map[string]any{"pk": period, "sk": "ROOT", "gen": 1, "seq": 0}).Run(ctx),
		table.Put(map[string]any{"pk": period, "sk": fmt.Sprintf("S#%020d#%020d", 0, 1)}).Run(ctx),
	)
	described, err := table.Describe().Run(ctx)
	require.NoError(t, err)
	c := as[tables.Worker]
	reader := ok(poller.NewReader(c.streams(t), described.LatestStreamARN, &poller.ReaderOptions{Idle: 10 * time.Millisecond, List: 10 * time.Millisecond}))(t)
	folder, err := leaderboard.NewFolder(worker, reader, &leaderboard.FolderOptions{Settle: 1})
	require.NoError(t, err)
	deletes := wire.Access{Action: "BatchWriteItem", Table: w.names.Leaderboard}
	c.once("leaderboard.Folder.Run", func() {
		if c.used[deletes] {
			cancel()
		}
	})
	require.ErrorIs(t, folder.Run(ctx), context.Canceled)
}

func danmus(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	of := func(role tables.Role) *danmu.Repository {
		return ok(danmu.New(as[role].db, w.names.Danmu, w, &danmu.Options{Now: w.Now, Rate: ratelimit.Rate{Burst: 100}, SharedRate: true}))(t)
	}
	hub := func(store live.Store) *live.Hub {
		h := ok(live.New(store, nil))(t)
		t.Cleanup(h.Close)
		return h
	}
	reader, service, operator := of(tables.Reader), of(tables.Service), of(tables.Operator)
	room, watched := hub(service), hub(reader)
	comment := func(user, text string) danmu.Comment {
		return danmu.Comment{Object: "video", User: user, Text: text, Progress: 3 * time.Second}
	}
	all(t,
		operator.Init(ctx),
		reader.Verify(ctx),
		err2(service.Configure(ctx, "video", danmu.Settings{Owner: "up", Shards: 2})),
	)
	sent, _, err := service.Send(ctx, comment("ann", "2333"))
	require.NoError(t, err)
	said, _, err := room.Send(ctx, comment("ben", "wow"))
	require.NoError(t, err)
	viewer, err := watched.Join(ctx, "video", "")
	require.NoError(t, err)
	defer viewer.Close()
	likes := danmu.Action{Object: "video", ID: sent.ID, User: "cleo"}
	moderated := danmu.Moderation{Object: "video", ID: sent.ID}
	all(t,
		err2(service.Like(ctx, likes)),
		err2(service.Unlike(ctx, likes)),
		err2(room.Like(ctx, likes)),
		err2(room.Unlike(ctx, likes)),
		err2(service.Report(ctx, likes)),
		err2(service.Protect(ctx, moderated)),
		err2(service.Unprotect(ctx, moderated)),
		err2(reader.Settings(ctx, "video")),
		err2(reader.Get(ctx, "video", sent.ID)),
		err2(reader.ByObject(ctx, "video", 0, first)),
		err2(reader.ByUser(ctx, "ann", first)),
		err2(reader.Window(ctx, "video", 0, time.Minute, nil)),
		err2(reader.Segment(ctx, "video", 0, nil)),
		err2(reader.Reactions(ctx, "cleo", "video", 0, time.Minute)),
		err2(reader.Heatmap(ctx, "video", 4)),
		err2(viewer.CatchUp(ctx, 0, time.Minute, nil)),
	)
	for _, err := range reader.Export(ctx, "video") {
		require.NoError(t, err)
	}
	all(t,
		err2(operator.Import(ctx, "old", one(danmu.Comment{Key: "1", User: "ann", Text: "first", Sent: w.Now().Add(-time.Hour)}), nil)),
		err2(room.Recall(ctx, danmu.Action{Object: "video", ID: said.ID, User: "ben"})),
		err2(service.Recall(ctx, danmu.Action{Object: "video", ID: sent.ID, User: "ann"})),
		err2(service.Remove(ctx, moderated)),
		err2(room.Remove(ctx, moderated)),
		err3(service.Send(ctx, comment("ann", "6666"))),
		operator.Erase(ctx, "ann"),
		operator.EraseObject(ctx, "video"),
	)
}

func one[T any](v T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { yield(v, nil) }
}
