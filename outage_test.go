package plaza_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/letters"
	"github.com/plaza-sdk/plaza/stream/poller"
)

// worker is one that runs during an outage.
type worker struct {
	run    func(context.Context) error
	failed atomic.Int64 // attempts
	did    atomic.Int64
	wait   func(t *testing.T)     // gives it work by a client that has no outage
	done   func(t *testing.T) int // how often that was done; nil if work is called

	err   error // of run
	ended chan struct{}
}

func (w *worker) note(err error) {
	if err != nil {
		w.failed.Add(1)
	}
}

func (w *worker) work() error {
	w.did.Add(1)
	return nil
}

// times is how often its work was done.
func (w *worker) times(t *testing.T) int {
	if w.done == nil {
		return int(w.did.Load())
	}
	return w.done(t)
}

const outagePoll = 10 * time.Second

// The database is out of reach for an hour, or loses most requests. The first poll after
// it does the work that waits, and does it once if nothing could be done before.
func TestEveryWorkerSurvivesAnOutage(t *testing.T) {
	t.Parallel()
	for rate, each := range map[float64]int{1: 1, 0.9: 3} {
		for kind, outage := range faults.Sample(each, faults.Outages()) {
			t.Run(fmt.Sprint(kind, " ", rate), func(t *testing.T) {
				t.Parallel()
				inWorld(t, outage.Wrap, func(t *testing.T, w *outageWorld) { w.run(t, outage, rate) })
			})
		}
	}
}

// inWorld runs f in a bubble, where the requests of workers come through wrap.
func inWorld(t *testing.T, wrap func(aws.HTTPClient) aws.HTTPClient, f func(*testing.T, *outageWorld)) {
	t.Helper()
	own := dynamotest.Own()
	w := &outageWorld{table: map[string]string{}}
	for name, schema := range map[string]func(string) *dynamodb.CreateTableInput{
		"follow": follow.Table, "feed": feed.Table, "notify": notify.Table, "leases": poller.Table,
		"leaderboard": streamtest.Streamed(leaderboard.Table), "source": streamtest.Streamed(poller.Table),
	} {
		w.table[name] = dynamotest.Table(t, schema, own)
	}
	send := dynamotest.Outside(t, own)
	synctest.Test(t, func(t *testing.T) {
		w.clean, w.cut = dynamotest.DB(t, send), dynamotest.DB(t, send, wrap)
		gen, err := ids.New(1, nil)
		require.NoError(t, err)
		w.gen = &counted{Source: gen}
		f(t, w)
	})
}

// The clock of the workers is an hour ahead of DynamoDB's, for ten minutes. A poller has no
// use for a clock.
func TestEveryWorkerPausesWhileItsClockIsWrong(t *testing.T) {
	t.Parallel()
	dates, meter := &faults.Dates{}, dynamotest.NewMeter().Price()
	inWorld(t, func(next aws.HTTPClient) aws.HTTPClient { return dates.Wrap(meter.Wrap(next)) }, func(t *testing.T, w *outageWorld) {
		workers := map[string]*worker{
			"feed": w.feed(t), "notify": w.notify(t), "digest": w.digest(t), "leaderboard": w.leaderboard(t), "folder": w.folder(t),
		}
		stop := start(t, workers)
		defer stop()
		time.Sleep(time.Minute)
		dates.Shift(-time.Hour)
		for _, worker := range workers {
			worker.wait(t)
		}
		time.Sleep(time.Minute)
		for name, worker := range workers {
			require.Positive(t, worker.failed.Load(), name)
		}
		meter.Take()
		made := w.gen.made.Load()
		time.Sleep(10 * time.Minute)
		cost := meter.Take()
		require.LessOrEqual(t, cost.Requests, len(workers)*600)
		require.Zero(t, cost.Write)
		require.Equal(t, made, w.gen.made.Load())
		for name, worker := range workers {
			require.Zero(t, worker.times(t), name)
		}
		dates.Shift(0)
		time.Sleep(2 * time.Minute) // the folder reads its index first
		for name, worker := range workers {
			require.Equal(t, 1, worker.times(t), name)
		}
	})
}

// start runs the workers until the function that it returns is called.
func start(t *testing.T, workers map[string]*worker) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	for _, worker := range workers {
		worker.ended = make(chan struct{})
		go func() { worker.err = worker.run(ctx); close(worker.ended) }()
	}
	return func() {
		cancel()
		for _, worker := range workers {
			<-worker.ended
		}
	}
}

// counted counts the ids of a source.
type counted struct {
	ids.Source
	made atomic.Int64
}

func (c *counted) Next(ctx context.Context) (ids.ID, error) {
	c.made.Add(1)
	return c.Source.Next(ctx)
}

type outageWorld struct {
	table      map[string]string
	clean, cut *dynamo.DB // without the outage, and with it
	gen        *counted
}

func (w *outageWorld) run(t *testing.T, outage *faults.Outage, rate float64) {
	workers := map[string]*worker{
		"feed": w.feed(t), "notify": w.notify(t), "digest": w.digest(t),
		"leaderboard": w.leaderboard(t), "folder": w.folder(t), "poller": w.poller(t),
	}
	stop := start(t, workers)
	defer stop()
	time.Sleep(time.Minute)
	for name, worker := range workers {
		require.Zero(t, worker.failed.Load(), name)
	}

	outage.Lose(rate)
	for _, worker := range workers {
		worker.wait(t)
	}
	time.Sleep(time.Hour)
	for name, worker := range workers {
		require.GreaterOrEqual(t, worker.failed.Load(), int64(100), name)
		if rate == 1 {
			require.Zero(t, worker.times(t), name)
		}
	}
	outage.Lose(0)
	if rate == 1 {
		for _, pause := range []time.Duration{outagePoll * 3 / 2, 2 * time.Minute} {
			time.Sleep(pause)
			for name, worker := range workers {
				require.Equal(t, 1, worker.times(t), name)
			}
		}
	}
	for name, worker := range workers { // after attempts that failed, up to an hour passes until the next
		for end := time.Now().Add(time.Hour + time.Minute); worker.times(t) == 0 && time.Now().Before(end); {
			time.Sleep(outagePoll)
		}
		require.Positive(t, worker.times(t), name)
	}
	stop()
	for name, worker := range workers {
		require.ErrorIs(t, worker.err, context.Canceled, name)
	}
}

// id is a new one.
func (w *outageWorld) id(t *testing.T) ids.ID {
	t.Helper()
	id, err := w.gen.Next(t.Context())
	require.NoError(t, err)
	return id
}

func (w *outageWorld) follows(t *testing.T, db *dynamo.DB) *follow.Repository {
	t.Helper()
	r, err := follow.New(db, w.table["follow"], w.gen, nil)
	require.NoError(t, err)
	return r
}

func (w *outageWorld) feed(t *testing.T) *worker {
	worker := &worker{}
	open := func(db *dynamo.DB) *feed.Repository {
		r, err := feed.New(db, w.table["feed"], w.gen, w.follows(t, db), &feed.Options{
			InlineFollowers: -1, Poll: outagePoll, OnAttempt: func(a feed.Attempt) { worker.note(a.Err) },
		})
		require.NoError(t, err)
		return r
	}
	clean := open(w.clean)
	worker.run = open(w.cut).Run
	worker.wait = func(t *testing.T) {
		_, err := clean.Home("ann").Follow(t.Context(), "bob", nil)
		require.NoError(t, err)
		_, _, err = clean.Outbox("bob").Publish(t.Context(), feed.Activity{
			Actor: feed.Ref{ID: "bob"}, Verb: "post", Object: feed.Ref{ID: "1"},
		})
		require.NoError(t, err)
	}
	worker.done = func(t *testing.T) int {
		page, err := clean.Home("ann").List(t.Context(), cursor.PageRequest{})
		require.NoError(t, err)
		return len(page.Items)
	}
	return worker
}

// answer notifies the watchers of a question and those who want a digest.
func (w *outageWorld) answer(t *testing.T) notify.Notification {
	return notify.Notification{Activity: feed.Activity{
		ID: w.id(t), Actor: feed.Ref{ID: "zoe"}, Verb: "answer", Object: feed.Ref{ID: "7"},
	}}
}

func (w *outageWorld) notify(t *testing.T) *worker {
	worker := &worker{}
	open := func(db *dynamo.DB) *notify.Repository {
		r, err := notify.New(db, w.table["notify"], w.gen, &notify.Options{
			Watchers: w.follows(t, db), Poll: outagePoll, OnAttempt: func(d notify.Attempt) { worker.note(d.Err) },
		})
		require.NoError(t, err)
		return r
	}
	clean := open(w.clean)
	worker.run = open(w.cut).Run
	worker.wait = func(t *testing.T) {
		_, _, err := w.follows(t, w.clean).Follow(t.Context(), follow.Edge{Follower: "jack", Followee: "7"})
		require.NoError(t, err)
		_, err = clean.NotifyWatchers(t.Context(), feed.Ref{ID: "7"}, w.answer(t))
		require.NoError(t, err)
	}
	worker.done = func(t *testing.T) (n int) {
		page, err := clean.List(t.Context(), notify.Reader{User: "jack"}, cursor.PageRequest{})
		require.NoError(t, err)
		for _, e := range page.Items {
			n += e.N
		}
		return n
	}
	return worker
}

// byMail is a Policy and a Sender.
type byMail struct{ *worker }

func (byMail) Decide(context.Context, notify.Notification) (notify.Decision, error) {
	return notify.Decision{Channels: []string{"email"}}, nil
}

func (m byMail) Send(context.Context, digest.Digest) error { return m.work() }

func (w *outageWorld) digest(t *testing.T) *worker {
	worker := &worker{}
	mail := byMail{worker}
	open := func(db *dynamo.DB) (*digest.Repository, *notify.Repository) {
		digests, err := digest.New(db, w.table["notify"], &digest.Options{
			ScheduleOf: func(context.Context, string, string) (digest.Schedule, error) {
				return digest.Schedule{Every: 10 * time.Minute}, nil
			},
		})
		require.NoError(t, err)
		bell, err := notify.New(db, w.table["notify"], w.gen, &notify.Options{Policy: mail, Scheduler: digests})
		require.NoError(t, err)
		return digests, bell
	}
	digests, bell := open(w.cut)
	r, err := digest.NewWorker(digests, bell, mail, &digest.WorkerOptions{
		Poll: outagePoll, OnAttempt: func(a digest.Attempt) { worker.note(a.Err) },
	})
	require.NoError(t, err)
	worker.run = r.Run
	worker.wait = func(t *testing.T) {
		_, bell := open(w.clean)
		n := w.answer(t)
		n.User = "kim"
		_, _, err := bell.Notify(t.Context(), n)
		require.NoError(t, err)
	}
	return worker
}

func (w *outageWorld) boards(t *testing.T, db *dynamo.DB, opts *leaderboard.Options) *leaderboard.Repository {
	t.Helper()
	r, err := leaderboard.New(db, w.table["leaderboard"], w.gen, opts)
	require.NoError(t, err)
	return r
}

// submit is a first score on a board.
func (w *outageWorld) submit(t *testing.T, b leaderboard.Board) {
	t.Helper()
	boards := w.boards(t, w.clean, nil)
	_, err := boards.Define(t.Context(), b)
	require.NoError(t, err)
	_, _, err = boards.Submit(t.Context(), leaderboard.Submission{Board: b.Name, Player: "ann", Score: leaderboard.Int(1)})
	require.NoError(t, err)
}

func (w *outageWorld) leaderboard(t *testing.T) *worker {
	worker := &worker{}
	boards := w.boards(t, w.cut, &leaderboard.Options{
		Poll: outagePoll, OnAttempt: func(a leaderboard.Attempt) { worker.note(a.Err) },
	})
	worker.run = func(ctx context.Context) error {
		return boards.Run(ctx, func(context.Context, leaderboard.Ended) error { return worker.work() })
	}
	worker.wait = func(t *testing.T) { w.submit(t, leaderboard.Board{Name: "ends", Cron: "*/10 * * * *"}) }
	return worker
}

// streams returns a client of a table's stream, and the stream's name.
func (w *outageWorld) streams(t *testing.T, table string) (*dynamodbstreams.Client, string) {
	t.Helper()
	described, err := w.clean.Client().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &table})
	require.NoError(t, err)
	o := w.cut.Client().(*dynamodb.Client).Options()
	return dynamodbstreams.New(dynamodbstreams.Options{
		BaseEndpoint: o.BaseEndpoint, Region: o.Region, Credentials: o.Credentials, HTTPClient: o.HTTPClient,
	}), aws.ToString(described.Table.LatestStreamArn)
}

func (w *outageWorld) folder(t *testing.T) *worker {
	worker := &worker{}
	client, arn := w.streams(t, w.table["leaderboard"])
	reader, err := poller.NewReader(client, arn, nil)
	require.NoError(t, err)
	folder, err := leaderboard.NewFolder(w.boards(t, w.cut, nil), reader, &leaderboard.FolderOptions{
		Settle: time.Nanosecond, Lease: 3 * outagePoll, OnAttempt: func(a leaderboard.FolderAttempt) { worker.note(a.Err) },
	})
	require.NoError(t, err)
	worker.run = folder.Run
	worker.wait = func(t *testing.T) { w.submit(t, leaderboard.Board{Name: "folded", Ranking: leaderboard.RankByFold}) }
	worker.done = func(t *testing.T) int {
		rank, err := w.boards(t, w.clean, nil).Rank(t.Context(), leaderboard.In{Board: "folded"}, "ann")
		require.NoError(t, err)
		if !rank.Folded {
			return 0
		}
		return folder.Status().Entries
	}
	return worker
}

func (w *outageWorld) poller(t *testing.T) *worker {
	worker := &worker{}
	dead, err := letters.New(w.cut, w.table["leases"], "consumer", nil)
	require.NoError(t, err)
	processor, err := stream.NewProcessor(stream.Each(func(context.Context, stream.Record) error { return worker.work() }, 1), dead, nil)
	require.NoError(t, err)
	client, arn := w.streams(t, w.table["source"])
	p, err := poller.New(w.cut, client, poller.Group{Table: w.table["leases"], Stream: arn, Name: "group"}, processor, &poller.Options{OnError: worker.note})
	require.NoError(t, err)
	worker.run = p.Run
	worker.wait = func(t *testing.T) {
		require.NoError(t, w.clean.Table(w.table["source"]).Put(map[string]string{"pk": "p", "sk": "s"}).Run(t.Context()))
	}
	return worker
}
