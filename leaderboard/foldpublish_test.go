package leaderboard_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// later is the machine's clock, ahead by what a test adds.
type later struct{ ahead atomic.Int64 }

func (l *later) Now() time.Time { return time.Now().Add(time.Duration(l.ahead.Load())) }

func (l *later) add(d time.Duration) { l.ahead.Add(int64(d)) }

// isTidy reports whether nothing is stored of a period but its root and the root's blocks.
func (w world) isTidy(t testing.TB, board, period string) bool {
	t.Helper()
	return w.count(t, keys.Join("R", board, period)) == 1+len(w.published(t, board, period).Blocks())
}

func TestReplacedBlocksAreDeletedAfterAnHour(t *testing.T) {
	t.Parallel()
	w := newOwn(t, leaderboard.Table)
	w.define(t, foldedBoards[0])
	w.submit(t, score("a", "ann", 1, 1))
	w.fill(t, "a", 0, 520, "")
	w.stream(t)
	var now later
	opts := leaderboard.FolderOptions{Now: now.Now}
	f := w.folder(t, opts, nil)
	const pk = "R#a#" + forever
	require.NoError(t, f.CatchUp(t.Context()))
	require.Equal(t, 2, w.count(t, pk))
	grow := func(f *leaderboard.Folder, from, to int) {
		t.Helper()
		w.fill(t, "a", from, to, "")
		require.NoError(t, f.CatchUp(t.Context()))
		w.agrees(t, "a", forever, 1)
	}
	grow(f, 520, 820)
	require.Equal(t, 3, w.count(t, pk), "readers may have the first root")
	now.add(59 * time.Minute)
	grow(f, 820, 821)
	require.Equal(t, 3, w.count(t, pk))
	now.add(time.Minute)
	grow(f, 821, 822)
	require.True(t, w.isTidy(t, "a", forever))

	// The next folder deletes those of the last root an hour later, and what was left
	// from before that root at once.
	require.NoError(t, w.raw(t).Put(row{PK: pk, SK: fmt.Sprintf("S#%020d#%020d", 1, 99)}).Run(t.Context()))
	require.NoError(t, w.raw(t).Put(row{PK: pk, SK: fmt.Sprintf("S#%020d#%020d", 0, 7)}).Run(t.Context()))
	next := w.folder(t, opts, nil)
	require.NoError(t, next.CatchUpWith(t.Context(), 2))
	require.Equal(t, 4, w.count(t, pk), "the root, its block and two of lease 1")
	now.add(59 * time.Minute)
	grow(next, 822, 823)
	require.Equal(t, 4, w.count(t, pk))
	now.add(time.Minute)
	grow(next, 823, 824)
	require.True(t, w.isTidy(t, "a", forever))
}

// A folder dies before its first write or after any of them, and another one takes over.
func TestAFolderThatDiesLeavesWhatTheNextOneCompletes(t *testing.T) {
	t.Parallel()
	const writes = 13
	for k := faults.Size(0, 8); k <= writes+1; k += faults.Size(1, writes) { // sometimes it publishes once more
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			t.Parallel()
			w := newOwn(t, leaderboard.Table)
			var now later
			in := faults.New(t, 1, faults.Rates{})
			if in.KillBefore(1); k > 0 {
				in.KillAt(k)
			}
			if died := w.dies(t, &now, in); k <= writes {
				require.True(t, died, "%d writes", in.Writes())
			}

			next := w.folder(t, leaderboard.FolderOptions{Now: now.Now}, nil)
			require.NoError(t, next.CatchUpWith(t.Context(), 2))
			w.foldedExactly(t, next)
			w.submit(t, score("a", "eve", 5, 5))
			now.add(time.Hour)
			require.NoError(t, next.CatchUp(t.Context()))
			w.foldedExactly(t, next)
			for _, b := range foldedBoards[:3] {
				require.True(t, w.isTidy(t, b.Name, forever))
			}
		})
	}
}

// dies lets a folder make writes of every kind, and reports whether it was killed.
func (w world) dies(t *testing.T, now *later, in *faults.Injector) (killed bool) {
	t.Helper()
	w.defineFolded(t)
	for _, b := range foldedBoards[:3] {
		w.submit(t, score(b.Name, "ann", 1, 1))
	}
	w.fill(t, "a", 0, 520, "")
	w.stream(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	f := w.folder(t, leaderboard.FolderOptions{Now: now.Now, MaxEntries: 1000, OnAttempt: func(a leaderboard.FolderAttempt) {
		if errors.Is(a.Err, faults.ErrKilled) {
			stop()
		}
	}}, nil, in.Wrap)
	catchUp := func() {
		if err := f.CatchUp(ctx); err != nil {
			require.ErrorIs(t, err, context.Canceled)
			killed = true
		}
	}
	catchUp() // 4: a block and three roots
	w.fill(t, "a", 520, 820, "")
	catchUp() // 2
	w.orderRepair(t, "a", 1)
	catchUp() // 3: and the order
	now.add(time.Hour)
	counted := foldedBoards[1]
	counted.Ranking = leaderboard.RankByCount
	w.define(t, counted)
	catchUp() // 2: a root, and old blocks
	w.define(t, foldedBoards[1])
	w.fill(t, foldedBoards[1].Name, 0, 250, "")
	catchUp() // 2: one root is too large
	w.submit(t, score("a", "dan", 4, 4))
	return killed
}

func TestAFolderCostsNoMoreThanStated(t *testing.T) {
	t.Parallel()
	w := newOwn(t, leaderboard.Table)
	w.define(t, foldedBoards[0])
	w.submit(t, score("a", "ann", 1, 1))
	const n = 520
	w.fill(t, "a", 0, n, page)
	w.stream(t)
	meter := dynamotest.NewMeter()
	f := w.folder(t, leaderboard.FolderOptions{}, nil, meter.Wrap)
	catchUp := func() { require.NoError(t, f.CatchUp(t.Context())) }

	index := float64(n) * (2*11 + 2*20 + 4000 + 40) / 8192
	stated := callstest.ReadCosts(t, "..", "leaderboard")
	want := stated.Of("Folder.Run", "at its start, the definitions", "at its start, each board", "at its start, each period").
		Plus(stated.Times(3, "Folder.Run", "at its start, each MB of the index")).
		Plus(stated.Of("Folder.Run", "to publish a root of 1 KB", "to publish blocks of 1 KB"))
	got := meter.AtMost(t, "a load", want, catchUp)
	require.Greater(t, got.Read, index*0.9, "the index is what costs")

	w.submit(t, score("a", "bob", 2, 2))
	meter.AtMost(t, "a change that leaves the separators", stated.Times(2, "Folder.Run", "to publish a root of 1 KB"), catchUp)
	w.fill(t, "a", n, 800, "")
	written := time.Now()
	meter.AtMost(t, "leaves that split", dynamotest.Cost{Requests: 8, Write: 9}, catchUp)
	catchUp()
	require.True(t, w.published(t, "a", forever).AsOf.After(written), "it was published again, as of a time after the write")
	meter.AtMost(t, "nothing new", dynamotest.Cost{}, catchUp)
}
