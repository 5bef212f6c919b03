package leaderboard_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// several is more players than one leaf holds, and few for a test.
const several = 540

// descending returns players "p 0001" and so on of rank 1 to n.
func descending(n int) []place {
	places := make([]place, n)
	for i := range places {
		places[i] = place{fmt.Sprintf("p %04d", i+1), int64(n - i), 0, 0}
	}
	return places
}

// newFoldedBoard returns a world with the board "b" of several players, published.
func newFoldedBoard(t testing.TB) world {
	t.Helper()
	w := newOwn(t, leaderboard.Table)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set, Ranking: leaderboard.RankByFold})
	w.play(t, "b", "last -1")
	w.load(t, "b", descending(several))
	w = w.followed(t)
	w.publish(t)
	return w
}

func TestRanksAreCountedWhereThePublicationIsDamaged(t *testing.T) {
	t.Parallel()
	w := newFoldedBoard(t)
	told := new(reports)
	reader := w.process(t, &leaderboard.Options{OnCorrupt: told.hook})
	for name, c := range faults.Sample(15, map[string]struct {
		sk      string
		with    dynamo.Item // nil deletes the item
		reports int         // of one call
		lost    bool
	}{
		"a root that is no root":          {"ROOT", dynamo.Item{"data": bytesOf(1, 2, 3)}, 1, true},
		"a root of another format":        {"ROOT", dynamo.Item{"data": bytesOf(99)}, 1, true},
		"a root that is text":             {"ROOT", dynamo.Item{"data": textOf("x")}, 1, true},
		"a root without data":             {"ROOT", dynamo.Item{"data": nil}, 1, true},
		"a root without a time":           {"ROOT", dynamo.Item{"asOf": nil}, 1, true},
		"a root of no lease":              {"ROOT", dynamo.Item{"gen": textOf("x")}, 1, true},
		"a root of no fold":               {"ROOT", dynamo.Item{"fold": nil}, 1, true},
		"a root of another fold":          {"ROOT", dynamo.Item{"fold": numberOf("1")}, 0, false},
		"a root that is large, with data": {"ROOT", dynamo.Item{"large": &types.AttributeValueMemberBOOL{Value: true}}, 1, true},
		"a root that is large":            {"ROOT", dynamo.Item{"large": &types.AttributeValueMemberBOOL{Value: true}, "data": nil}, 0, false},
		"no root":                         {"ROOT", nil, 0, false},
		"a block that is none":            {"S", dynamo.Item{"data": bytesOf(1, 2, 3)}, 1, true},
		"a block without data":            {"S", dynamo.Item{"data": nil}, 1, true},
		"another root's block":            {"S", dynamo.Item{"data": bytesOf(append([]byte{1}, "\x00\x01a\x01\x01b\x01\x01c"...)...)}, 1, true},
		"no block":                        {"S", nil, 1, true},
	}, "a root of no lease") {
		pk := "R#b#" + forever
		var whole []dynamo.Item
		require.NoError(t, w.raw(t).Get("pk", pk).All(t.Context(), &whole))
		sk := c.sk
		for _, item := range whole {
			if key := store.KeyOf(item).SK; c.sk == "S" && strings.HasPrefix(key, "S#") {
				sk = key
			}
		}
		if c.with == nil {
			require.NoError(t, w.raw(t).Delete("pk", pk).Range("sk", sk).Run(t.Context()))
		} else {
			w.damage(t, pk, sk, c.with)
		}
		for range 2 {
			reader.ForgetPublished()
			told.take()
			rank, err := reader.Rank(t.Context(), in("b"), "p 0500")
			require.NoError(t, err, name)
			require.Equal(t, leaderboard.Position{Ordinal: 500, Rank: 500, AsOf: w.Now()}, rank, name)
			require.Equal(t, c.reports, len(told.take()), name)
		}
		rows, err := reader.Range(t.Context(), in("b"), 500, 2)
		require.NoError(t, err, name)
		require.Equal(t, []string{"500/500 p 0500 41", "501/501 p 0501 40"}, texts(rows), name)

		drift, err := reader.Repair(t.Context(), in("b"))
		require.NoError(t, err, name)
		require.Equal(t, c.lost, drift.Misfolded > 0, name)
		if !c.lost { // the folder does not know
			for _, item := range whole {
				require.NoError(t, w.raw(t).Put(item).Run(t.Context()))
			}
			continue
		}
		w.publish(t)
		reader.ForgetPublished()
		require.Equal(t, leaderboard.Position{Ordinal: 500, Rank: 500}, w.rank(t, in("b"), "p 0500"), name)
		drift, err = reader.Check(t.Context(), in("b"))
		require.NoError(t, err, name)
		require.Zero(t, drift, name)
	}
}

// The index holds other entries than the folder knows of, in one leaf.
func TestRepairCountsAPeriodAgain(t *testing.T) {
	t.Parallel()
	w := newFoldedBoard(t)
	changes(t, w.Hide, "p 0520", true)
	w.publish(t)
	require.Greater(t, len(w.agrees(t, "b", forever, 1).leaves), 1)
	w.folds = w.folder(t, leaderboard.FolderOptions{}, nil) // of which this process does not wait to catch up
	for _, p := range descending(10) {
		require.NoError(t, w.raw(t).Delete("pk", "P#"+p.player).Range("sk", "LB#b#"+forever).Run(t.Context()))
	}
	drift, err := w.Check(t.Context(), in("b"))
	require.NoError(t, err)
	require.Equal(t, leaderboard.Drift{Misfolded: 10}, drift)
	drift, err = w.Repair(t.Context(), in("b"))
	require.NoError(t, err)
	require.Equal(t, leaderboard.Drift{Misfolded: 10}, drift)
	require.NoError(t, w.folds.CatchUpWith(t.Context(), 2))
	w.isWhole(t, in("b"))
	w.ForgetPublished()
	require.EqualValues(t, 490, w.rank(t, in("b"), "p 0500").Ordinal)
}

// What is written and published after the index was read is not compared with it.
func TestCheckComparesWhatDidNotChange(t *testing.T) {
	t.Parallel()
	w := newFoldedBoard(t)
	sent := faults.New(t, 1, faults.Rates{})
	checks, roots := w.process(t, nil, sent.Wrap), 0
	sent.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "GetItem" && strings.Contains(string(body), "ROOT") {
			if roots++; roots == 2 {
				w.play(t, "b", "ann 1000", "bob 999")
				w.publish(t)
			}
		}
		return faults.Fault{}
	})
	drift, err := checks.Check(t.Context(), in("b"))
	require.NoError(t, err)
	require.Equal(t, 2, roots)
	require.Zero(t, drift.Misfolded)
}

// Without a folder a rank is as of the last publication, but for the player's own leaf.
func TestADeadFolderLeavesRanksAsOfATime(t *testing.T) {
	t.Parallel()
	w := newFoldedBoard(t)
	before, err := w.Rank(t.Context(), in("b"), "p 0530")
	require.NoError(t, err)
	require.EqualValues(t, 530, before.Ordinal)
	w.many(t, "b", 5)                                            // at the end
	w.play(t, "b", "ann 1000", "bob 1000", "cat 1000", "zed 12") // one of them in the leaf of p 0530
	w.ForgetPublished()
	after, err := w.Rank(t.Context(), in("b"), "p 0530")
	require.NoError(t, err)
	require.Equal(t, leaderboard.Position{Ordinal: 531, Rank: 531, AsOf: before.AsOf, Folded: true}, after)
	top := all(t, 100, w.top(in("b")))
	require.Equal(t, "cat", top[2].Player, "lists are as of now")
	n, err := w.Count(t.Context(), in("b"))
	require.NoError(t, err)
	require.EqualValues(t, several+1, n)

	w.folds = w.folder(t, leaderboard.FolderOptions{}, nil) // another takes over
	require.NoError(t, w.folds.CatchUpWith(t.Context(), 2))
	w.ForgetPublished()
	after, err = w.Rank(t.Context(), in("b"), "p 0530")
	require.NoError(t, err)
	require.True(t, after.AsOf.After(before.AsOf))
	require.Equal(t, leaderboard.Position{Ordinal: 534, Rank: 534}, timeless(after))
}

// Between two leaves there were fewer players than have come into the first since.
func TestALeafThatGrewMakesNoNegativeCount(t *testing.T) {
	t.Parallel()
	w := newFoldedBoard(t)
	end := several - w.agrees(t, "b", forever, 1).leaves[1].Above // the best score of the second leaf
	places := descending(several + 100)[several:]
	for i := range places {
		places[i].score = end + 10
	}
	w.load(t, "b", places)
	n, err := w.CountBetween(t.Context(), in("b"), leaderboard.Int(end-5), leaderboard.Int(end+5))
	require.NoError(t, err)
	require.Zero(t, n)
}

func TestRootsAreReadOnceASecond(t *testing.T) {
	t.Parallel()
	w := newFoldedBoard(t)
	sent := faults.New(t, 1, faults.Rates{})
	var roots, blocks atomic.Int64
	sent.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "GetItem" && strings.Contains(string(body), "ROOT") {
			roots.Add(1)
		}
		if op == "GetItem" && strings.Contains(string(body), "S#0") {
			blocks.Add(1)
		}
		return faults.Fault{}
	})
	reader := w.process(t, nil, sent.Wrap)
	for _, c := range []struct{ roots, blocks int64 }{{1, 1}, {1, 0}, {1, 0}} {
		roots.Store(0)
		blocks.Store(0)
		var group sync.WaitGroup
		for i := range faults.Size(20, 6) {
			group.Go(func() {
				rank, err := reader.Rank(t.Context(), in("b"), fmt.Sprintf("p %04d", 25*i+1))
				require.NoError(t, err)
				require.EqualValues(t, 25*i+1, rank.Ordinal)
			})
		}
		group.Wait()
		require.LessOrEqual(t, roots.Load(), c.roots+2, "concurrent reads are one; a late one may begin another")
		require.GreaterOrEqual(t, roots.Load(), c.roots)
		require.LessOrEqual(t, blocks.Load(), 3*c.blocks)
		roots.Store(0)
		_, err := reader.Rank(t.Context(), in("b"), "last")
		require.NoError(t, err)
		require.Zero(t, roots.Load())
		w.set(w.Now().Add(time.Second))
	}
	w.set(noon) // the clock is set back
	_, err := reader.Rank(t.Context(), in("b"), "last")
	require.NoError(t, err)
	require.Positive(t, roots.Load())
}

// A reader knows a root whose block is gone.
func TestABlockThatIsGoneIsLookedUpInALaterRoot(t *testing.T) {
	t.Parallel()
	w := newFoldedBoard(t)
	told := new(reports)
	reader := w.process(t, &leaderboard.Options{OnCorrupt: told.hook})
	_, err := reader.Count(t.Context(), in("b")) // reads the root alone
	require.NoError(t, err)
	old := w.published(t, "b", forever).Blocks()
	worst := make([]place, 300) // which divide the last leaf
	for i := range worst {
		worst[i] = place{fmt.Sprint("q ", i), int64(-10 - i), 0, 0}
	}
	w.load(t, "b", worst)
	w.publish(t)
	now := w.published(t, "b", forever).Blocks()
	require.NotEqual(t, old, now)
	sk := fmt.Sprintf("S#%020d#%020d", old[0].Gen, old[0].N)
	require.NoError(t, w.raw(t).Delete("pk", "R#b#"+forever).Range("sk", sk).Run(t.Context()))
	rank, err := reader.Rank(t.Context(), in("b"), "q 299")
	require.NoError(t, err)
	require.True(t, rank.Folded)
	require.EqualValues(t, several+1+len(worst), rank.Ordinal)
	require.Zero(t, len(told.take()))
}
