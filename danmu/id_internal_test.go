package danmu

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/ids"
)

func TestAnyIDPrintsAndParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) ID {
			return ID{progress: rapid.Uint32().Draw(t, name), rest: rapid.Uint64Max(maxUnique).Draw(t, name)}
		}
		a, b := draw("a"), draw("b")
		back, err := ParseID(a.String())
		if err != nil || back != a {
			t.Fatalf("%#v printed %s, parsed %#v, %v", a, a, back, err)
		}
		if (a.Compare(b) < 0) != (a.String() < b.String()) || a.Progress() < b.Progress() && a.Compare(b) >= 0 {
			t.Fatalf("%s and %s", a, b)
		}
	})
}

// Ids spread evenly over the shards, however they are made.
func TestNeighboursSpreadEvenly(t *testing.T) {
	const n = 32_000
	begin := ids.At(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
	for name, unique := range map[string]func(i int) uint64{
		"one machine, a millisecond each": func(i int) uint64 { return uint64(begin) + uint64(i)<<22 + 5 },
		"one machine, 40 ms each":         func(i int) uint64 { return uint64(begin) + uint64(i)*40<<22 + 5 },
		"in one millisecond":              func(i int) uint64 { return uint64(begin) + uint64(i%256)<<14 + uint64(i/256) },
		"counted":                         func(i int) uint64 { return uint64(i) },
	} {
		var of [1 << hashBits]int
		for i := range n {
			of[ID{rest: unique(i)}.hash()]++
		}
		for h, got := range of {
			require.InDelta(t, n/len(of), got, 160, "%s: %d", name, h)
		}
	}
}

func TestCopiesAddUp(t *testing.T) {
	first := commentItem{Sent: 1, Text: "haha", Likes: 2, Reports: 1}
	second := commentItem{Sent: 2, Text: "haha", Likes: 3, Protected: true}
	want := commentItem{Sent: 1, Text: "haha", Likes: 5, Reports: 1, Protected: true}
	require.Equal(t, want, first.join(second))
	require.Equal(t, want, second.join(first))
	second.State = "removed"
	for _, both := range []commentItem{first.join(second), second.join(first)} {
		require.True(t, both.gone())
		require.EqualValues(t, 5, both.Likes)
	}
}
