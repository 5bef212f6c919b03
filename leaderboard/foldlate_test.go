package leaderboard_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/lease"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// A folder died when the board was almost empty: all that came since is in one leaf.
func TestALeafThatGrewTakesNoMemory(t *testing.T) {
	t.Parallel()
	w := newFoldedWorld(t)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set})
	w.play(t, "b", "last -1")
	w.publish(t)
	places := make([]place, 2010)
	for i := range places {
		places[i] = place{fmt.Sprintf("p %04d", i), int64(len(places) - i/3), 0, 0}
	}
	w.load(t, "b", places)
	sent := faults.New(t, 1, faults.Rates{})
	var counts atomic.Int64
	sent.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "Query" && bytes.Contains(body, []byte(`"COUNT"`)) {
			counts.Add(1)
		}
		return faults.Fault{}
	})
	reader := w.process(t, nil, sent.Wrap)
	for _, c := range []struct {
		place  int
		counts int64
	}{{0, 0}, {1999, 0}, {2000, 1}, {2002, 2}} {
		counts.Store(0)
		rank, err := reader.Rank(t.Context(), in("b"), places[c.place].player)
		require.NoError(t, err)
		require.True(t, rank.Folded)
		require.Equal(t, leaderboard.Position{Ordinal: int64(c.place) + 1, Rank: int64(c.place/3*3) + 1}, timeless(rank))
		require.Equal(t, c.counts, counts.Load(), "%d", c.place)
	}
}

// partition is all that is stored of what is published of a period.
func (w world) partition(t testing.TB, pk string) (items []dynamo.Item) {
	t.Helper()
	require.NoError(t, w.raw(t).Get("pk", pk).Consistent(true).All(t.Context(), &items))
	return items
}

// Somebody deleted the lease: the next one has the same number.
func TestALeaseThatIsGivenAgainDoesNotChangeBlocks(t *testing.T) {
	t.Parallel()
	w := newOwn(t, leaderboard.Table)
	w.define(t, leaderboard.Board{Name: "a", Ranking: leaderboard.RankByFold})
	w.submit(t, score("a", "ann", 1, 1))
	w.move(t, 0, 600)
	w.stream(t)
	old := w.folder(t, leaderboard.FolderOptions{}, nil)
	require.NoError(t, old.CatchUp(t.Context()))
	w.move(t, 1, 100)
	require.NoError(t, old.CatchUp(t.Context()))
	before := w.partition(t, foldedPK)
	w.move(t, 5, 100)
	var stale *lease.StaleError
	require.ErrorAs(t, w.folder(t, leaderboard.FolderOptions{}, nil).CatchUp(t.Context()), &stale)
	require.EqualValues(t, 1, stale.Gen)
	require.Equal(t, before, w.partition(t, foldedPK))
}

// The next folder stores blocks before its first root.
func TestAnOldFolderDeletesNoBlocksOfTheNext(t *testing.T) {
	t.Parallel()
	w := newFolded(t, nil)
	b := leaderboard.Board{Name: "a", Operator: leaderboard.Set, Ranking: leaderboard.RankByFold}
	w.define(t, b)
	w.submit(t, score("a", "ann", 1, 1))
	f := w.folder(t, leaderboard.FolderOptions{}, nil)
	catchUp(t, f)
	for gen := range 3 {
		require.NoError(t, w.raw(t).Put(row{PK: foldedPK, SK: fmt.Sprintf("S#%020d#%020d", gen, 1)}).Run(t.Context()))
	}
	b.Ranking = leaderboard.RankByCount
	w.define(t, b)
	catchUp(t, f)
	left := w.partition(t, foldedPK)
	require.Len(t, left, 1)
	require.Equal(t, fmt.Sprintf("S#%020d#%020d", 2, 1), store.KeyOf(left[0]).SK)
}

func TestPeriodsThatAreLoadedOftenLeaveNoBlocks(t *testing.T) {
	t.Parallel()
	w := newOwn(t, leaderboard.Table)
	w.define(t, foldedBoards[0])
	w.submit(t, score("a", "ann", 1, 1))
	w.move(t, 0, 520)
	w.stream(t)
	f := w.folder(t, leaderboard.FolderOptions{Now: w.Now}, nil)
	catchUp(t, f)
	for i := range 4 {
		w.set(w.Now().Add(40 * time.Minute))
		w.orderRepair(t, "a", w.id())
		catchUp(t, f)
		require.NoError(t, f.Round(t.Context()))
		require.LessOrEqual(t, w.count(t, foldedPK), 1+1+2, "the root, its block, and those of the last hour: %d", i)
	}
}

// While many periods change, the stream is read in between.
func TestTheStreamDoesNotWaitForManyPeriods(t *testing.T) {
	t.Parallel()
	w := newFolded(t, nil)
	w.define(t, foldedBoards[0])
	var periods, entries []any
	for i := range 70 {
		name := noon.AddDate(0, 0, i).Format("20060102T150405Z")
		periods = append(periods, map[string]any{"pk": "B#a", "sk": "T#" + name, "shards": 1})
		entries = append(entries, row{PK: "P#ann", SK: "LB#a#" + name, Part: "a#" + name + "#0", Key: []byte(strings.Repeat("k", 24) + "ann")})
	}
	w.put(t, periods...)
	sent := faults.New(t, 1, faults.Rates{})
	var roots atomic.Int64
	sent.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "PutItem" {
			roots.Add(1)
		}
		return faults.Fault{}
	})
	f := w.folder(t, leaderboard.FolderOptions{}, nil, sent.Wrap)
	catchUp(t, f)
	w.put(t, entries...)
	for most := int64(0); most == 0; most = roots.Load() {
		roots.Store(0)
		require.NoError(t, f.Round(t.Context()))
		require.LessOrEqual(t, roots.Load(), int64(64))
	}
	catchUp(t, f)
	require.Equal(t, 70, f.Status().Entries)
}
