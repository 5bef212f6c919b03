package leaderboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// like is a guarded increment of an object, by an Op of its own.
func (w world) like(object string) leaderboard.Submission {
	return leaderboard.Submission{
		Board: "b", Player: object, Score: leaderboard.Int(1),
		Operator: leaderboard.Increment, Retractable: true, Op: w.id(),
	}
}

func (w world) retract(t tester, s leaderboard.Submission) (changed bool) {
	t.Helper()
	changed, err := w.Retract(t.Context(), s)
	require.NoError(t, err)
	return changed
}

var likes = leaderboard.Board{Name: "b", Operator: leaderboard.Increment}

func TestAGuardedOperationCountsOnceAndIsUndoneOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, likes)
	first, second := w.like("song"), w.like("song")
	require.Equal(t, leaderboard.Result{Op: first.Op, Period: forever, New: leaderboard.Int(1), Improved: true}, w.submit(t, first))
	want := leaderboard.Result{Op: second.Op, Period: forever, Old: leaderboard.Int(1), New: leaderboard.Int(2), Existed: true, Improved: true}
	require.Equal(t, want, w.submit(t, second))
	var more []leaderboard.Submission
	for range 20 { // more than an entry remembers
		more = append(more, w.like("song"))
	}
	w.submitMany(t, more)
	require.Equal(t, want, w.repeat(t, second))
	require.Equal(t, []string{"song 22"}, w.standings(t, "b", forever, 1))

	require.True(t, w.retract(t, second))
	require.False(t, w.retract(t, second))
	w.refuses(t, second, plaza.ErrRemoved)
	require.Equal(t, []string{"song 21"}, w.standings(t, "b", forever, 1))

	late := w.like("song")
	require.False(t, w.retract(t, late), "before it came")
	require.False(t, w.retract(t, late))
	w.refuses(t, late, plaza.ErrRemoved)
	require.Equal(t, []string{"song 21"}, w.standings(t, "b", forever, 1))
}

// TestRetractTakesBackOnlyWhatTheEntryHas lets an entry end and begin again between a
// like and its undo.
func TestRetractTakesBackOnlyWhatTheEntryHas(t *testing.T) {
	t.Parallel()
	begins := map[string]func(*testing.T, world){
		"not at all":    func(*testing.T, world) {},
		"by a like":     func(t *testing.T, w world) { w.submit(t, w.like("song")) },
		"without guard": func(t *testing.T, w world) { w.submit(t, score("b", "song", 1, 0)) },
		"by both": func(t *testing.T, w world) {
			w.submit(t, score("b", "song", 1, 0))
			require.True(t, w.retract(t, w.liked(t, "song")))
		},
	}
	for end, ends := range ends {
		for begin, begins := range faults.Sample(2, begins) {
			t.Run(end+", begun "+begin, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				w.define(t, likes)
				a, b, late := w.liked(t, "song"), w.liked(t, "song"), w.like("song")
				ends(t, w, "song")
				begins(t, w)
				stands := w.standings(t, "b", forever, 1)
				for range 2 {
					require.False(t, w.retract(t, a))
					for _, s := range []leaderboard.Submission{a, b, late} {
						w.refuses(t, s, plaza.ErrRemoved)
					}
					require.False(t, w.retract(t, late))
					require.Equal(t, stands, w.standings(t, "b", forever, 1))
				}
				if begin != "not at all" {
					require.Equal(t, []string{"song 1"}, stands)
				}
				w.isWhole(t, in("b"))
			})
		}
	}
}

// TestALikeOfAForgottenEntryIsNotApplied lets the mark of an erased entry expire.
func TestALikeOfAForgottenEntryIsNotApplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, likes)
	s := w.liked(t, "song")
	require.NoError(t, w.raw(t).Delete("pk", "P#song").Range("sk", "LB#b#"+forever).Run(t.Context()))
	for range 2 {
		w.refuses(t, s, plaza.ErrRemoved)
		w.liked(t, "song") // which begins it again
	}
	require.False(t, w.retract(t, s))
	require.Equal(t, []string{"song 2"}, w.standings(t, "b", forever, 1))
}

// liked is a like that was submitted.
func (w world) liked(t tester, object string) leaderboard.Submission {
	t.Helper()
	s := w.like(object)
	w.submit(t, s)
	return s
}

// TestAnEndedPeriodStands closes a period between likes and what comes late.
func TestAnEndedPeriodStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	weekly := likes
	weekly.Cron, weekly.Grace = "@weekly", time.Hour
	w.define(t, weekly)
	kept, undone, unknown := w.liked(t, "song"), w.liked(t, "song"), w.like("song")
	require.True(t, w.retract(t, undone))
	first := w.repeat(t, kept)
	guard := w.guards(t)[kept.Op]
	end := march(15, 0)
	require.Equal(t, end.Add(time.Hour+30*24*time.Hour).Unix(), guard.TTL)

	w.set(end.Add(time.Hour - time.Second)) // in its grace
	require.False(t, w.retract(t, undone))
	require.Equal(t, first, w.repeat(t, kept))
	w.set(end.Add(time.Hour))
	require.Equal(t, first, w.repeat(t, kept))
	require.False(t, w.retract(t, undone), "it was before")
	w.refuses(t, undone, leaderboard.ErrRetracted)
	for _, s := range []leaderboard.Submission{kept, unknown} {
		_, err := w.Retract(t.Context(), s)
		require.ErrorIs(t, err, leaderboard.ErrClosed)
	}
	w.refuses(t, unknown, leaderboard.ErrClosed)
	other := kept
	other.Score = leaderboard.Int(2)
	w.refuses(t, other, plaza.ErrConflict)
	_, err := w.Retract(t.Context(), other)
	require.ErrorIs(t, err, plaza.ErrConflict)
	require.Equal(t, []string{"song 1"}, w.standings(t, "b", first.Period, 1))
}

// storedGuard is a guard's item.
type storedGuard struct {
	PK     string `dynamo:"pk"`
	SK     string `dynamo:"sk"`
	Undone bool   `dynamo:"undone"`
	TTL    int64  `dynamo:"ttl"`
}

// guards are all guards of the table, by operation.
func (w world) guards(t testing.TB) map[ids.ID]storedGuard {
	t.Helper()
	var items []storedGuard
	require.NoError(t, w.raw(t).Scan().Filter("begins_with('pk', ?)", "G#").Consistent(true).All(t.Context(), &items))
	guards := map[ids.ID]storedGuard{}
	for _, g := range items {
		op, err := ids.Parse(strings.Split(g.PK, "#")[1])
		require.NoError(t, err)
		guards[op] = g
	}
	require.Len(t, guards, len(items))
	return guards
}

// TestAnOperationOlderThanItsGuardIsRefused where the period does not end.
func TestAnOperationOlderThanItsGuardIsRefused(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	w.define(t, likes)
	s, unknown := w.liked(t, "song"), w.like("song")
	const month = 30 * 24 * time.Hour
	require.Greater(t, w.guards(t)[s.Op].TTL, noon.Add(month+time.Minute).Unix(), "clocks may differ")

	w.set(noon.Add(month - time.Second))
	w.repeat(t, s)
	w.set(noon.Add(month))
	w.liked(t, "song") // the board is known
	cost := meter.AtMost(t, "late", dynamotest.Cost{}, func() {
		for _, s := range []leaderboard.Submission{s, unknown} {
			w.refuses(t, s, leaderboard.ErrOpTooOld)
			_, err := w.Retract(t.Context(), s)
			require.ErrorIs(t, err, leaderboard.ErrOpTooOld)
		}
	})
	require.Zero(t, cost.Requests)
	require.Equal(t, []string{"song 2"}, w.standings(t, "b", forever, 1))
}

func TestAnotherSubmissionUnderAGuardedOpIsAConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, likes)
	done, undone := w.liked(t, "song"), w.like("song")
	require.False(t, w.retract(t, undone))
	for _, s := range []leaderboard.Submission{done, undone} {
		s.Score = leaderboard.Int(5)
		w.refuses(t, s, plaza.ErrConflict)
		_, err := w.Retract(t.Context(), s)
		require.ErrorIs(t, err, plaza.ErrConflict)
	}
	elsewhere := done // one Op may add to many entries
	elsewhere.Player = "album"
	require.False(t, w.submit(t, elsewhere).Existed)
	require.ElementsMatch(t, []string{"song 1", "album 1"}, w.standings(t, "b", forever, 1))
}

func TestGuardIsForAdditionsWithoutFloor(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	floor := likes
	floor.Name, floor.Floor = "floor", ptr(leaderboard.Int(0))
	w.define(t, floor)
	w.define(t, every("b"))
	like := w.like("song")
	meter.AtMost(t, "refused at once", dynamotest.Cost{}, func() {
		for _, o := range []leaderboard.Operator{leaderboard.Best, leaderboard.Set} {
			_, _, err := w.Submit(t.Context(), with(like, o))
			requireInvalid(t, "Retractable", err)
		}
		versioned := like
		versioned.Version = 1
		w.refuses(t, versioned, plaza.ErrInvalid)
		none := like
		none.Op = 0
		_, err := w.Retract(t.Context(), none)
		requireInvalid(t, "Op", err)
	})
	for field, s := range map[string]leaderboard.Submission{"b": with(like, ""), "floor": like} {
		s.Board = field
		_, _, err := w.Submit(t.Context(), s)
		requireInvalid(t, "Retractable", err)
		_, err = w.Retract(t.Context(), s)
		requireInvalid(t, "Retractable", err)
	}
}

// TestABoundRefusesOneOperationOfManyAndNoRepeat fills a board to its Max.
func TestABoundRefusesOneOperationOfManyAndNoRepeat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	bounded := likes
	bounded.Max = ptr(leaderboard.Int(10))
	w.define(t, bounded)
	sent := make([]leaderboard.Submission, 20)
	for i := range sent {
		sent[i] = w.like("song")
	}
	var applied []leaderboard.Submission
	for range 2 {
		applied = nil
		results, err := w.SubmitMany(t.Context(), sent)
		require.ErrorIs(t, err, plaza.ErrInvalid)
		for i, o := range results {
			if o.Err == nil {
				applied = append(applied, sent[i])
			} else {
				require.ErrorIs(t, o.Err, plaza.ErrInvalid)
			}
		}
		require.Len(t, applied, 10)
		require.Equal(t, []string{"song 10"}, w.standings(t, "b", forever, 1))
	}
	require.True(t, w.retract(t, applied[0]))
	w.liked(t, "song")
	require.False(t, w.retract(t, applied[0]))
	w.repeat(t, applied[1])
}

// TestTheNewestOperationNames an entry, whatever comes after it.
func TestTheNewestOperationNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, likes)
	var sent []leaderboard.Submission
	for i := range 3 {
		s := w.like("song")
		s.Name, s.Meta, s.Sub = fmt.Sprint("name ", i), fmt.Appendf(nil, `%d`, i), int64(i)
		sent = append(sent, s)
	}
	for _, i := range []int{1, 2, 0} {
		w.submit(t, sent[i])
	}
	nameless := sent[1]
	nameless.Name, nameless.Meta, nameless.Sub = "another", nil, 0
	require.True(t, w.retract(t, nameless))
	page, err := w.Top(t.Context(), in("b"), page1)
	require.NoError(t, err)
	page.Items[0].AsOf = time.Time{}
	require.Equal(t, leaderboard.Standing{
		Position: leaderboard.Position{Ordinal: 1, Rank: 1}, Player: "song",
		Name: "name 2", Meta: []byte(`2`), Sub: 2, Score: leaderboard.Int(2), At: sent[2].Op.Time(),
	}, page.Items[0])
}

// TestGuardsAndTheRestOfTheBoard lets other calls meet guards.
func TestGuardsAndTheRestOfTheBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, every("b"))
	a, b := w.liked(t, "song"), w.liked(t, "song")
	changes(t, w.Hide, "song", true)
	w.liked(t, "song")
	require.True(t, w.retract(t, a))
	require.Empty(t, w.standings(t, "b", forever, 1), "it stays hidden")
	changes(t, w.Unhide, "song", true)
	require.Equal(t, []string{"song 2"}, w.standings(t, "b", forever, 1))

	w.submit(t, with(score("b", "song", 10, 0), leaderboard.Set))
	up := with(score("b", "song", 1, 0), leaderboard.Increment)
	up.Op = w.id()
	w.submit(t, up)
	require.True(t, w.retract(t, b))
	w.repeat(t, up)
	require.Equal(t, []string{"song 10"}, w.standings(t, "b", forever, 1))

	down := with(w.like("song"), leaderboard.Decrement)
	w.submit(t, down)
	require.Equal(t, []string{"song 9"}, w.standings(t, "b", forever, 1))
	require.True(t, w.retract(t, down))
	require.Equal(t, []string{"song 10"}, w.standings(t, "b", forever, 1))

	before := w.guards(t)
	for _, call := range []func(context.Context, leaderboard.In) (leaderboard.Drift, error){w.Check, w.Repair} {
		drift, err := call(t.Context(), in("b"))
		require.NoError(t, err)
		require.Zero(t, drift)
	}
	require.NoError(t, w.Erase(t.Context(), "song"))
	require.Equal(t, before, w.guards(t))
	for op := range before {
		text, err := json.Marshal(w.rawItem(t, before[op].PK, "G"))
		require.NoError(t, err)
		require.NotContains(t, string(text), "song")
	}
}

// rawItem is one item of the table.
func (w world) rawItem(t testing.TB, pk, sk string) dynamo.Item {
	t.Helper()
	var item dynamo.Item
	require.NoError(t, w.raw(t).Get("pk", pk).Range("sk", dynamo.Equal, sk).Consistent(true).One(t.Context(), &item))
	return item
}

func TestADamagedGuardIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, likes)
	s := w.liked(t, "song")
	key, whole := w.guards(t)[s.Op].PK, w.rawItems(t)
	for _, c := range []struct {
		damage dynamo.Item
		undoes bool // Retract does not need it
	}{
		{dynamo.Item{"new": nil}, true},
		{dynamo.Item{"new": &types.AttributeValueMemberB{Value: []byte("short")}}, true},
		{dynamo.Item{"old": &types.AttributeValueMemberB{Value: []byte("short")}}, true},
		{dynamo.Item{"life": textOf("none")}, false},
		{dynamo.Item{"life": nil}, false},
		{dynamo.Item{"print": textOf("none")}, false},
		{dynamo.Item{"undone": textOf("yes")}, false},
	} {
		w.damage(t, key, "G", c.damage)
		calls := []func() error{func() error { _, _, err := w.Submit(t.Context(), s); return err }}
		if !c.undoes {
			calls = append(calls, func() error { return errorOf(w.Retract(t.Context(), s)) })
		}
		for _, call := range calls {
			corrupt(t, call(), key)
		}
		w.restore(t, whole)
	}
	w.liked(t, "song")
	require.Equal(t, []string{"song 2"}, w.standings(t, "b", forever, 1), "others are served")
}

// TestADamagedLifeIsRepaired gives the entry another life: what was liked before stays.
func TestADamagedLifeIsRepaired(t *testing.T) {
	t.Parallel()
	for _, damage := range []types.AttributeValue{textOf("none"), &types.AttributeValueMemberNULL{Value: true}} {
		w := newWorld(t, nil)
		w.define(t, likes)
		s := w.liked(t, "song")
		w.damage(t, "P#song", "LB#b#"+forever, dynamo.Item{"life": damage})
		w.refuses(t, w.like("song"), plaza.ErrCorrupt)
		drift, err := w.Repair(t.Context(), in("b"))
		require.NoError(t, err)
		require.Equal(t, leaderboard.Drift{Broken: 1}, drift)
		require.True(t, w.retract(t, w.liked(t, "song")))
		require.False(t, w.retract(t, s))
		require.Equal(t, []string{"song 1"}, w.standings(t, "b", forever, 1))
	}
}
