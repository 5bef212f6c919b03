package follow_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// TestImportResumesAfterAKill kills the process at each of its writes in turn,
// before or after the write is applied, and always after it added counts. A window has more counters than one
// transaction holds.
func TestImportResumesAfterAKill(t *testing.T) {
	t.Parallel()
	edges := friends(8, 140, 190)
	opts := &follow.ImportOptions{Window: 150, Parallel: 2}
	want := follow.ImportResult{Edges: 190, Created: 190, Windows: 2}

	stars := func(n int) *follow.Options { // only a few users have n shards
		return &follow.Options{Consistent: true, Shards: func(followee string) int {
			if followee < "u005" {
				return n
			}
			return 1
		}}
	}

	count := faults.New(t, 0, faults.Rates{})
	_, err := newWorld(t, stars(2), count.Wrap).Import(t.Context(), "old", sequence(edges), opts)
	require.NoError(t, err)
	require.Greater(t, count.Writes(), 25)

	kills := map[string]func(*faults.Injector){
		"after counts": func(in *faults.Injector) {
			in.Script(func(op string, body []byte, _ int) faults.Fault {
				if op == "TransactWriteItems" && bytes.Contains(body, []byte("I#old")) {
					return faults.Fault{Kind: faults.KilledAfter}
				}
				return faults.Fault{}
			})
		},
	}
	for k := 1; k <= count.Writes(); k += faults.Size(1, 15) {
		kills[fmt.Sprint("after ", k)] = func(in *faults.Injector) { in.KillAt(k) }
		if faults.Full() && k%2 == 0 {
			kills[fmt.Sprint("before ", k)] = func(in *faults.Injector) { in.KillBefore(k) }
		}
	}
	for name, kill := range kills {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, 1, faults.Rates{})
			kill(in)
			w := newWorld(t, stars(2), in.Wrap)
			_, err := w.Import(t.Context(), "old", sequence(edges), opts)
			// Which shards must be opened depends on the ids, so there may be fewer writes.
			if in.Count(faults.KilledBefore)+in.Count(faults.KilledAfter) > 0 {
				require.ErrorIs(t, err, faults.ErrKilled)
			} else {
				require.NoError(t, err)
			}

			// The next process has more shards configured.
			result, err := w.process(t, stars(4)).Import(t.Context(), "old", sequence(edges), opts)
			require.NoError(t, err)
			result.Resumed = 0
			require.Equal(t, want, result)
			requireStored(t, w, edges)
		})
	}
}

// repeatUntilDone repeats call until it succeeds, each time in a new process that
// runs under faults and is killed at one of its first writes.
func (w world) repeatUntilDone(t testing.TB, random *rand.Rand, call func(world) error) {
	t.Helper()
	rates := faults.Standard
	rates.Conflict, rates.Unprocessed = 0.05, 0.05
	for range 100 {
		in := faults.New(t, random.Uint64(), rates)
		in.KillAt(1 + random.IntN(faults.Size(50, 20)))
		if call(w.process(t, sharded(1+random.IntN(3)), in.Wrap)) == nil {
			return
		}
	}
	t.Fatal("none of a hundred runs succeeded")
}

func TestImportIsExactUnderFaultsAndKills(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			edges := friends(seed, 120, faults.Size(200, 80))
			opts := &follow.ImportOptions{Window: 20 + random.IntN(200), Parallel: 1 + random.IntN(8)}
			w := newWorld(t, nil)
			existing := edges[:random.IntN(20)]
			for _, e := range existing {
				w.follow(t, e.Follower, e.Followee)
			}
			w.repeatUntilDone(t, random, func(process world) error {
				result, err := process.Import(t.Context(), "old", sequence(edges), opts)
				if err == nil {
					require.EqualValues(t, len(existing), result.Existing)
					require.EqualValues(t, len(edges)-len(existing), result.Created)
				}
				return err
			})
			requireStored(t, w, edges)
		})
	}
}

// TestALateWriteDoesNotMoveAnImportBack delays a write of the first process until
// another process has finished the import.
func TestALateWriteDoesNotMoveAnImportBack(t *testing.T) {
	t.Parallel()
	for name, held := range map[string]int{"placement": 2, "checkpoint": 3} { // the first put began the import
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			edges := friends(10, 20, 60)
			opts := &follow.ImportOptions{Window: 20}
			want := follow.ImportResult{Edges: 60, Created: 60, Windows: 3}
			puts := 0
			slow := w.watched(t, nil, func(op string, _ []byte) {
				if op != "PutItem" {
					return
				}
				if puts++; puts == held {
					result, err := w.Import(t.Context(), "old", sequence(edges), opts)
					require.NoError(t, err)
					require.Equal(t, want, result)
				}
			})
			_, err := slow.Import(t.Context(), "old", sequence(edges[:20]), opts)
			require.NoError(t, err)
			finished := scan(t, w)
			result, err := w.Import(t.Context(), "old", sequence(edges), opts)
			require.NoError(t, err)
			want.Resumed = 3
			require.Equal(t, want, result)
			require.Equal(t, finished, scan(t, w))
			requireStored(t, w, edges)
		})
	}
}

func TestImportReturnsTheErrorThatStoppedIt(t *testing.T) {
	t.Parallel()
	for want, rates := range map[error]faults.Rates{
		plaza.ErrBusy:           {Unprocessed: 0.5, Throttled: 0.5},
		plaza.ErrUnknownOutcome: {LostAfter: 1},
	} {
		in := faults.New(t, 1, rates)
		w := newWorld(t, nil, in.Wrap)
		_, err := w.Import(t.Context(), "old", sequence(friends(9, 20, 60)), nil)
		require.ErrorIs(t, err, want)
	}
}

// TestLateWritesOfAKilledImportChangeNothing resumes an import before the last
// write of its first run arrives.
func TestLateWritesOfAKilledImportChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	edges := friends(11, 20, 60)
	late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "BatchWriteItem" }}
	_, err := w.process(t, nil, late.Wrap).Import(t.Context(), "old", sequence(edges), &follow.ImportOptions{Parallel: 1})
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	_, err = w.process(t, sharded(4)).Import(t.Context(), "old", sequence(edges), nil)
	require.NoError(t, err)
	finished := scan(t, w)
	late.Arrive(t)
	require.Equal(t, finished, scan(t, w))
	requireStored(t, w, edges)
}

// TestRepairEndsAnImportThatIsNotResumed kills an import at each of its writes in
// turn, and repairs or erases its users.
func TestRepairEndsAnImportThatIsNotResumed(t *testing.T) {
	t.Parallel()
	edges := friends(12, 5, 11)
	users := []string{"u000", "u001", "u002", "u003", "u004"}
	for k := 2; ; k += faults.Size(1, 3) { // the first write is the checkpoint's
		in := faults.New(t, uint64(k), faults.Rates{})
		in.KillAt(k)
		w := newWorld(t, sharded(3))
		_, err := w.process(t, sharded(3), in.Wrap).Import(t.Context(), "old", sequence(edges), &follow.ImportOptions{Parallel: 1})
		if err == nil {
			require.Greater(t, k, 8)
			break
		}
		sound := true
		for _, user := range users {
			drift, err := w.Check(t.Context(), user)
			require.NoError(t, err)
			sound = sound && drift == follow.Drift{}
		}
		stand := func() (left []follow.Edge) {
			for _, user := range users {
				left = append(left, all(t, w.Following, user, 100)...)
			}
			return left
		}
		if sound {
			requireStored(t, w, stand())
		}
		for _, e := range edges[:4] {
			_, err := w.Unfollow(t.Context(), e)
			edgetest.OnlyDamage(t, "Unfollow", err)
		}
		for _, user := range users {
			counts, err := w.Counts(t.Context(), user)
			require.NoError(t, err)
			require.GreaterOrEqual(t, min(counts.Followers, counts.Following), int64(0))
		}
		if k%2 == 0 {
			require.NoError(t, w.Erase(t.Context(), users[0]))
		}
		for _, user := range users {
			_, err := w.Repair(t.Context(), user)
			require.NoError(t, err)
		}
		requireSound(t, w, users...)
		left := stand()
		requireStored(t, w, left)
		require.NoError(t, w.Erase(t.Context(), users[0]))
		left = slices.DeleteFunc(left, func(e follow.Edge) bool { return e.Follower == users[0] || e.Followee == users[0] })
		edgetest.RequireErased(t, stored, w.table, edge.Ends{Tail: users[0]}, seeAll(left)...)
	}
}

// TestADamagedStampOrCheckpointStopsAnImport damages what an import resumes by.
func TestADamagedStampOrCheckpointStopsAnImport(t *testing.T) {
	t.Parallel()
	edges := friends(13, 6, 20)
	opts := &follow.ImportOptions{Window: 15}
	guard := edgetest.Key{"E#" + edges[17].Follower, edges[17].Followee} // in the second window
	w := newWorld(t, nil)
	batches := 0
	in := faults.New(t, 0, faults.Rates{})
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "BatchWriteItem" && bytes.Contains(body, []byte("old#2")) {
			batches++
		}
		if op == "TransactWriteItems" && batches > 0 {
			return faults.Fault{Kind: faults.KilledBefore}
		}
		return faults.Fault{}
	})
	_, err := w.process(t, nil, in.Wrap).Import(t.Context(), "old", sequence(edges), opts)
	require.ErrorIs(t, err, faults.ErrKilled)
	var killed []dynamo.Item
	table := dynamotest.DB(t).Table(w.table)
	require.NoError(t, table.Scan().All(t.Context(), &killed))
	for name, c := range map[string]struct {
		key       edgetest.Key
		attribute string
		value     any
	}{
		"a stamp of another type":      {guard, "import", 5},
		"a stamp without a window":     {guard, "import", "old"},
		"a stamp of no window":         {guard, "import", "old#-1"},
		"sums that overflow":           {checkpoint, "created", int64(1<<63 - 1)},
		"sums of too many windows":     {checkpoint, "done", int64(1<<63 - 1)},
		"sums above those of a window": {checkpoint, "existing", 1},
		"sums below those of a window": {checkpoint, "created", 0},
		"a negative sum":               {checkpoint, "ended", -1},
		"a window that is none":        {checkpoint, "window", 0},
	} {
		edgetest.NewHand(t, w.table).Set(c.key, c.attribute, c.value)
		_, err = w.Import(t.Context(), "old", sequence(edges), opts)
		require.ErrorIs(t, err, plaza.ErrCorrupt, name)
		if c.key == guard {
			drift, err := w.Check(t.Context(), guard[0][len("E#"):])
			require.NoError(t, err)
			require.Equal(t, 1, drift.Damaged, name)
		}
		for _, item := range killed {
			require.NoError(t, table.Put(item).Run(t.Context()))
		}
	}

	edgetest.NewHand(t, w.table).Set(guard, "import", 5) // given up
	for i := range 6 {
		_, err = w.Repair(t.Context(), fmt.Sprintf("u%03d", i))
		require.NoError(t, err)
	}
	requireSound(t, w, "u000", "u001", "u002", "u003", "u004", "u005")
	requireStored(t, w, edges)
	result, err := w.Import(t.Context(), "new", sequence(edges), opts)
	require.NoError(t, err)
	require.EqualValues(t, 20, result.Existing)
	requireStored(t, w, edges)
}

var checkpoint = edgetest.Key{"I#old", "checkpoint"}

// The digest is stored, so that an import goes on after an upgrade.
func TestTheDigestOfAnImportStaysTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	edges := []follow.Edge{{Follower: "ann", Followee: "cat", ID: 1 << 60}, {Follower: "a#b", Followee: "dan", ID: 1<<60 + 1}}
	_, err := w.Import(t.Context(), "old", sequence(edges), nil)
	require.NoError(t, err)
	var checkpoint struct {
		Digest uint64 `dynamo:"digest"`
	}
	require.NoError(t, dynamotest.DB(t).Table(w.table).Get("pk", "I#old").Range("sk", dynamo.Equal, "checkpoint").One(t.Context(), &checkpoint))
	require.Equal(t, uint64(0x71a099199cff6e37), checkpoint.Digest)
}
