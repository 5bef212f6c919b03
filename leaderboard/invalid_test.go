package leaderboard_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

const broken = "a\xff"

var long = strings.Repeat("x", 257)

// requireInvalid fails unless err names the field.
func requireInvalid(t *testing.T, field string, err error) {
	t.Helper()
	require.ErrorIs(t, err, plaza.ErrInvalid)
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, field, invalid.Field)
}

func TestInvalidInputSendsNoRequest(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	one := func(change func(*leaderboard.Submission)) func() error {
		return func() error {
			s := score("b", "ann", 1, 0)
			change(&s)
			_, _, err := w.Submit(t.Context(), s)
			return err
		}
	}
	board := func(b leaderboard.Board) func() error {
		if b.Name == "" {
			b.Name = "b"
		}
		return func() error { return errorOf(w.Define(t.Context(), b)) }
	}
	for name, c := range map[string]struct {
		field string
		call  func() error
	}{
		"no board":         {"Board", one(func(s *leaderboard.Submission) { s.Board = "" })},
		"a long board":     {"Board", one(func(s *leaderboard.Submission) { s.Board = long })},
		"no player":        {"Player", one(func(s *leaderboard.Submission) { s.Player = "" })},
		"a long player":    {"Player", one(func(s *leaderboard.Submission) { s.Player = long })},
		"a broken player":  {"Player", one(func(s *leaderboard.Submission) { s.Player = broken })},
		"NaN":              {"Score", one(func(s *leaderboard.Submission) { s.Score = leaderboard.Float(math.NaN()) })},
		"unknown operator": {"Operator", one(func(s *leaderboard.Submission) { s.Operator = "double" })},
		"64 bits of op":    {"Op", one(func(s *leaderboard.Submission) { s.Op = 1 << 63 })},
		"a long name":      {"Name", one(func(s *leaderboard.Submission) { s.Name = long[:leaderboard.MaxName+1] })},
		"a broken name":    {"Name", one(func(s *leaderboard.Submission) { s.Name = broken })},
		"a long meta": {"Meta", one(func(s *leaderboard.Submission) {
			s.Meta = []byte(`"` + strings.Repeat("x", leaderboard.MaxMeta-1) + `"`)
		})},
		"no JSON":       {"Meta", one(func(s *leaderboard.Submission) { s.Meta = []byte(`{`) })},
		"broken JSON":   {"Meta", one(func(s *leaderboard.Submission) { s.Meta = []byte(`"\ud800"`) })},
		"too early":     {"At", one(func(s *leaderboard.Submission) { s.At = time.Unix(-1, 0) })},
		"in the future": {"At", one(func(s *leaderboard.Submission) { s.At = noon.Add(time.Minute + 1) })},
		"an op of then": {"Op", one(func(s *leaderboard.Submission) { s.Op = ids.At(noon.Add(time.Minute + time.Millisecond)) })},

		"no name":             {"Name", func() error { return errorOf(w.Define(t.Context(), leaderboard.Board{})) }},
		"a long board's name": {"Name", board(leaderboard.Board{Name: long})},
		"kind":                {"Kind", board(leaderboard.Board{Kind: "complex"})},
		"order":               {"Order", board(leaderboard.Board{Order: "up"})},
		"sub order":           {"SubOrder", board(leaderboard.Board{SubOrder: "up"})},
		"ties":                {"Ties", board(leaderboard.Board{Ties: "random"})},
		"ranking":             {"Ranking", board(leaderboard.Board{Ranking: "guess"})},
		"operator":            {"Operator", board(leaderboard.Board{Operator: "double"})},
		"allowed operator":    {"Allow[1]", board(leaderboard.Board{Allow: []leaderboard.Operator{leaderboard.Set, ""}})},
		"negative shards":     {"Shards", board(leaderboard.Board{Shards: -1})},
		"many shards":         {"Shards", board(leaderboard.Board{Shards: leaderboard.MaxShards + 1})},
		"min of other kind":   {"Min", board(leaderboard.Board{Min: ptr(leaderboard.Float(1))})},
		"max of other kind":   {"Max", board(leaderboard.Board{Kind: leaderboard.KindFloat, Max: ptr(leaderboard.Int(1))})},
		"floor not a number":  {"Floor", board(leaderboard.Board{Kind: leaderboard.KindFloat, Floor: ptr(leaderboard.Float(math.NaN()))})},
		"min above max":       {"Min", board(leaderboard.Board{Min: ptr(leaderboard.Int(2)), Max: ptr(leaderboard.Int(1))})},
		"floor below min":     {"Floor", board(leaderboard.Board{Min: ptr(leaderboard.Int(2)), Floor: ptr(leaderboard.Int(1))})},
		"floor above max":     {"Floor", board(leaderboard.Board{Max: ptr(leaderboard.Int(0)), Floor: ptr(leaderboard.Int(1))})},
		"zone without cron":   {"Zone", board(leaderboard.Board{Zone: "Asia/Shanghai"})},
		"unknown zone":        {"Zone", board(leaderboard.Board{Cron: "@daily", Zone: "Mars/Olympus"})},
		"cron":                {"Cron", board(leaderboard.Board{Cron: "now and then"})},
		"an interval":         {"Cron", board(leaderboard.Board{Cron: "@every 1h"})},
		"31 February":         {"Cron", board(leaderboard.Board{Cron: "0 0 31 2 *"})},
		"negative grace":      {"Grace", board(leaderboard.Board{Grace: -1})},
		"negative keep":       {"Keep", board(leaderboard.Board{Keep: -1})},
		"an endless grace":    {"Grace", board(leaderboard.Board{Grace: 200 * 365 * 24 * time.Hour})},
		"an endless keep":     {"Keep", board(leaderboard.Board{Keep: 200 * 365 * 24 * time.Hour})},

		"negative limit": {"Limit", func() error {
			_, err := w.Definitions(t.Context(), cursor.PageRequest{Limit: -1})
			return err
		}},
		"a forged gap": {"Cursor", func() error {
			forged := cursor.Plain().Encode(cursor.Scope{List: "leaderboard/definitions"}, []byte("d"+long))
			_, err := w.Definitions(t.Context(), cursor.PageRequest{Cursor: forged})
			require.ErrorIs(t, err, cursor.ErrInvalid)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) { requireInvalid(t, c.field, c.call()) })
	}
	require.Zero(t, meter.Take().Requests)
}

func TestRefusedSubmissionsWriteNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	bounded := every("bounded")
	bounded.Min, bounded.Max = ptr(leaderboard.Int(-10)), ptr(leaderboard.Int(10))
	floats := every("floats")
	floats.Kind = leaderboard.KindFloat
	for _, b := range []leaderboard.Board{bounded, floats, every("ints"), {Name: "best"}} {
		w.define(t, b)
	}
	submit := func(board, player string, operator leaderboard.Operator, s leaderboard.Score, version uint64) error {
		_, _, err := w.Submit(t.Context(), leaderboard.Submission{Board: board, Player: player, Operator: operator, Score: s, Version: version, At: noon})
		return err
	}
	before := w.items(t)
	Int, Float := leaderboard.Int, leaderboard.Float
	for name, c := range map[string]struct {
		field, board string
		operator     leaderboard.Operator
		score        leaderboard.Score
		version      uint64
	}{
		"above the maximum":   {"Score", "bounded", "", Int(11), 0},
		"below the minimum":   {"Score", "bounded", leaderboard.Best, Int(-11), 0},
		"the other kind":      {"Score", "ints", "", Float(1), 0},
		"the kind of others":  {"Score", "floats", "", Int(1), 0},
		"not allowed":         {"Operator", "best", leaderboard.Increment, Int(1), 0},
		"a version of no set": {"Version", "ints", leaderboard.Increment, Int(1), 1},
	} {
		t.Run(name, func(t *testing.T) {
			requireInvalid(t, c.field, submit(c.board, "ann", c.operator, c.score, c.version))
		})
	}
	require.ErrorIs(t, submit("unknown", "ann", "", Int(1), 0), plaza.ErrNotFound)
	require.Equal(t, before, w.items(t), "not even a period")

	for i, c := range []struct {
		board    string
		stands   leaderboard.Score
		operator leaderboard.Operator
		score    leaderboard.Score
	}{
		{"ints", Int(math.MaxInt64), leaderboard.Increment, Int(1)},
		{"ints", Int(math.MinInt64), leaderboard.Increment, Int(-1)},
		{"ints", Int(math.MinInt64), leaderboard.Decrement, Int(1)},
		{"ints", Int(0), leaderboard.Decrement, Int(math.MinInt64)},
		{"floats", Float(math.Inf(1)), leaderboard.Decrement, Float(math.Inf(1))},
		{"floats", Float(math.Inf(1)), leaderboard.Increment, Float(math.Inf(-1))},
		{"bounded", Int(9), leaderboard.Increment, Int(2)},
		{"bounded", Int(-9), leaderboard.Decrement, Int(2)},
	} {
		player := string(rune('a' + i))
		require.NoError(t, submit(c.board, player, leaderboard.Set, c.stands, 0))
		stood := w.entry(t, player, c.board, forever)
		requireInvalid(t, "Score", submit(c.board, player, c.operator, c.score, 0))
		require.Equal(t, stood, w.entry(t, player, c.board, forever), "%+v", c)
	}
	require.NoError(t, submit("floats", "a", leaderboard.Set, Float(math.MaxFloat64), 0))
	require.NoError(t, submit("floats", "a", leaderboard.Increment, Float(math.MaxFloat64), 0))
	require.Equal(t, "+Inf", w.entry(t, "a", "floats", forever).Score)
}

func TestAnotherSubmissionUnderAnOpIsAConflict(t *testing.T) {
	t.Parallel()
	takes := func(context.Context, leaderboard.Submission, leaderboard.Result) error { return nil }
	for name, c := range map[string]struct {
		board leaderboard.Board
		opts  *leaderboard.Options
	}{
		"best":      {leaderboard.Board{}, nil},
		"best read": {leaderboard.Board{}, &leaderboard.Options{Refuse: takes}},
		"every":     {every(""), nil},
	} {
		w := newWorld(t, c.opts)
		c.board.Name = "b"
		w.define(t, c.board)
		s := score("b", "ann", 50, 0)
		s.Op, s.Name, s.Meta = w.id(), "Ann", []byte(`1`)
		first := w.submit(t, s)
		stands := w.entry(t, "ann", "b", forever)
		for field, change := range map[string]func(*leaderboard.Submission){
			"score": func(s *leaderboard.Submission) { s.Score = leaderboard.Int(51) },
			"less":  func(s *leaderboard.Submission) { s.Score = leaderboard.Int(49) },
			"sub":   func(s *leaderboard.Submission) { s.Sub = 1 },
			"at":    func(s *leaderboard.Submission) { s.At = s.At.Add(1) },
			"name":  func(s *leaderboard.Submission) { s.Name = "Anna" },
			"meta":  func(s *leaderboard.Submission) { s.Meta = nil },
		} {
			other := s
			change(&other)
			w.refuses(t, other, plaza.ErrConflict, "%s: %s", name, field)
		}
		require.Equal(t, first, w.repeat(t, s), name)
		require.Equal(t, stands, w.entry(t, "ann", "b", forever), name)
	}

	w := newWorld(t, nil)
	w.define(t, every("b"))
	s := score("b", "bob", 1, 0)
	s.Op = w.id()
	w.submit(t, with(s, leaderboard.Increment))
	w.refuses(t, with(s, leaderboard.Decrement), plaza.ErrConflict)
}

func TestInvalidConfigurationFailsInNew(t *testing.T) {
	t.Parallel()
	db, gen := dynamo.NewFromIface(nil), &clock{}
	_, err := leaderboard.New(nil, "x", gen, nil)
	requireInvalid(t, "db", err)
	_, err = leaderboard.New(db, "", gen, nil)
	requireInvalid(t, "table", err)
	_, err = leaderboard.New(db, "x", nil, nil)
	requireInvalid(t, "gen", err)
	for _, c := range []struct {
		field string
		leaderboard.Options
	}{
		{"Options.Refresh", leaderboard.Options{Refresh: -1}},
		{"Options.Refresh", leaderboard.Options{Refresh: time.Minute + 1}},
		{"Options.Parallel", leaderboard.Options{Parallel: -1}},
		{"Options.Parallel", leaderboard.Options{Parallel: 1001}},
		{"Options.Poll", leaderboard.Options{Poll: -1}},
	} {
		_, err := leaderboard.New(db, "x", gen, &c.Options)
		requireInvalid(t, c.field, err)
	}
	boards, err := leaderboard.New(db, "x", gen, nil)
	require.NoError(t, err)
	_, err = boards.Deliver(t.Context(), nil)
	requireInvalid(t, "do", err)
	requireInvalid(t, "do", boards.Run(t.Context(), nil))
}
