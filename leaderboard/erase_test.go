package leaderboard_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// ends are what ends an entry.
var ends = map[string]func(t *testing.T, w world, player string){
	"removed": func(t *testing.T, w world, player string) { t.Helper(); changes(t, w.Remove, player, true) },
	"erased": func(t *testing.T, w world, player string) {
		t.Helper()
		require.NoError(t, w.Erase(t.Context(), player))
	},
}

// Submissions from before the end arrive after it, some of them for the first time.
func TestLateSubmissionsBringNothingBack(t *testing.T) {
	t.Parallel()
	for name, c := range faults.Sample(2, map[string]struct {
		board   leaderboard.Board
		version uint64
	}{
		"best":       {leaderboard.Board{}, 0},
		"increment":  {leaderboard.Board{Operator: leaderboard.Increment}, 0},
		"set":        {leaderboard.Board{Operator: leaderboard.Set}, 0},
		"by version": {leaderboard.Board{Operator: leaderboard.Set}, 7},
	}, "by version") {
		for end, ends := range ends {
			t.Run(name+", "+end, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				c.board.Name = "b"
				w.define(t, c.board)
				var late []leaderboard.Submission
				for i := range 3 {
					s := score("b", "ann", int64(10*i+10), i)
					s.Op, s.Name = w.id(), "Ann"
					if c.version > 0 {
						s.Version = c.version + uint64(i)
					}
					late = append(late, s)
				}
				w.submit(t, late[0])
				w.submit(t, late[1])
				changes(t, w.Hide, "ann", true)
				ends(t, w, "ann")
				left := w.rawItems(t)
				for range faults.Size(2, 1) {
					for _, s := range late {
						w.refuses(t, s, plaza.ErrRemoved)
					}
					require.Equal(t, left, w.rawItems(t))
				}
				if end == "erased" {
					require.Equal(t, 1, w.leftovers(t))
					for _, call := range []change{w.Hide, w.Unhide} {
						require.ErrorIs(t, errorOf(call(t.Context(), in("b"), "ann")), plaza.ErrNotFound)
					}
					changes(t, w.Remove, "ann", false)
					require.NoError(t, w.Erase(t.Context(), "ann"), "again")
					require.Equal(t, left, w.rawItems(t))
				}
				require.Empty(t, all(t, 0, w.boardsOf("ann")))
				w.isWhole(t, in("b"))

				if c.version > 0 { // delivered again with a new id
					again := late[1]
					again.Op = 0
					w.refuses(t, again, plaza.ErrRemoved)
				}
				fresh := score("b", "ann", 1, 5)
				if c.version > 0 {
					fresh.Version = 100
				}
				got := w.submit(t, fresh)
				require.False(t, got.Existed)
				require.Equal(t, []string{"ann 1"}, w.standings(t, "b", forever, 1))
				require.Zero(t, w.entry(t, "ann", "b", forever).TTL, "it stays")
				if _, _, err := w.Submit(t.Context(), late[2]); c.version == 0 { // otherwise the version is too old
					require.ErrorIs(t, err, plaza.ErrRemoved)
				}
				require.Equal(t, []string{"ann 1"}, w.standings(t, "b", forever, 1))
			})
		}
	}
}

// The clock of the submitting process is ahead.
func TestEraseIsLaterThanEveryErasedOperation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		operator leaderboard.Operator
		then     int // later operations, with older ids
	}{
		"the last operation": {leaderboard.Best, 0},
		"a remembered one":   {leaderboard.Increment, 2},
		"a forgotten one":    {leaderboard.Increment, 17},
	} {
		w := newWorld(t, nil)
		w.define(t, leaderboard.Board{Name: "b", Operator: c.operator})
		s := score("b", "ann", 5, 0)
		s.Op = ids.At(noon.Add(9 * time.Second))
		w.submit(t, s)
		for range c.then {
			w.submit(t, score("b", "ann", 1, 0))
		}
		require.NoError(t, w.Erase(t.Context(), "ann"))
		w.refuses(t, s, plaza.ErrRemoved, name)
	}
}

func TestEraseLeavesOneMarkInEveryPeriod(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily", Keep: 365 * 24 * time.Hour})
	w.define(t, leaderboard.Board{Name: "c"})
	for day := 8; day <= 10; day++ {
		w.set(march(day, 12))
		w.submit(t, leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(1), Name: "Ann", Meta: []byte(`1`)})
		w.submit(t, leaderboard.Submission{Board: "b", Player: "bob", Score: leaderboard.Int(2)})
	}
	w.play(t, "c", "ann 1")
	items := w.items(t)
	require.NoError(t, w.Erase(t.Context(), "ann"))
	require.Equal(t, items, w.items(t))
	require.Equal(t, 4, w.leftovers(t))
	require.Equal(t, []string{"1/1 bob 2"}, texts(all(t, 0, w.top(in("b")))))

	got := w.submit(t, leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(3)})
	require.Equal(t, w.entry(t, "bob", "b", got.Period).TTL, w.entry(t, "ann", "b", got.Period).TTL, "as its period")
}

func TestEraseReadsManyPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var items []any
	n := faults.Size(1100, 510)
	for i := range n {
		items = append(items, map[string]any{"pk": "P#ann", "sk": fmt.Sprintf("LB#b%04d#%s", i, forever), "rev": 1, "score": "1"})
	}
	w.put(t, items...)
	sent := faults.New(t, 1, faults.Rates{})
	require.NoError(t, w.process(t, nil, sent.Wrap).Erase(t.Context(), "ann"))
	require.Equal(t, faults.Size(3+44, 2+21), sent.Requests())
	require.Equal(t, n, w.leftovers(t))
}

// A request arrives after its caller gave up, repeated the call and undid it.
func TestLateRequestsUndoNothing(t *testing.T) {
	t.Parallel()
	given := func(v int64, name string, op ids.ID) leaderboard.Submission {
		s := score("b", "ann", v, 0)
		s.Name, s.Op = name, op
		return s
	}
	submit := func(s leaderboard.Submission) func(context.Context, world) error {
		return func(ctx context.Context, w world) error { _, _, err := w.Submit(ctx, s); return err }
	}
	do := func(of func(world) change) func(context.Context, world) error {
		return func(ctx context.Context, w world) error { _, err := of(w)(ctx, in("b"), "ann"); return err }
	}
	hide := do(func(w world) change { return w.Hide })
	remove := do(func(w world) change { return w.Remove })
	erase := func(ctx context.Context, w world) error { return w.Erase(ctx, "ann") }
	type calls = []func(context.Context, world) error
	op := func(n int) ids.ID { return ids.At(noon.Add(-time.Minute)) + ids.ID(n) }
	fresh := submit(given(1, "", 0))
	for name, c := range faults.Sample(6, map[string]struct {
		operator leaderboard.Operator
		before   calls
		late     func(context.Context, world) error
		skip     int // requests of the call that arrive in time
		then     calls
	}{
		"best, erased":               {"", nil, submit(given(9, "", op(1))), 0, calls{submit(given(9, "", op(1))), erase}},
		"best, erased, new":          {"", nil, submit(given(9, "", op(1))), 0, calls{erase, submit(given(9, "", op(1))), erase, fresh}},
		"best, removed":              {"", nil, submit(given(9, "", op(1))), 0, calls{submit(given(9, "", op(1))), remove}},
		"best, removed, new":         {"", nil, submit(given(9, "", op(1))), 0, calls{submit(given(9, "", op(1))), remove, fresh}},
		"increment, erased":          {leaderboard.Increment, nil, submit(given(9, "", op(1))), 0, calls{submit(given(9, "", op(1))), erase}},
		"increment, erased, new":     {leaderboard.Increment, nil, submit(given(9, "", op(1))), 0, calls{submit(given(9, "", op(1))), erase, fresh}},
		"increment, removed, new":    {leaderboard.Increment, nil, submit(given(9, "", op(1))), 0, calls{submit(given(9, "", op(1))), remove, fresh}},
		"hide, removed, new":         {"", calls{fresh}, hide, 0, calls{hide, remove, fresh}},
		"remove, new":                {"", calls{fresh}, remove, 0, calls{remove, fresh}},
		"remove, better":             {"", calls{fresh}, remove, 0, calls{submit(given(2, "", 0))}},
		"remove, erased, new":        {"", calls{fresh}, remove, 0, calls{erase, fresh}},
		"a name, another":            {"", calls{submit(given(9, "Old", op(1)))}, submit(given(9, "New", op(2))), 1, calls{submit(given(9, "New", op(2))), submit(given(9, "Newest", op(3)))}},
		"a name, erased, new":        {"", calls{submit(given(9, "Old", op(1)))}, submit(given(9, "New", op(2))), 1, calls{erase, submit(given(9, "", 0))}},
		"an increment by 0, another": {leaderboard.Increment, calls{submit(given(9, "Old", op(1)))}, submit(given(0, "New", op(2))), 0, calls{submit(given(0, "New", op(2))), submit(given(0, "Newest", op(3)))}},
	}, "hide, removed, new", "remove, erased, new", "remove, new", "remove, better") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.define(t, leaderboard.Board{Name: "b", Operator: c.operator})
			w.play(t, "b", "zoe 1")
			for _, call := range c.before {
				require.NoError(t, call(t.Context(), w))
			}
			writes := 0
			late := &faults.Late{Holds: func(op string, _ []byte) bool {
				if op == "UpdateItem" || op == "PutItem" {
					writes++
				}
				return writes > c.skip
			}}
			require.ErrorIs(t, c.late(t.Context(), w.process(t, nil, late.Wrap)), plaza.ErrUnknownOutcome)
			w.set(w.Now().Add(time.Second))
			for _, call := range c.then {
				require.NoError(t, call(t.Context(), w))
			}
			before := w.rawItems(t)
			require.Zero(t, late.Arrive(t))
			require.Equal(t, before, w.rawItems(t))
		})
	}
}

func TestASubmissionWithTheRemovalsOpIsRemoved(t *testing.T) {
	t.Parallel()
	for _, operator := range []leaderboard.Operator{leaderboard.Best, leaderboard.Increment} {
		w := newWorld(t, nil)
		w.define(t, leaderboard.Board{Name: "b", Operator: operator})
		w.play(t, "b", "ann 1")
		require.NoError(t, w.Erase(t.Context(), "ann"))
		var left struct {
			Removed ids.ID `dynamo:"removed"`
		}
		require.NoError(t, w.raw(t).Get("pk", "P#ann").Range("sk", dynamo.Equal, "LB#b#"+forever).One(t.Context(), &left))
		s := score("b", "ann", 9, 0)
		s.Op = left.Removed
		w.refuses(t, s, plaza.ErrRemoved)
		s.Op++
		w.submit(t, s)
	}
}

func TestRepairedMarksOfErasedEntriesStayMarks(t *testing.T) {
	t.Parallel()
	for name, ttl := range map[string]types.AttributeValue{"no expiry": nil, "an expiry that is text": textOf("x")} {
		w := newWorld(t, nil)
		w.define(t, leaderboard.Board{Name: "b"})
		w.play(t, "b", "ann 5")
		require.NoError(t, w.Erase(t.Context(), "ann"))
		erased := w.rawItems(t)
		w.damage(t, "P#ann", "LB#b#"+forever, dynamo.Item{"ttl": ttl})
		drift, err := w.Repair(t.Context(), in("b"))
		require.NoError(t, err)
		require.Equal(t, leaderboard.Drift{Broken: 1}, drift, name)
		require.Equal(t, erased, w.rawItems(t), name)
	}
}
