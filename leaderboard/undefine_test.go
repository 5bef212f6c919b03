package leaderboard_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestUndefineDeletesABoardWithItsData(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	board := leaderboard.Board{Name: "b", Cron: "@daily", Grace: 48 * time.Hour, Operator: leaderboard.Set, Shards: 2}
	others := []string{"a", "b#c", `b\`, "bb", "b#" + forever}
	for _, name := range others {
		w.define(t, leaderboard.Board{Name: name})
		w.play(t, name, "ann 1")
	}
	publish := func(pk string) {
		w.put(t, map[string]any{"pk": pk, "sk": "ROOT"}, map[string]any{"pk": pk, "sk": "S#1#1"})
	}
	for _, pk := range []string{"R#bb#" + forever, `R#b\##` + forever, "R#"} {
		publish(pk)
	}
	rest := w.rawItems(t)
	define := func() {
		w.define(t, board)
		for day := 9; day <= 10; day++ {
			for i, player := range []string{"ann", "bob", "cat", "eve"} {
				s := score("b", player, int64(i), 0)
				s.At = march(day, 1)
				if player == "ann" {
					s.Version = 1
				}
				w.submit(t, s)
			}
		}
		changes(t, w.Hide, "bob", true)
		changes(t, w.Remove, "cat", true)
		w.damage(t, "P#eve", "LB#b#20260310T000000Z", dynamo.Item{"part": textOf("nowhere"), "rev": textOf("x")})
	}
	define()
	publish("R#b#20260310T000000Z")
	other := w.process(t, nil)
	require.Len(t, all(t, 0, other.top(in("b"))), 1)

	for range 2 {
		require.ErrorIs(t, errorOf(w.Undefine(t.Context(), "b")), plaza.ErrBusy)
		for name, read := range faults.Sample(3, w.reads(t, in("b"), "ann")) {
			require.ErrorIs(t, read(), plaza.ErrNotFound, name)
		}
		require.ErrorIs(t, errorOf(w.Define(t.Context(), board)), plaza.ErrBusy)
		w.refuses(t, score("b", "ann", 1, 0), plaza.ErrNotFound)
		require.Len(t, all(t, 0, w.Definitions), len(others))
		require.Len(t, all(t, 2, w.boardsOf("ann")), len(others))
		require.Len(t, w.rawItems(t), len(rest)+1, "its definition says that it is going")

		other.submit(t, score("b", "zoe", 5, 0)) // this process has the board cached
		publish("R#b#20260309T000000Z")          // as a folder that does not know yet
		w.set(w.Now().Add(time.Second))
	}
	w.set(w.Now().Add(time.Minute))
	other.refuses(t, score("b", "zoe", 6, 0), plaza.ErrNotFound)
	require.ErrorIs(t, errorOf(w.Undefine(t.Context(), "b")), plaza.ErrBusy)
	w.set(noon.Add(70 * time.Second))
	require.NoError(t, errorOf(w.Undefine(t.Context(), "b")))
	require.Equal(t, rest, w.rawItems(t))
	require.NoError(t, errorOf(w.Undefine(t.Context(), "b")), "again")

	w.set(noon)
	board = leaderboard.Board{Name: "b", Kind: leaderboard.KindFloat, Operator: leaderboard.Set, Order: leaderboard.Ascending}
	w.define(t, board)
	require.Empty(t, all(t, 0, w.top(in("b"))))
	got := w.submit(t, leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Float(1), Version: 1})
	require.False(t, got.Existed)
}

// A process that has the earlier board cached opens a period.
func TestABoardDefinedAgainIsNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@hourly"})
	old, opener := w.process(t, nil), w.process(t, nil)
	for _, process := range []world{old, opener} {
		_, err := process.Top(t.Context(), in("b"), page1)
		require.NoError(t, err)
	}
	require.ErrorIs(t, errorOf(w.Undefine(t.Context(), "b")), plaza.ErrBusy)
	opener.refuses(t, leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(5)}, plaza.ErrNotFound, "it opens no period of what is going")
	require.Empty(t, w.spans(t, "b"))
	w.set(w.Now().Add(2 * time.Minute))
	require.NoError(t, errorOf(w.Undefine(t.Context(), "b")))
	w.define(t, leaderboard.Board{Name: "b", Kind: leaderboard.KindFloat, Cron: "@daily"})
	w.set(noon) // so the cache does not expire
	old.refuses(t, leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(5)}, plaza.ErrInvalid, "it learns of the new one")
	require.Empty(t, w.spans(t, "b"))
}

func TestADamagedBoardCanBeUndefined(t *testing.T) {
	t.Parallel()
	for name, with := range faults.Sample(2, map[string]dynamo.Item{
		"a kind":    {"kind": textOf("complex")},
		"a version": {"ver": textOf("x")},
		"a mark":    {"undefine": textOf("x")},
		"nothing":   {"ver": nil, "shards": nil, "operator": nil},
	}) {
		w := newWorld(t, nil)
		w.define(t, leaderboard.Board{Name: "b"})
		w.play(t, "b", "ann 1")
		w.damage(t, "B#", "b", with)
		w.damage(t, "B#b", "T#"+forever, dynamo.Item{"shards": nil})
		w.undefine(t, "b")
		require.Zero(t, w.items(t), name)
	}
}

func TestUndefineUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			sent := faults.New(t, seed, faultMixes[seed%2]) // one call makes many requests
			w := newWorld(t, nil)
			many := faults.Size(60, 26)
			for _, board := range []string{"a", "b"} {
				w.define(t, leaderboard.Board{Name: board, Shards: 3})
				w.many(t, board, many)
			}
			remover := w.process(t, nil, sent.Wrap)
			begun := w.Now()
			faults.Acknowledged(t, func() error {
				_, err := remover.Undefine(t.Context(), "b")
				w.set(begun.Add(2 * time.Minute))
				return err
			})
			sent.Off()
			require.Equal(t, 2+many, w.items(t))
			w.define(t, leaderboard.Board{Name: "b"})
			require.Empty(t, all(t, 0, w.top(in("b"))))
			require.Len(t, all(t, 0, w.top(in("a"))), many)
		})
	}
}

func TestUndefineCostsNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	quiet := newWorld(t, nil)
	quiet.define(t, leaderboard.Board{Name: "b"})
	quiet.manyRows(t, "b", 60)
	w := quiet.process(t, nil, meter.Wrap)
	stated := callstest.ReadCosts(t, "..", "leaderboard")
	table := stated.Of("Repository.Undefine", "each MB of the whole table").Plus(stated.Times(4, "Repository.Undefine", "each 4 KB of the whole table"))
	first := stated.Of("Repository.Undefine", "the first call, for all else but the table", "each period, and each KB that a Folder published").
		Plus(table).Plus(stated.Times(3, "Repository.Undefine", "each 25 entries")).Plus(stated.Times(60, "Repository.Undefine", "each entry"))
	meter.AtMost(t, "the first call", first, func() {
		require.ErrorIs(t, errorOf(w.Undefine(t.Context(), "b")), plaza.ErrBusy)
	})
	quiet.set(noon.Add(2 * time.Minute))
	meter.AtMost(t, "the last call", table.Plus(stated.Of("Repository.Undefine", "the last call, for all else but the table")), func() {
		require.NoError(t, errorOf(w.Undefine(t.Context(), "b")))
	})

	quiet.define(t, leaderboard.Board{Name: "daily", Cron: "@daily"})
	quiet.submit(t, leaderboard.Submission{Board: "daily", Player: "ann", Score: leaderboard.Int(5)})
	ending := table.Plus(stated.Of("Repository.Undefine", "the first call, for all else but the table", "each entry", "each 25 entries",
		"each period, and each KB that a Folder published", "each period that Deliver has not called for"))
	meter.AtMost(t, "with a period that ends", ending, func() {
		require.ErrorIs(t, errorOf(w.Undefine(t.Context(), "daily")), plaza.ErrBusy)
	})
}

// A board is undefined and defined again. A request from before arrives.
func TestALateHideDoesNotReachALaterBoard(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(world) change{
		"hide":   func(w world) change { return w.Hide },
		"remove": func(w world) change { return w.Remove },
	} {
		w := newWorld(t, nil)
		w.define(t, leaderboard.Board{Name: "b"})
		w.play(t, "b", "ann 5")
		older := score("b", "ann", 5, 0)
		older.Op = w.id()
		late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" }}
		_, err := call(w.process(t, nil, late.Wrap))(t.Context(), in("b"), "ann")
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome, name)
		w.undefine(t, "b")
		w.define(t, leaderboard.Board{Name: "b"})
		w.submit(t, older)
		require.Zero(t, late.Arrive(t), name)
	}
}

// undefine makes both calls.
func (w world) undefine(t testing.TB, board string) {
	t.Helper()
	require.ErrorIs(t, errorOf(w.Undefine(t.Context(), board)), plaza.ErrBusy)
	w.set(w.Now().Add(2 * time.Minute))
	require.NoError(t, errorOf(w.Undefine(t.Context(), board)))
}
