package leaderboard

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Bounds lie where they say: nothing between them and their key.
func TestBoundsPartTheKeys(t *testing.T) {
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
		require.Equal(t, bytes.Compare(other, key) <= 0, bytes.Compare(other, after(key)) < 0)
		for _, n := range []int{scored, decided} {
			worse := bytes.Compare(other[:n], key[:n]) > 0
			bound := past(key[:n])
			require.Equal(t, worse, bound != nil && bytes.Compare(other, bound) >= 0)
		}
	})
	require.Nil(t, past([]byte{0xff, 0xff}))
}

func TestGapsAreReadBack(t *testing.T) {
	t.Parallel()
	key := order{}.appendKey(nil, place{at: time.Unix(1, 0), player: "ann"})
	for _, g := range []gap{
		{above: 0, tie: 1, key: key},
		{above: 20_000, tie: 7, last: 30_000, key: after(key)},
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
		"a key that is too long": {above: 1, tie: 1, key: make([]byte, longest+1)},
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
