package leaderboard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// every returns a board that allows every operator. Set is the default.
func every(name string) leaderboard.Board {
	return leaderboard.Board{
		Name: name, Operator: leaderboard.Set,
		Allow: []leaderboard.Operator{leaderboard.Best, leaderboard.Increment, leaderboard.Decrement},
	}
}

func with(s leaderboard.Submission, o leaderboard.Operator) leaderboard.Submission {
	s.Operator = o
	return s
}

func ptr(s leaderboard.Score) *leaderboard.Score { return &s }

func TestSubmissionsInSequence(t *testing.T) {
	t.Parallel()
	const (
		best, set, up, down = leaderboard.Best, leaderboard.Set, leaderboard.Increment, leaderboard.Decrement
		lowest, highest     = math.MinInt64, math.MaxInt64
	)
	type step struct {
		operator leaderboard.Operator
		score    int64
		sub      int64
	}
	type result struct {
		improved bool
		stands   int64
	}
	lows := every("")
	lows.Order = leaderboard.Ascending
	floored := every("")
	floored.Floor = ptr(leaderboard.Int(0))
	lowSubs := leaderboard.Board{SubOrder: leaderboard.Ascending}
	w := newWorld(t, nil)
	refusing := w.process(t, &leaderboard.Options{
		Refuse: func(context.Context, leaderboard.Submission, leaderboard.Result) error { return nil },
	})
	for name, c := range faults.Sample(2, map[string]struct {
		board leaderboard.Board
		steps []step
		want  []result // one for each step
		keeps bool     // the time of the first step is kept
	}{
		"best, then worse":             {leaderboard.Board{}, []step{{best, 10, 0}, {best, 9, 0}}, []result{{true, 10}, {false, 10}}, true},
		"best, then the same":          {leaderboard.Board{}, []step{{best, 10, 0}, {best, 10, 0}}, []result{{true, 10}, {false, 10}}, true},
		"the same, the later first":    {leaderboard.Board{Ties: leaderboard.LaterFirst}, []step{{best, 10, 0}, {best, 10, 0}}, []result{{true, 10}, {false, 10}}, true},
		"best, then better":            {leaderboard.Board{}, []step{{best, 10, 0}, {best, 11, 0}}, []result{{true, 10}, {true, 11}}, false},
		"lowest, then highest":         {leaderboard.Board{}, []step{{best, lowest, lowest}, {best, highest, highest}}, []result{{true, lowest}, {true, highest}}, false},
		"highest, then lowest":         {leaderboard.Board{}, []step{{best, highest, highest}, {best, lowest, lowest}}, []result{{true, highest}, {false, highest}}, true},
		"the low score wins":           {leaderboard.Board{Order: leaderboard.Ascending}, []step{{best, 30, 0}, {best, 25, 0}, {best, 26, 0}}, []result{{true, 30}, {true, 25}, {false, 25}}, false},
		"a better sub score":           {leaderboard.Board{}, []step{{best, 10, 1}, {best, 10, 2}, {best, 10, 1}}, []result{{true, 10}, {true, 10}, {false, 10}}, false},
		"a lower sub score":            {lowSubs, []step{{best, 10, 1}, {best, 10, 2}, {best, 10, 0}}, []result{{true, 10}, {false, 10}, {true, 10}}, false},
		"best among others":            {every(""), []step{{best, 10, 0}, {best, 9, 0}, {best, 11, 0}}, []result{{true, 10}, {false, 10}, {true, 11}}, false},
		"set":                          {every(""), []step{{set, 50, 0}, {set, 20, 0}, {set, 60, 0}}, []result{{true, 50}, {false, 20}, {true, 60}}, false},
		"set to the same":              {every(""), []step{{set, 50, 7}, {set, 50, 7}}, []result{{true, 50}, {false, 50}}, true},
		"set the sub score":            {every(""), []step{{set, 50, 7}, {set, 50, 6}}, []result{{true, 50}, {false, 50}}, false},
		"set, the low score wins":      {lows, []step{{set, 50, 0}, {set, 20, 0}}, []result{{true, 50}, {true, 20}}, false},
		"increment an absent one":      {every(""), []step{{up, 5, 0}, {up, 6, 0}}, []result{{true, 5}, {true, 11}}, false},
		"increment an absent one by 0": {every(""), []step{{up, 0, 0}, {up, 0, 0}}, []result{{true, 0}, {false, 0}}, true},
		"increment by 0":               {every(""), []step{{set, 5, 0}, {up, 0, 0}}, []result{{true, 5}, {false, 5}}, true},
		"increment by less than 0":     {every(""), []step{{set, 5, 0}, {up, -6, 0}}, []result{{true, 5}, {false, -1}}, false},
		"decrement below zero":         {every(""), []step{{set, 5, 0}, {down, 6, 0}}, []result{{true, 5}, {false, -1}}, false},
		"decrement by the lowest":      {every(""), []step{{set, -1, 0}, {down, lowest, 0}}, []result{{true, -1}, {true, highest}}, false},
		"decrement below the floor":    {floored, []step{{set, 5, 0}, {down, 6, 0}, {down, 1, 0}}, []result{{true, 5}, {false, 0}, {false, 0}}, false},
		"set below the floor":          {floored, []step{{set, -5, 0}}, []result{{true, 0}}, true},
		"best below the floor":         {leaderboard.Board{Floor: ptr(leaderboard.Int(3))}, []step{{best, -5, 0}, {best, 2, 0}}, []result{{true, 3}, {false, 3}}, true},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both := map[string]world{name: w, name + ", with rules": refusing}
			if !faults.Full() { // by turns
				delete(both, []string{name, name + ", with rules"}[len(name)%2])
			}
			for what, w := range both {
				c.board.Name = what
				w.define(t, c.board)
				var first, before leaderboard.Score
				var key []byte
				for i, step := range c.steps {
					s := with(score(what, "ann", step.score, i), step.operator)
					s.Sub = step.sub
					got := w.submit(t, s)
					require.NotZero(t, got.Op)
					want := leaderboard.Result{
						Op: got.Op, Period: forever, Improved: c.want[i].improved,
						Existed: i > 0, Old: before, New: leaderboard.Int(c.want[i].stands),
					}
					require.Equal(t, want, got, "step %d", i)
					before = got.New
					e := w.entry(t, "ann", what, forever)
					require.Equal(t, got.New.String(), e.Score)
					if i == 0 {
						first, key = got.New, e.Key
					}
				}
				e := w.entry(t, "ann", what, forever)
				require.Equal(t, c.keeps, string(key) == string(e.Key), "%v to %v", first, before)
				require.Equal(t, []string{"ann " + before.String()}, w.standings(t, what, forever, 1))
			}
		})
	}
}

func TestTiesAreOrdered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	late := score("", "ann", 50, 2)
	early := score("", "bob", 50, 1)
	twin := score("", "cat", 50, 1)
	sub := score("", "dan", 50, 3)
	sub.Sub = 1
	low := score("", "eve", 30, 0)
	for name, c := range map[string]struct {
		board leaderboard.Board
		want  []string
	}{
		"the earlier first": {leaderboard.Board{}, []string{"dan 50", "bob 50", "cat 50", "ann 50", "eve 30"}},
		"the later first":   {leaderboard.Board{Ties: leaderboard.LaterFirst}, []string{"dan 50", "ann 50", "bob 50", "cat 50", "eve 30"}},
		"the low sub score": {leaderboard.Board{SubOrder: leaderboard.Ascending}, []string{"bob 50", "cat 50", "ann 50", "dan 50", "eve 30"}},
		"the low score":     {leaderboard.Board{Order: leaderboard.Ascending}, []string{"eve 30", "dan 50", "bob 50", "cat 50", "ann 50"}},
	} {
		c.board.Name = name
		w.define(t, c.board)
		for _, s := range []leaderboard.Submission{twin, low, late, sub, early} {
			s.Board = name
			w.submit(t, s)
		}
		require.Equal(t, c.want, w.standings(t, name, forever, 1), name)
	}
}

func TestEveryNumberIsStoredAndOrdered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	floats := []float64{math.Inf(-1), -1e126, -1, -5e-324, 0, 5e-324, 1e126, math.Inf(1)}
	ints := []int64{math.MinInt64, -1, 0, 1, math.MaxInt64}
	for _, order := range []leaderboard.Order{leaderboard.Ascending, leaderboard.Descending} {
		for kind, n := range map[leaderboard.Kind]int{leaderboard.KindFloat: len(floats), leaderboard.KindInt: len(ints)} {
			board := fmt.Sprint("board ", order, kind)
			w.define(t, leaderboard.Board{Name: board, Kind: kind, Order: order})
			var want []string
			for i := range n {
				s := score(board, string(rune('a'+i)), 0, i)
				if kind == leaderboard.KindFloat {
					s.Score = leaderboard.Float(floats[i])
				} else {
					s.Score = leaderboard.Int(ints[i])
				}
				got := w.submit(t, s)
				require.Equal(t, s.Score, got.New)
				require.Equal(t, kind, got.Old.Kind())
				line := s.Player + " " + s.Score.String()
				if order == leaderboard.Ascending {
					want = append(want, line)
				} else {
					want = append([]string{line}, want...)
				}
			}
			require.Equal(t, want, w.standings(t, board, forever, 1), board)
		}
	}

	w.define(t, leaderboard.Board{Name: "zero", Kind: leaderboard.KindFloat})
	for i, zero := range []float64{0, math.Copysign(0, -1)} {
		s := score("zero", "ann", 0, i)
		s.Score = leaderboard.Float(zero)
		require.Equal(t, i == 0, w.submit(t, s).Improved, "the two zeros are one")
	}
}

func TestTheBestOfConcurrentScoresIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Shards: 4})
	players := faults.Size(32, 6)
	var group sync.WaitGroup
	for p := range players {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(p), 0))
			scores := append(random.Perm(1000)[:faults.Size(20, 4)], 1000)
			var one sync.WaitGroup // scores of one player, two at a time
			for range 2 {
				for i, n := range random.Perm(len(scores)) {
					one.Go(func() { w.submit(t, score("b", fmt.Sprintf("p%02d", p), int64(scores[n]), 0)) })
					if i%4 == 0 {
						one.Wait()
					}
				}
			}
			one.Wait()
		})
	}
	group.Wait()
	var want []string
	for p := range players {
		want = append(want, fmt.Sprintf("p%02d 1000", p))
	}
	require.Equal(t, want, w.standings(t, "b", forever, 4))
}

func TestNameStaysAndMetaGoesWithTheScore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	s := score("b", "ann", 1, 0)
	s.Name, s.Meta = "Ann", []byte(`{"replay":1}`)
	w.submit(t, s)
	e := w.entry(t, "ann", "b", forever)
	require.Equal(t, "Ann", e.Name)
	require.Equal(t, `{"replay":1}`, e.Meta)

	s = score("b", "ann", 1, 1)
	s.Name, s.Meta = "Anna", []byte(`2`)
	w.submit(t, s)
	e.Rev++
	e.Name = "Anna"
	require.Equal(t, e, w.entry(t, "ann", "b", forever), "what leaves the score leaves all but the name")

	w.submit(t, score("b", "ann", 2, 2))
	e = w.entry(t, "ann", "b", forever)
	require.Equal(t, "Anna", e.Name)
	require.Empty(t, e.Meta)
}

func TestOnlyANewerVersionIsSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, every("b"))
	version := func(v uint64, n int64, i int) leaderboard.Submission {
		s := score("b", "ann", n, i)
		s.Version = v
		return s
	}
	var key []byte // the first
	for i, c := range []struct {
		version  uint64
		score    int64
		stands   int64
		repeated bool
		stored   uint64
	}{
		{5, 50, 50, false, 5},
		{4, 40, 50, false, 5}, // older
		{5, 50, 50, true, 5},
		{7, 50, 50, false, 7}, // the same score: the time stays, the version is stored
		{6, 60, 50, false, 7},
		{8, 20, 20, false, 8},
	} {
		got, created, err := w.Submit(t.Context(), version(c.version, c.score, i))
		require.NoError(t, err)
		e := w.entry(t, "ann", "b", forever)
		if i == 0 {
			key = e.Key
		}
		require.Equal(t, c.stands == 50, bytes.Equal(key, e.Key), "step %d", i)
		require.Equal(t, leaderboard.Int(c.stands), got.New, "step %d", i)
		require.Equal(t, c.repeated, !created, "step %d", i)
		require.Equal(t, c.stored, e.Version, "step %d", i)
	}
	w.submit(t, with(score("b", "ann", 3, 9), leaderboard.Increment))
	require.Equal(t, leaderboard.Int(23), w.submit(t, version(8, 20, 10)).New, "also among other operations")
}

// remove changes an entry to what Remove leaves of it.
func (w world) remove(t testing.TB, player, board string, removal ids.ID) {
	t.Helper()
	err := w.raw(t).Update("pk", "P#"+player).Range("sk", "LB#"+board+"#"+forever).
		Remove("part", "key", "score").Set("removed", removal).Add("rev", 1).Run(t.Context())
	require.NoError(t, err)
}

func TestSubmitDoesNotRelyOnStaleReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	positive := every("b")
	positive.Min = ptr(leaderboard.Int(0))
	w.define(t, positive)
	w.submit(t, score("b", "ann", 5, 0))
	lagging := w.process(t, nil, faults.New(t, 1, faults.Rates{Stale: 1}).Wrap)
	got := lagging.submit(t, with(score("b", "ann", 3, 1), leaderboard.Decrement))
	require.Equal(t, leaderboard.Int(2), got.New)
}

func TestARemovedPlayerReturnsWithANewerSubmission(t *testing.T) {
	t.Parallel()
	refuse := func(context.Context, leaderboard.Submission, leaderboard.Result) error { return nil }
	for name, c := range map[string]struct {
		board leaderboard.Board
		opts  *leaderboard.Options
	}{
		"best":      {leaderboard.Board{}, nil},
		"best read": {leaderboard.Board{}, &leaderboard.Options{Refuse: refuse}},
		"set":       {leaderboard.Board{Operator: leaderboard.Set}, nil},
	} {
		w := newWorld(t, c.opts)
		c.board.Name = "b"
		w.define(t, c.board)
		op := func(v int64, op ids.ID) leaderboard.Submission {
			s := score("b", "ann", v, 0)
			s.Op = op
			return s
		}
		never, first := op(200, w.id()), op(100, w.id())
		w.submit(t, first)
		removal := w.id()
		w.remove(t, "ann", "b", removal)
		for _, old := range []leaderboard.Submission{first, never, op(100, removal)} {
			_, _, err := w.Submit(t.Context(), old)
			require.ErrorIs(t, err, plaza.ErrRemoved, name)
		}
		require.Empty(t, w.standings(t, "b", forever, 1), name)

		got := w.submit(t, score("b", "ann", 30, 1))
		require.False(t, got.Existed, name)
		require.True(t, got.Improved, name)
		require.Equal(t, []string{"ann 30"}, w.standings(t, "b", forever, 1), name)
		for _, old := range []leaderboard.Submission{first, never} {
			_, _, err := w.Submit(t.Context(), old)
			require.ErrorIs(t, err, plaza.ErrRemoved, name)
		}
		require.Equal(t, []string{"ann 30"}, w.standings(t, "b", forever, 1), name)
	}

	w := newWorld(t, nil)
	w.define(t, every("b"))
	s := score("b", "ann", 100, 0)
	s.Version = 5
	w.submit(t, s)
	w.remove(t, "ann", "b", w.id())
	_, _, err := w.Submit(t.Context(), s)
	require.ErrorIs(t, err, plaza.ErrRemoved, "a version that was known")
	s.Version = 6
	late := s
	late.Op = ids.At(noon.Add(-time.Minute)) // from before the removal
	_, _, err = w.Submit(t.Context(), late)
	require.ErrorIs(t, err, plaza.ErrRemoved, "a newer version all the same")
	require.False(t, w.submit(t, s).Existed)
	require.Equal(t, []string{"ann 100"}, w.standings(t, "b", forever, 1))
}

func TestAHiddenPlayerStaysHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for board, b := range map[string]leaderboard.Board{"best": {}, "set": {Operator: leaderboard.Set}, "version": {Operator: leaderboard.Set}} {
		b.Name = board
		w.define(t, b)
		s := score(board, "ann", 1, 0)
		if board == "version" {
			s.Version = 1
		}
		w.submit(t, s)
		require.NoError(t, w.raw(t).Update("pk", "P#ann").Range("sk", "LB#"+board+"#"+forever).Set("part", "hidden").Run(t.Context()))
		s.Score = leaderboard.Int(2)
		if board == "version" {
			s.Version = 2
		}
		w.submit(t, s)
		e := w.entry(t, "ann", board, forever)
		require.Equal(t, "hidden", e.Part, board)
		require.Equal(t, "2", e.Score, board)
	}
}

func TestRefuseSeesTheResult(t *testing.T) {
	t.Parallel()
	cheat := errors.New("cannot be")
	var seen []leaderboard.Result
	w := newWorld(t, &leaderboard.Options{Refuse: func(_ context.Context, s leaderboard.Submission, r leaderboard.Result) error {
		require.NotZero(t, s.Op)
		require.False(t, s.At.IsZero())
		require.NotEmpty(t, s.Operator)
		seen = append(seen, r)
		if r.New.Int64() > r.Old.Int64()+100 {
			return cheat
		}
		return nil
	}})
	w.define(t, leaderboard.Board{Name: "best"})
	w.define(t, leaderboard.Board{Name: "sum", Operator: leaderboard.Increment})
	for _, board := range []string{"best", "sum"} {
		seen = nil
		require.True(t, w.submit(t, score(board, "ann", 90, 0)).Improved)
		_, _, err := w.Submit(t.Context(), score(board, "ann", 300, 1))
		require.ErrorIs(t, err, cheat)
		require.ErrorIs(t, err, plaza.ErrForbidden)
		require.Len(t, seen, 2)
		require.Equal(t, leaderboard.Int(90), seen[1].Old)
		require.True(t, seen[1].Existed)
		require.Equal(t, []string{"ann 90"}, w.standings(t, board, forever, 1))
	}
	seen = nil
	require.False(t, w.submit(t, score("best", "ann", 80, 2)).Improved)
	require.Empty(t, seen, "what changes nothing is not asked about")
}

func TestManySubmissionsAreAnsweredInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, every("b"))
	var many []leaderboard.Submission
	for i := range faults.Size(30, 20) {
		s := score("b", fmt.Sprint("p", i%7), int64(i), i)
		if i%10 == 9 {
			s.Player = ""
		}
		many = append(many, s)
	}
	last := map[string]int64{}
	results, err := w.SubmitMany(t.Context(), many)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	for i, o := range results {
		if many[i].Player == "" {
			require.ErrorIs(t, o.Err, plaza.ErrInvalid)
			continue
		}
		require.NoError(t, o.Err)
		require.Equal(t, many[i].Score, o.Value.New)
		before, existed := last[many[i].Player]
		require.Equal(t, existed, o.Value.Existed)
		require.Equal(t, leaderboard.Int(before), o.Value.Old, "those of one player in the order given")
		last[many[i].Player] = int64(i)
	}
	require.Empty(t, w.submitMany(t, nil))
}

func TestTheLargestSubmissionFits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	long := func(n int) string { return fmt.Sprintf("%*s", n, "#") }
	w.define(t, leaderboard.Board{Name: long(256), Operator: leaderboard.Increment})
	var ops []ids.ID
	for i := range 17 {
		s := score(long(256), long(256), math.MaxInt64/32, i)
		s.Name, s.Op = long(leaderboard.MaxName), w.id()
		s.Meta = []byte(`"` + long(leaderboard.MaxMeta-2) + `"`)
		ops = append(ops, w.submit(t, s).Op)
	}
	s := score(long(256), long(256), math.MaxInt64/32, 16)
	s.Op, s.Name, s.Meta = ops[16], long(leaderboard.MaxName), []byte(`"`+long(leaderboard.MaxMeta-2)+`"`)
	w.repeat(t, s)
}

func TestShardsShareTheWrites(t *testing.T) {
	t.Parallel()
	const shards = 8
	players := faults.Size(400, 64)
	parts := newPartCounter()
	w := newWorld(t, nil, parts.wrap)
	w.define(t, leaderboard.Board{Name: "b", Shards: shards})
	var many []leaderboard.Submission
	for i := range players {
		many = append(many, score("b", fmt.Sprint("player ", i), 1, 0), score("b", fmt.Sprint("player ", i), 2, 1))
	}
	w.submitMany(t, many)
	hottest, sum := parts.counts()
	require.Equal(t, 2*players, sum)
	t.Logf("%d writes to the index, %d of them to the hottest of %d partitions", sum, hottest, shards)
	require.Less(t, hottest, sum/shards*5/4)
	require.Len(t, w.standings(t, "b", forever, shards), players)
}

func TestAMissingIndexIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	r, err := leaderboard.New(dynamotest.DB(t), "no-such-table", w.clock, nil)
	require.NoError(t, err)
	require.ErrorIs(t, errorOf(r.Define(t.Context(), leaderboard.Board{Name: "b"})), plaza.ErrTable)
	got, _, err := r.Submit(t.Context(), leaderboard.Submission{Board: "b", Player: "ann"})
	require.ErrorIs(t, err, plaza.ErrTable)
	require.NotZero(t, got.Op, "the identity is returned beside an error")
}

func TestWithoutAnOpOneIsMinted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	s := score("b", "ann", 1, 0)
	s.At = time.Time{}
	first, second := w.submit(t, s), w.submit(t, s)
	require.NotEqual(t, first.Op, second.Op)
	require.Equal(t, leaderboard.Int(2), second.New)
	s.Op = second.Op
	require.Equal(t, second.New, w.repeat(t, s).New)
}

// Submit makes the identity and returns it beside the error. A repeat with it gets the
// first answer, even after a reset.
func TestAFailedSubmissionIsRepeatedWithTheReturnedOp(t *testing.T) {
	t.Parallel()
	for then, operator := range map[faults.Kind]leaderboard.Operator{
		faults.LostAfter: leaderboard.Best, faults.Throttled: leaderboard.Increment, faults.Conflict: leaderboard.Best, faults.Refused: leaderboard.Increment,
	} {
		in := faults.New(t, 1, faults.Rates{})
		w := newWorld(t, nil, in.Wrap)
		w.define(t, leaderboard.Board{Name: "b", Operator: operator, Cron: "@hourly", Grace: time.Hour})
		s := leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(5)}
		w.submit(t, leaderboard.Submission{Board: "b", Player: "bob", Score: leaderboard.Int(1)}) // opens the period
		lost := false
		in.Script(func(op string, _ []byte, _ int) faults.Fault {
			if op != "UpdateItem" {
				return faults.Fault{}
			}
			if lost {
				return faults.Fault{Kind: then}
			}
			lost = true
			return faults.Fault{Kind: faults.LostAfter}
		})
		first, _, err := w.Submit(t.Context(), s)
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome, then)
		require.True(t, lost)
		in.Script(nil)
		s.Op = first.Op
		w.set(w.Now().Add(time.Hour))
		require.EqualValues(t, 5, w.repeat(t, s).New.Int64())
	}
}

// The SDK sends a submission again that the entry has just forgotten.
func TestAForgottenSubmissionWhoseAnswerWasLostIsUnknown(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	w.submit(t, score("b", "ann", 1, 0))
	slow, updates := w.process(t, nil, in.Wrap), 0
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op != "UpdateItem" {
			return faults.Fault{}
		}
		if updates++; updates == 1 {
			return faults.Fault{Kind: faults.LostAfter}
		}
		for i := range 17 {
			w.submit(t, score("b", "ann", 1, i))
		}
		return faults.Fault{}
	})
	_, _, err := slow.Submit(t.Context(), score("b", "ann", 1, 0))
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	require.NotErrorIs(t, err, plaza.ErrConflict)
	require.Equal(t, "19", w.entry(t, "ann", "b", forever).Score)
}

// The test repeats each of 17 increments. The entry has just forgotten the first.
func TestTheOldestOfManyIncrementsIsNotAppliedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	var sent []leaderboard.Submission
	for i := range 17 {
		s := score("b", "ann", 1, i)
		s.Op = w.id()
		w.submit(t, s)
		sent = append(sent, s)
	}
	for i, s := range sent {
		if i > 0 {
			w.repeat(t, s)
			continue
		}
		_, created, err := w.Submit(t.Context(), s)
		require.ErrorIs(t, err, leaderboard.ErrOpTooOld)
		require.False(t, created)
	}
	require.Equal(t, "17", w.entry(t, "ann", "b", forever).Score)
}
