package leaderboard_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// reports collects the damaged items that a repository reports.
type reports struct {
	mu    sync.Mutex
	items map[string]int
}

func (r *reports) hook(e *plaza.CorruptError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.items == nil {
		r.items = map[string]int{}
	}
	r.items[e.PK+" / "+e.SK]++
}

func (r *reports) take() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	items := r.items
	r.items = nil
	return items
}

func bytesOf(b ...byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

func textOf(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func numberOf(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

// damage sets attributes of an item. nil removes an attribute.
func (w world) damage(t testing.TB, pk, sk string, with dynamo.Item) {
	t.Helper()
	u := w.raw(t).Update("pk", pk).Range("sk", sk)
	for name, value := range with {
		if value == nil {
			u.RemoveExpr("$", name)
		} else {
			u.SetExpr("$ = ?", name, value)
		}
	}
	require.NoError(t, u.Run(t.Context()))
}

// shown is what reads show of a damaged entry.
type shown int

const (
	listed  shown = iota // as if it were whole
	counted              // it keeps its place
	absent               // nothing
)

func TestADamagedEntryAffectsNobodyElseAndIsRepaired(t *testing.T) {
	t.Parallel()
	shared := newWorld(t, nil)
	nan := orderKey(0, 0, 0, "cat") // on a board of floats
	copy(nan, "\x00\x00\x00\x00\x00\x00\x00\x01")
	for name, c := range faults.Sample(12, map[string]struct {
		kind   leaderboard.Kind
		with   dynamo.Item
		stands string // cat's row after Repair; "" if it is removed
		shown  shown  // until then
	}{
		"five bytes of a key, above all":       {"", dynamo.Item{"key": bytesOf(0, 0, 0, 0, 0)}, "cat 30", counted},
		"five bytes of a key, below all":       {"", dynamo.Item{"key": bytesOf(255, 255, 255, 255, 255)}, "cat 30", counted},
		"one byte of a key":                    {"", dynamo.Item{"key": bytesOf(0)}, "cat 30", counted},
		"a key without a player":               {"", dynamo.Item{"key": bytesOf(orderKey(45, 0, 0, "")...)}, "cat 30", counted},
		"a long key":                           {"", dynamo.Item{"key": bytesOf(orderKey(45, 0, 0, strings.Repeat("x", 1000))...)}, "cat 30", counted},
		"a key of no UTF-8":                    {"", dynamo.Item{"key": bytesOf(orderKey(45, 0, 0, "\xff")...)}, "cat 30", counted},
		"another player's key":                 {"", dynamo.Item{"key": bytesOf(orderKey(45, 0, 0, "zoe")...)}, "cat 30", counted},
		"no number":                            {leaderboard.KindFloat, dynamo.Item{"key": bytesOf(nan...)}, "cat 30.0", counted},
		"key and score":                        {"", dynamo.Item{"key": bytesOf(1, 2, 3, 4, 5), "score": numberOf("7")}, "", counted},
		"a score that is a number":             {"", dynamo.Item{"score": numberOf("7")}, "cat 30", listed},
		"a name that is a list":                {"", dynamo.Item{"name": &types.AttributeValueMemberL{}}, "cat 30", counted},
		"a name that is too long":              {"", dynamo.Item{"name": textOf(strings.Repeat("x", 65))}, "cat 30", counted},
		"meta that is a number":                {"", dynamo.Item{"meta": numberOf("7")}, "cat 30", counted},
		"meta of half a surrogate":             {"", dynamo.Item{"meta": textOf(`"\ud800"`)}, "cat 30", counted},
		"operations":                           {"", dynamo.Item{"ops": bytesOf(1, 2, 3)}, "cat 30", listed},
		"operations that are text":             {"", dynamo.Item{"ops": textOf("x")}, "cat 30", listed},
		"a revision that is text":              {"", dynamo.Item{"rev": textOf("x")}, "cat 30", listed},
		"a last operation that is a map":       {"", dynamo.Item{"lastOp": &types.AttributeValueMemberM{}}, "cat 30", listed},
		"no last operation":                    {"", dynamo.Item{"lastOp": nil}, "cat 30", listed},
		"a print that is text":                 {"", dynamo.Item{"print": textOf("x")}, "cat 30", listed},
		"a version that is negative":           {"", dynamo.Item{"version": numberOf("-1")}, "cat 30", listed},
		"a removal that is no id":              {"", dynamo.Item{"removed": textOf("yesterday")}, "cat 30", listed},
		"an expiry, though the board has none": {"", dynamo.Item{"ttl": numberOf("1")}, "cat 30", listed},
		"another score":                        {"", dynamo.Item{"score": textOf("7")}, "cat 30", listed},
		"no score":                             {"", dynamo.Item{"score": nil}, "cat 30", listed},
		"no part":                              {"", dynamo.Item{"part": nil}, "cat 30", absent},
		"an unread shard":                      {"", dynamo.Item{"part": textOf("an unread shard#" + forever + "#9")}, "cat 30", absent},
		"another board's part":                 {"", dynamo.Item{"part": textOf("c#" + forever + "#0")}, "cat 30", absent},
		"hidden, another score":                {"", dynamo.Item{"score": textOf("7"), "part": textOf("hidden, another score#" + forever + "#hidden")}, "", absent},
		"no key that can be read, but a score": {"", dynamo.Item{"key": bytesOf(1), "score": textOf("35")}, "cat 35", counted},
		"a score of another kind":              {"", dynamo.Item{"key": bytesOf(1), "score": textOf("35.5")}, "", counted},
		"neither key nor score":                {"", dynamo.Item{"key": bytesOf(1), "score": nil}, "", counted},
		"no key":                               {"", dynamo.Item{"key": nil}, "", absent},
		"no revision":                          {"", dynamo.Item{"rev": nil, "part": nil}, "cat 30", absent},
		"no sub score":                         {"", dynamo.Item{"sub": nil}, "cat 30", listed},
		"another sub score":                    {"", dynamo.Item{"sub": numberOf("7")}, "cat 30", listed},
		"a sub score that is text":             {"", dynamo.Item{"sub": textOf("x")}, "cat 30", listed},
	}, "no last operation", "five bytes of a key, above all") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := new(reports)
			w := shared.process(t, &leaderboard.Options{OnCorrupt: told.hook})
			b := name
			manage := func(call change, player string) {
				changed, err := call(t.Context(), in(b), player)
				require.NoError(t, err)
				require.True(t, changed)
			}
			w.define(t, leaderboard.Board{Name: b, Kind: c.kind, Shards: 2, Operator: leaderboard.Set, Allow: []leaderboard.Operator{leaderboard.Increment}})
			for i, player := range []string{"ann", "bob", "cat", "dan", "eve"} {
				s := score(b, player, int64(50-10*i), 0)
				if c.kind == leaderboard.KindFloat {
					s.Score = leaderboard.Float(float64(50 - 10*i))
				}
				if player == "cat" {
					s.Sub = -9
				}
				w.submit(t, s)
			}
			item := "P#cat / LB#" + b + "#" + forever
			w.damage(t, "P#cat", "LB#"+b+"#"+forever, c.with)

			rows := all(t, 0, w.top(in(b)))
			require.Len(t, rows, map[shown]int{listed: 5, counted: 4, absent: 4}[c.shown])
			require.Equal(t, c.shown == counted, told.take()[item] > 0)
			n, err := w.Count(t.Context(), in(b))
			require.NoError(t, err)
			require.Equal(t, map[shown]int64{listed: 5, counted: 5, absent: 4}[c.shown], n)
			for limit := 1; limit < 6; limit += faults.Size(1, 5) {
				require.Equal(t, rows, all(t, limit, w.top(in(b))), limit)
			}
			up := readDownAndUp(t, w.top(in(b)), 2)
			require.Equal(t, rows, up)
			for _, row := range rows {
				if row.Player == "cat" || row.Player == "bob" && !faults.Full() {
					continue
				}
				rank, err := w.Rank(t.Context(), in(b), row.Player)
				require.NoError(t, err)
				require.Equal(t, row.Position, rank, row.Player)
				around, err := w.Around(t.Context(), in(b), row.Player, 10)
				require.NoError(t, err)
				require.Equal(t, rows, around)
			}
			ranged, err := w.Range(t.Context(), in(b), 1, 5)
			require.NoError(t, err)
			require.Equal(t, rows, ranged)
			manage(w.Hide, "dan")
			_, err = w.Hidden(t.Context(), in(b), cursor.PageRequest{})
			require.NoError(t, err)
			manage(w.Unhide, "dan")
			for _, percent := range faults.Some(2, 0.0, 100, 50) {
				_, err = w.ScoreAt(t.Context(), in(b), percent)
				require.NoError(t, err)
			}
			players, err := w.Players(t.Context(), in(b), []string{"ann", "cat", "eve"})
			require.NoError(t, err)
			boards, err := w.ByPlayer(t.Context(), "cat", cursor.PageRequest{Limit: 100})
			require.NoError(t, err)
			_, err = w.Rank(t.Context(), in(b), "cat")
			if c.shown == counted {
				require.Len(t, players, 2)
				corrupt(t, err, "P#cat")
				for _, call := range []func() error{
					func() error { _, err := w.Around(t.Context(), in(b), "cat", 3); return err },
					func() error { _, err := w.Percentile(t.Context(), in(b), "cat"); return err },
					func() error { _, err := w.Entry(t.Context(), in(b), "cat"); return err },
				} {
					corrupt(t, call(), "P#cat")
				}
				require.NotZero(t, told.take()[item])
			}
			require.LessOrEqual(t, len(slices.DeleteFunc(boards.Items, func(e leaderboard.Entry) bool { return e.Board != b })), 1)

			for _, call := range []func(context.Context, leaderboard.In) (leaderboard.Drift, error){w.Check, w.Repair} {
				drift, err := call(t.Context(), in(b))
				require.NoError(t, err)
				require.Equal(t, 1, drift.Broken)
			}
			for range faults.Size(2, 1) {
				drift, err := w.Repair(t.Context(), in(b))
				require.NoError(t, err)
				require.Zero(t, drift)
			}
			want := []string{"ann 50", "bob 40", c.stands, "dan 20", "eve 10"}
			if c.kind == leaderboard.KindFloat {
				want = []string{"ann 50.0", "bob 40.0", c.stands, "dan 20.0", "eve 10.0"}
			}
			require.Equal(t, slices.DeleteFunc(want, func(s string) bool { return s == "" }), w.standings(t, b, forever, 2))
			if e, err := w.Entry(t.Context(), in(b), "cat"); err != nil {
				require.ErrorIs(t, err, plaza.ErrNotFound)
				require.Empty(t, c.stands)
			} else {
				require.EqualValues(t, -9, e.Sub)
				if require.Equal(t, c.stands == "", e.Hidden); e.Hidden {
					manage(w.Unhide, "cat")
				}
			}
			told.take()
			s := score(b, "cat", 35, 1)
			s.Sub = -9
			if c.kind == leaderboard.KindFloat {
				s.Score = leaderboard.Float(35)
			}
			w.submit(t, s)
			require.Len(t, all(t, 0, w.top(in(b))), 5)
			manage(w.Remove, "cat")
			require.NotContains(t, w.rawItem(t, "P#cat", "LB#"+b+"#"+forever), "sub")
			require.Empty(t, told.take())
		})
	}
}

func corrupt(t *testing.T, err error, pk string) {
	t.Helper()
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	require.NotErrorIs(t, err, plaza.ErrInvalid)
	var damaged *plaza.CorruptError
	require.ErrorAs(t, err, &damaged)
	require.Equal(t, pk, damaged.PK)
}

// readDownAndUp reads a list page by page to its end, then back up.
func readDownAndUp(t *testing.T, list func(context.Context, cursor.PageRequest) (cursor.Page[leaderboard.Standing], error), limit int) []leaderboard.Standing {
	t.Helper()
	req := cursor.PageRequest{Limit: limit}
	var page cursor.Page[leaderboard.Standing]
	for {
		var err error
		page, err = list(t.Context(), req)
		require.NoError(t, err)
		if page.Next == "" {
			break
		}
		req.Cursor = page.Next
	}
	rows := page.Items
	for req.Cursor = page.Prev; req.Cursor != ""; {
		page, err := list(t.Context(), req)
		require.NoError(t, err)
		if len(page.Items) == 0 && page.Prev == req.Cursor {
			break
		}
		rows = append(slices.Clone(page.Items), rows...)
		req.Cursor = page.Prev
	}
	return rows
}

// The remembered operations of an entry are damaged.
func TestNothingIsAppliedTwiceAfterRepair(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	s := score("b", "ann", 5, 0)
	s.Op = w.id()
	w.submit(t, s)
	w.damage(t, "P#ann", "LB#b#"+forever, dynamo.Item{"ops": bytesOf(1), "lastOp": numberOf("1")})
	_, _, err := w.Submit(t.Context(), score("b", "ann", 1, 0))
	corrupt(t, err, "P#ann")
	damaged := w.entry(t, "ann", "b", forever)
	_, err = w.Repair(t.Context(), in("b"))
	require.NoError(t, err)
	require.Equal(t, damaged.Rev+1, w.entry(t, "ann", "b", forever).Rev, "as with every write")
	w.refuses(t, s, leaderboard.ErrOpTooOld)
	require.Equal(t, leaderboard.Int(6), w.submit(t, score("b", "ann", 1, 0)).New)
}

func TestARemovalWithoutATimeCountsAsNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	s := score("b", "ann", 5, 0)
	s.Op = w.id()
	w.play(t, "b", "ann 1")
	changes(t, w.Remove, "ann", true)
	w.damage(t, "P#ann", "LB#b#"+forever, dynamo.Item{"removed": numberOf("1")})
	_, _, err := w.Submit(t.Context(), s)
	corrupt(t, err, "P#ann")
	_, err = w.Repair(t.Context(), in("b"))
	require.NoError(t, err)
	w.refuses(t, s, plaza.ErrRemoved)
	w.play(t, "b", "ann 2")
}

// The entry's key is damaged. Its score is not lost.
func TestBestDoesNotReplaceADamagedKey(t *testing.T) {
	t.Parallel()
	for _, key := range [][]byte{{0}, {255, 255, 255, 255, 255}} {
		w := newWorld(t, nil)
		w.define(t, leaderboard.Board{Name: "b"})
		w.play(t, "b", "ann 50")
		w.damage(t, "P#ann", "LB#b#"+forever, dynamo.Item{"key": bytesOf(key...)})
		_, _, err := w.Submit(t.Context(), score("b", "ann", 40, 1))
		corrupt(t, err, "P#ann")
		_, err = w.Repair(t.Context(), in("b"))
		require.NoError(t, err)
		require.Equal(t, []string{"ann 50"}, w.standings(t, "b", forever, 1))
	}
}

func TestOneDamagedBoardOfAPlayerIsLeftOut(t *testing.T) {
	t.Parallel()
	told := new(reports)
	w := newWorld(t, &leaderboard.Options{OnCorrupt: told.hook})
	for _, board := range []string{"a", "b", "c"} {
		w.define(t, leaderboard.Board{Name: board})
		w.play(t, board, "ann 1")
	}
	for _, with := range faults.Some(3, []dynamo.Item{
		{"key": bytesOf(1, 2, 3, 4, 5)}, {"key": bytesOf(orderKey(1, 0, 0, "bob")...)}, {"score": textOf("much")},
		{"meta": bytesOf(1)}, {"ttl": textOf("x")}, {"name": bytesOf(1)},
	}...) {
		whole := w.rawItems(t)
		w.damage(t, "P#ann", "LB#b#"+forever, with)
		for limit := range 4 {
			boards := all(t, limit, w.boardsOf("ann"))
			require.Len(t, boards, 2, "%v", with)
		}
		require.Len(t, told.take(), 1)
		w.restore(t, whole)
	}
}

// rawItems returns the whole table, sorted by key.
func (w world) rawItems(t testing.TB) []dynamo.Item {
	t.Helper()
	var items []dynamo.Item
	require.NoError(t, w.raw(t).Scan().Consistent(true).All(t.Context(), &items))
	slices.SortFunc(items, func(a, b dynamo.Item) int {
		one, other := store.KeyOf(a), store.KeyOf(b)
		return cmp.Or(strings.Compare(one.PK, other.PK), strings.Compare(one.SK, other.SK))
	})
	return items
}

// restore replaces the table's content with items.
func (w world) restore(t testing.TB, items []dynamo.Item) {
	t.Helper()
	stored := map[store.Key]bool{}
	all := make([]any, len(items))
	for i, item := range items {
		stored[store.KeyOf(item)] = true
		all[i] = item
	}
	var more []dynamo.Keyed
	for _, item := range w.rawItems(t) {
		if key := store.KeyOf(item); !stored[key] {
			more = append(more, dynamo.Keys{key.PK, key.SK})
		}
	}
	_, err := w.raw(t).Batch("pk", "sk").Write().Put(all...).Delete(more...).Run(t.Context())
	require.NoError(t, err)
}

// randomValue returns a value of a random type.
func randomValue(r *rand.Rand) types.AttributeValue {
	some := make([]byte, r.IntN(40))
	for i := range some {
		some[i] = byte(r.Uint32())
	}
	switch r.IntN(12) {
	case 0:
		return textOf(fmt.Sprintf("%q", some))
	case 1:
		return textOf([]string{"", "x", "best", "float", "ascending", "-1", "0", "2026-03-10T00:00:00Z", "9999-12-31T23:59:59Z", "NaN", "{}"}[r.IntN(11)])
	case 2:
		return numberOf([]string{"0", "-1", "1", "64", "65", "1e30", "-9223372036854775808", "9223372036854775807", "0.5", "18446744073709551616"}[r.IntN(10)])
	case 3, 4, 5:
		return bytesOf(some...)
	case 6:
		return &types.AttributeValueMemberBOOL{Value: true}
	case 7:
		return &types.AttributeValueMemberNULL{Value: true}
	case 8:
		return &types.AttributeValueMemberL{Value: []types.AttributeValue{numberOf("1"), textOf("x")}}
	case 9:
		return &types.AttributeValueMemberM{Value: dynamo.Item{"x": numberOf("1")}}
	case 10:
		return &types.AttributeValueMemberSS{Value: []string{"x", "y"}}
	}
	return nil // absent
}

// The test puts a random value into a random attribute of a random item, and then
// makes every call.
func TestDamageIsNeverAPanicOrAnInvalidArgument(t *testing.T) {
	t.Parallel()
	attributes := map[string][]string{
		"B#":    {"kind", "order", "subOrder", "ties", "operator", "allow", "min", "max", "floor", "cron", "zone", "grace", "keep", "shards", "ranking", "ver", "undefine"},
		"B#b":   {"end", "grace", "shards", "before", "from", "expires"},
		"J#0":   {"ver", "tries", "next", "ttl", "lease", "claim"},
		"entry": {"key", "part", "score", "rev", "version", "ops", "lastOp", "print", "prev", "name", "meta", "removed", "managed", "managedBefore", "ttl"},
	}
	for seed := range faults.Seeds(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 12))
			w := newWorld(t, nil)
			board := leaderboard.Board{Name: "b", Cron: "@daily", Shards: 2, Operator: leaderboard.Increment, Allow: []leaderboard.Operator{leaderboard.Best, leaderboard.Set}, Keep: time.Hour}
			if seed%2 == 1 {
				board.Operator, board.Allow = leaderboard.Best, nil
			}
			w.define(t, board)
			w.play(t, "b", "ann 50", "bob 40", "cat 30", "dan 20", "eve 10")
			s := leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(60), Name: "Ann", Meta: []byte(`{"a":1}`), Op: w.id()}
			w.submit(t, s)
			changes(t, w.Hide, "bob", true)
			changes(t, w.Remove, "dan", true)
			require.NoError(t, w.Erase(t.Context(), "eve"))
			whole := w.rawItems(t)
			for range faults.Size(8, 2) {
				item := maps.Clone(whole[random.IntN(len(whole))])
				names := attributes[item["pk"].(*types.AttributeValueMemberS).Value]
				if names == nil {
					names = attributes["entry"]
				}
				for range 1 + random.IntN(2) {
					name := names[random.IntN(len(names))]
					if value := randomValue(random); value == nil {
						delete(item, name)
					} else {
						item[name] = value
					}
				}
				if w.raw(t).Put(item).Run(t.Context()) != nil {
					continue // the index does not accept it
				}
				other := w.process(t, nil)
				player := []string{"ann", "bob", "cat", "dan", "eve"}[random.IntN(5)]
				calls := other.reads(t, in("b"), player)
				maps.Copy(calls, map[string]func() error{
					"Entry":       func() error { _, err := other.Entry(t.Context(), in("b"), player); return err },
					"Boards":      func() error { _, err := other.ByPlayer(t.Context(), player, cursor.PageRequest{}); return err },
					"Periods":     func() error { _, err := other.Periods(t.Context(), "b", cursor.PageRequest{}); return err },
					"Definitions": func() error { _, err := other.Definitions(t.Context(), cursor.PageRequest{}); return err },
					"Repeat":      func() error { _, _, err := other.Submit(t.Context(), s); return err },
					"Submit": func() error {
						_, _, err := other.Submit(t.Context(), leaderboard.Submission{Board: "b", Player: player, Score: leaderboard.Int(7), Name: "x"})
						return err
					},
				})
				for _, name := range slices.Sorted(maps.Keys(calls)) {
					if name == "Repair" {
						continue
					}
					err := calls[name]()
					known := err == nil || errors.Is(err, plaza.ErrCorrupt) || errors.Is(err, plaza.ErrNotFound) ||
						errors.Is(err, plaza.ErrRemoved) || errors.Is(err, plaza.ErrConflict) || errors.Is(err, plaza.ErrUnavailable) ||
						errors.Is(err, plaza.ErrInvalid) && name == "Submit" && item["min"] != nil || // the damaged board has another Min
						errors.Is(err, plaza.ErrInvalid) && (name == "Submit" || name == "Repeat") && item["pk"].(*types.AttributeValueMemberS).Value == "B#"
					require.True(t, known, "%s by %s: %v: %v", name, player, item, err)
				}
				switch _, err := other.Repair(t.Context(), in("b")); {
				case errors.Is(err, plaza.ErrNotFound):
					require.Contains(t, item, "undefine", "the board is being undefined")
				case err != nil:
					require.ErrorIs(t, err, plaza.ErrCorrupt, "%v", item)
				default:
					drift, err := other.Check(t.Context(), in("b"))
					require.NoError(t, err, "%v", item)
					require.Zero(t, drift, "%v", item)
				}
				require.NoError(t, other.Erase(t.Context(), player))
				w.restore(t, whole)
			}
		})
	}
}

// A Set by Version copies the score from its source, so it may replace the key.
func TestAVersionReplacesADamagedKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set})
	s := score("b", "ann", 5, 0)
	s.Version = 1
	w.submit(t, s)
	w.damage(t, "P#ann", "LB#b#"+forever, dynamo.Item{"key": bytesOf(1, 2, 3, 4, 5)})
	s.Version, s.Score, s.Op = 2, leaderboard.Int(6), w.id()
	got := w.submit(t, s)
	require.Equal(t, leaderboard.Result{Op: s.Op, Period: forever, New: leaderboard.Int(6), Improved: true}, got)
	require.Equal(t, got, w.repeat(t, s))
	require.Equal(t, []string{"ann 6"}, w.standings(t, "b", forever, 1))
}

// A row lies in another board's partition of the index.
func TestAMisplacedIndexRowIsLeftOut(t *testing.T) {
	t.Parallel()
	told := new(reports)
	w := newWorld(t, &leaderboard.Options{OnCorrupt: told.hook})
	w.define(t, leaderboard.Board{Name: "b"})
	w.define(t, leaderboard.Board{Name: "c"})
	w.play(t, "b", "ann 5")
	w.play(t, "c", "bob 6")
	w.damage(t, "P#bob", "LB#c#"+forever, dynamo.Item{"part": textOf("b#" + forever + "#0")})
	require.Equal(t, []string{"2/2 ann 5"}, texts(all(t, 0, w.top(in("b")))))
	require.Contains(t, told.take(), "P#bob / LB#c#"+forever)
	drift, err := w.Check(t.Context(), in("b"))
	require.NoError(t, err)
	require.Equal(t, leaderboard.Drift{Lagging: 1}, drift, "until the other board is repaired")
	drift, err = w.Repair(t.Context(), in("c"))
	require.NoError(t, err)
	require.Equal(t, 1, drift.Broken)
	require.Equal(t, []string{"1/1 ann 5"}, texts(all(t, 0, w.top(in("b")))))
}

func TestAroundReturnsAsManyRowsBesideADamagedEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.many(t, "b", 20)
	w.damage(t, "P#"+playerOf(8), "LB#b#"+forever, dynamo.Item{"name": numberOf("1")})
	rows, err := w.Around(t.Context(), in("b"), playerOf(10), 5)
	require.NoError(t, err)
	var ordinals []int64
	for _, row := range rows {
		ordinals = append(ordinals, row.Ordinal)
	}
	require.Equal(t, []int64{7, 9, 10, 11, 12}, ordinals)
}

// The key of the first row that is read has nothing but a score.
func TestAroundReadsPastAShortKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.many(t, "b", 20)
	key := w.entry(t, playerOf(5), "b", forever).Key
	w.damage(t, "P#"+playerOf(5), "LB#b#"+forever, dynamo.Item{"key": bytesOf(key[:8]...)})
	rows, err := w.Around(t.Context(), in("b"), playerOf(10), 5)
	require.NoError(t, err)
	require.Len(t, rows, 5)
	require.EqualValues(t, 8, rows[0].Ordinal)
	require.Equal(t, playerOf(10), rows[2].Player)
}
