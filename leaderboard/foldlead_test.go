package leaderboard_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/lease"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream/poller"
)

// In a bubble hours pass at once, and each read of the stream is a real request.
const (
	foldLease = 10 * time.Minute
	foldIdle  = 10 * time.Minute
)

// inFoldBubble runs f with a clock of its own, on a table of the real engine and its
// stream. Board "a" has a period of n players; 600 are several leaves.
func inFoldBubble(t *testing.T, n int, f func(t *testing.T, w world)) {
	t.Helper()
	t.Parallel()
	w := newOwn(t, leaderboard.Table)
	w.define(t, leaderboard.Board{Name: "a", Ranking: leaderboard.RankByFold})
	w.submit(t, score("a", "somebody", 0, 0))
	w.move(t, 0, n)
	w.stream(t)
	own := w.send
	w.send = dynamotest.Outside(t, func(c aws.HTTPClient) aws.HTTPClient { return dynamotest.NewMeter().Wrap(own(c)) })
	synctest.Test(t, func(t *testing.T) { f(t, w.process(t, nil)) })
}

// move gives n players keys that they did not have before turn.
func (w world) move(t testing.TB, turn, n int) {
	t.Helper()
	items := make([]any, n)
	for i := range items {
		player := fmt.Sprint("player-", i)
		key := binary.BigEndian.AppendUint64(nil, uint64(i*7919+turn*104729)%1e6)
		items[i] = row{PK: "P#" + player, SK: "LB#a#" + forever, Part: "a#" + forever + "#0", Key: append(append(key, make([]byte, 16)...), player...)}
	}
	w.put(t, items...)
}

// folding is a process that runs a folder.
type folding struct {
	*leaderboard.Folder
	cancel context.CancelFunc
	ended  chan struct{}
	err    error
}

func (w world) fold(t testing.TB, wrap ...wrapper) *folding {
	t.Helper()
	f := &folding{ended: make(chan struct{})}
	var err error
	f.Folder, err = leaderboard.NewFolder(w.process(t, nil, wrap...).Repository, w.reader(t, nil, &poller.ReaderOptions{Idle: foldIdle, List: time.Minute}),
		&leaderboard.FolderOptions{Lease: foldLease})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	f.cancel = cancel
	go func() { f.err = f.Run(ctx); close(f.ended) }()
	t.Cleanup(func() { _ = f.stop() })
	return f
}

// stop ends Run, and returns its error.
func (f *folding) stop() error {
	f.cancel()
	<-f.ended
	return f.err
}

// until waits for something that happens within a day.
func until(t testing.TB, what string, happens func() bool) {
	t.Helper()
	for end := time.Now().Add(24 * time.Hour); !happens(); time.Sleep(foldIdle / 2) {
		if time.Now().After(end) {
			require.Fail(t, "in vain", what)
		}
	}
}

// catchesUp waits until everything written before is published, and compares it.
func (w world) catchesUp(t testing.TB) folded {
	t.Helper()
	now := time.Now()
	until(t, "it is published", func() bool {
		var f folded
		err := w.raw(t).Get("pk", foldedPK).Range("sk", dynamo.Equal, "ROOT").Consistent(true).One(t.Context(), &f)
		return err == nil && f.AsOf.After(now)
	})
	return w.agrees(t, "a", forever, 1)
}

const foldedPK = "R#a#" + forever

func TestAFolderOfAnOldLeaseStopsWhenItPublishes(t *testing.T) {
	t.Parallel()
	w := newFolded(t, nil)
	w.define(t, leaderboard.Board{Name: "a", Ranking: leaderboard.RankByFold})
	w.move(t, 0, faults.Size(600, 60))
	w.submit(t, score("a", "ann", 1, 1))
	old, next := w.folder(t, leaderboard.FolderOptions{}, nil), w.folder(t, leaderboard.FolderOptions{}, nil)
	require.NoError(t, old.CatchUp(t.Context()))
	require.NoError(t, next.CatchUpWith(t.Context(), 7))
	w.move(t, 1, 100)
	var stale *lease.StaleError
	require.ErrorAs(t, old.CatchUp(t.Context()), &stale)
	require.EqualValues(t, 7, stale.Gen)
	require.NoError(t, next.CatchUp(t.Context()))
	require.EqualValues(t, 7, w.agrees(t, "a", forever, 1).Gen)
}

func TestAFolderThatLeadsCostsABeat(t *testing.T) {
	inFoldBubble(t, faults.Size(600, 60), func(t *testing.T, w world) {
		meter, waiting := dynamotest.NewMeter().Price(), dynamotest.NewMeter().Price()
		leads := w.fold(t, meter.Wrap)
		before := w.catchesUp(t).Gen
		until(t, "orphans are deleted", func() bool { return w.isTidy(t, "a", forever) })
		waits := w.fold(t, waiting.Wrap)
		time.Sleep(foldLease / 2)
		synctest.Wait() // a beat may be due now
		meter.Take()
		waiting.Take()
		time.Sleep(2 * foldLease)
		synctest.Wait()
		stated := callstest.ReadCosts(t, "..", "leaderboard")
		require.Equal(t, stated.Times(6, "Folder.Run", "to lead, every third of FolderOptions.Lease"), meter.Take())
		require.Equal(t, stated.Times(6, "Folder.Run", "to wait, every third of FolderOptions.Lease"), waiting.Take())

		// The lease is lost. The next folder leads above what is published.
		_, _ = waits.stop(), leads.stop()
		require.NoError(t, w.raw(t).Delete("pk", "R#").Range("sk", "LEADER").Run(t.Context()))
		w.fold(t)
		w.move(t, 1, 30)
		require.Greater(t, w.catchesUp(t).Gen, before)
	})
}
