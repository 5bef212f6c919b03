package leaderboard

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/internal/store"
)

// better compares two places as the board defines it, the better first.
func (o order) better(a, b place) int {
	along := func(order Order, n int) int {
		if order == Descending {
			return -n
		}
		return n
	}
	at := a.at.Compare(b.at)
	if o.latestFirst {
		at = -at
	}
	return cmp.Or(along(o.score, a.score.Compare(b.score)), along(o.sub, cmp.Compare(a.sub, b.sub)), at, strings.Compare(a.player, b.player))
}

func orders(t *rapid.T) order {
	directions := rapid.SampledFrom([]Order{Descending, Ascending})
	return order{
		kind:        rapid.SampledFrom([]Kind{KindInt, KindFloat}).Draw(t, "kind"),
		score:       directions.Draw(t, "order"),
		sub:         directions.Draw(t, "sub order"),
		latestFirst: rapid.Bool().Draw(t, "latest first"),
	}
}

var (
	anyInt   = rapid.OneOf(rapid.Int64(), rapid.Int64Range(-2, 2), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64}))
	anyFloat = rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{
		math.Inf(-1), -math.MaxFloat64, -1e126, -1, -5e-324, math.Copysign(0, -1), 0, 5e-324, 1, 1e126, math.MaxFloat64, math.Inf(1),
	}))
)

func places(t *rapid.T, o order) place {
	s := place{
		sub:    rapid.OneOf(rapid.Just(int64(0)), anyInt).Draw(t, "sub"),
		at:     time.Unix(0, rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Min(0)).Draw(t, "at")).UTC(),
		player: rapid.StringOfN(rapid.SampledFrom([]rune("ab#\x00é用")), 1, 3, -1).Draw(t, "player"),
	}
	if o.kind == KindFloat {
		s.score = Float(anyFloat.Draw(t, "score"))
	} else {
		s.score = Int(anyInt.Draw(t, "score"))
	}
	return s
}

func TestOrderKeysSortAsTheirPlaces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := orders(t)
		a, b := places(t, o), places(t, o)
		for _, equal := range []func(){
			func() { b.score = a.score }, func() { b.sub = a.sub }, func() { b.at = a.at }, func() { b.player = a.player },
		} {
			if rapid.Bool().Draw(t, "equal") {
				equal()
			}
		}
		key, other := o.appendKey(nil, a), o.appendKey([]byte("x"), b)[1:]
		require.Equal(t, o.better(a, b), bytes.Compare(key, other))
		got, err := o.parseKey(key)
		require.NoError(t, err)
		require.Equal(t, a, got)

		// Best compares this part of the key.
		decides := o.better(place{score: a.score, sub: a.sub}, place{score: b.score, sub: b.sub}) < 0
		require.Equal(t, decides, bytes.Compare(other, worse(key)) > 0)
	})
}

// Each line of the files is a key: its board, its place, and its bytes.
func TestOrderKeysInTheFiles(t *testing.T) {
	t.Parallel()
	for _, line := range fileLines(t, "orderkey-valid.txt") {
		o, fields := fileOrder(t, line)
		key, err := hex.DecodeString(fields[len(fields)-1])
		require.NoError(t, err, line)
		s, err := o.parseKey(key)
		require.NoError(t, err, line)
		require.Equal(t, strings.Join(fields, " "), fmt.Sprint(s.score, " ", s.sub, " ", s.at.UnixNano(), " ", s.player, " ", hex.EncodeToString(key)))
		require.Equal(t, key, o.appendKey(nil, s), line)
	}
	for _, line := range fileLines(t, "orderkey-invalid.txt") {
		o, fields := fileOrder(t, line)
		key, err := hex.DecodeString(strings.Join(fields, ""))
		require.NoError(t, err, line)
		_, err = o.parseKey(key)
		require.ErrorIs(t, err, errDamaged, line)
	}
}

func fileLines(t testing.TB, file string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// fileOrder reads kind, order, sub order and ties, and returns the other fields.
func fileOrder(t testing.TB, line string) (order, []string) {
	t.Helper()
	fields := strings.Fields(line)
	require.GreaterOrEqual(t, len(fields), 4, line)
	return order{
		kind:        map[string]Kind{"int": KindInt, "float": KindFloat}[fields[0]],
		score:       map[string]Order{"descending": Descending, "ascending": Ascending}[fields[1]],
		sub:         map[string]Order{"descending": Descending, "ascending": Ascending}[fields[2]],
		latestFirst: fields[3] == "later",
	}, fields[4:]
}

func FuzzParseKey(f *testing.F) {
	for _, file := range []string{"orderkey-valid.txt", "orderkey-invalid.txt"} {
		for _, line := range fileLines(f, file) {
			_, fields := fileOrder(f, line)
			if len(fields) == 0 {
				continue
			}
			key, err := hex.DecodeString(fields[len(fields)-1])
			require.NoError(f, err)
			f.Add(key, byte(len(line)))
		}
	}
	f.Fuzz(func(t *testing.T, key []byte, board byte) {
		o := order{latestFirst: board&1 != 0}
		if board&2 != 0 {
			o.kind = KindFloat
		}
		if board&4 != 0 {
			o.score = Ascending
		}
		if board&8 != 0 {
			o.sub = Ascending
		}
		if s, err := o.parseKey(key); err == nil {
			require.Equal(t, key, o.appendKey(nil, s))
		} else {
			require.ErrorIs(t, err, errDamaged)
		}
	})
}

func TestEncodingAnOrderKeyAllocatesNothing(t *testing.T) {
	s := place{score: Float(1234.5), sub: 7, at: time.Unix(1_780_000_000, 0), player: "a player of 16 b"}
	key := make([]byte, 0, 64)
	require.Zero(t, testing.AllocsPerRun(100, func() { key = order{kind: KindFloat}.appendKey(key[:0], s) }))
}

// No key lies between a bound and the key that it belongs to.
func TestBoundsSeparateTheKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := orders(t)
		a, b := places(t, o), places(t, o)
		if rapid.Bool().Draw(t, "least end") {
			a.player += "\x00"
		}
		if rapid.Bool().Draw(t, "near") {
			player := b.player
			b = a
			b.player = rapid.SampledFrom([]string{player, a.player, a.player + "\x00", a.player + "a"}).Draw(t, "player")
		}
		key, other := o.appendKey(nil, a), o.appendKey(nil, b)
		require.Equal(t, bytes.Compare(other, key) < 0, bytes.Compare(other, before(key)) <= 0)
		require.Equal(t, bytes.Compare(other, key) <= 0, bytes.Compare(other, store.After(key)) < 0)
		for _, n := range []int{scored, decided} {
			worse := bytes.Compare(other[:n], key[:n]) > 0
			bound := store.Past(key[:n])
			require.Equal(t, worse, bound != nil && bytes.Compare(other, bound) >= 0)
		}
	})
	require.Nil(t, store.Past([]byte{0xff, 0xff}))
}

func TestGapsRoundTrip(t *testing.T) {
	t.Parallel()
	key := order{}.appendKey(nil, place{at: time.Unix(1, 0), player: "ann"})
	for _, g := range []gap{
		{above: 0, tie: 1, key: key},
		{above: 20_000, tie: 7, last: 30_000, key: store.After(key)},
		{above: math.MaxInt32, tie: math.MaxInt32 + 1, key: key},
	} {
		got, ok := parseGap(g.String())
		require.True(t, ok)
		require.Equal(t, g, got)
	}
	for name, g := range map[string]gap{
		"no tie":                 {above: 1, key: key},
		"a tie below":            {above: 1, tie: 3, key: key},
		"a negative number":      {above: -1, tie: 1, key: key},
		"a negative end":         {above: 1, tie: 1, last: -1, key: key},
		"no key":                 {above: 1, tie: 1},
		"a key that is too long": {above: 1, tie: 1, key: make([]byte, store.MaxIndexKey+1)},
	} {
		_, ok := parseGap(g.String())
		require.False(t, ok, name)
	}
}

func FuzzParseGap(f *testing.F) {
	f.Add("\x02\x01\x00" + string(make([]byte, 25)))
	f.Add("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		g, ok := parseGap(text)
		if !ok {
			return
		}
		again, ok := parseGap(g.String())
		require.True(t, ok)
		require.Equal(t, g, again)
	})
}
