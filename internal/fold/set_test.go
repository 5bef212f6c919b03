package fold

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// check requires what holds between any two calls.
func (s *Set) check(t require.TestingT) {
	require.Empty(t, s.flaw())
}

func (s *Set) flaw() string {
	var before []byte // the key
	keys := 0
	for i, b := range s.blocks {
		if len(b.leaves) >= 2*minBlock || len(s.blocks) > 1 && len(b.leaves) < minBlock {
			return fmt.Sprintf("block %d of %d has %d leaves", i, len(s.blocks), len(b.leaves))
		}
		inBlock := 0
		for j, l := range b.leaves {
			alone := len(s.blocks) == 1 && len(b.leaves) == 1
			first, n := i+j == 0, 0
			starts, last := map[mark]bool{}, mark{}
			switch {
			case l.n >= 2*minLeaf || l.n < minLeaf && !alone:
				return fmt.Sprintf("leaf %d of block %d has %d keys", j, i, l.n)
			case cap(l.data) > len(l.data)*3/2+128:
				return fmt.Sprintf("a leaf of %d bytes takes %d", len(l.data), cap(l.data))
			case first != (l.from == nil), !first && bytes.Compare(before, l.from) >= 0:
				return fmt.Sprintf("%q is before leaf %q", before, l.from)
			}
			for at := 0; at < len(l.data); n++ {
				from, to := keyAt(l.data, at)
				key := l.data[from:to]
				if before != nil && bytes.Compare(before, key) >= 0 || bytes.Compare(key, l.from) < 0 {
					return fmt.Sprintf("%q is before %q in leaf %q", before, key, l.from)
				}
				starts[mark{int32(at), int32(n)}] = true
				last = mark{int32(at), int32(n)}
				before, at = key, to
			}
			if n != l.n {
				return fmt.Sprintf("%d keys counted as %d", n, l.n)
			}
			for k, m := range l.marks {
				if n > 0 && !starts[m] || k > 0 && m.at < l.marks[k-1].at {
					return fmt.Sprintf("mark %d is %v", k, m)
				}
			}
			if l.marks[len(l.marks)-1] != last {
				return fmt.Sprintf("the last key is at %v, not %v", last, l.marks)
			}
			inBlock += n
		}
		if inBlock != b.n {
			return fmt.Sprintf("%d keys counted as %d", inBlock, b.n)
		}
		keys += inBlock
	}
	if keys != s.n {
		return fmt.Sprintf("%d keys counted as %d", keys, s.n)
	}
	return ""
}

func TestKeysOfAllKindsComeAndGoInAllOrders(t *testing.T) {
	t.Parallel()
	n := faults.Size(20_000, 1_200)
	for kind, key := range faults.Sample(1, kinds) {
		for order, in := range faults.Sample(1, orders) {
			t.Run(kind+", "+order, func(t *testing.T) {
				t.Parallel()
				var s Set
				var all [][]byte
				for i, k := range in(n) {
					scratch := []byte(key(k))
					require.True(t, s.Add(scratch))
					all = append(all, bytes.Clone(scratch))
					scratch[0]++ // the set has a copy
					if i%(n/10) == 0 {
						s.check(t)
					}
				}
				s.check(t)
				slices.SortFunc(all, bytes.Compare)
				for i, key := range all {
					if i%7 == 0 {
						require.False(t, s.Add(key))
						require.Equal(t, i, s.Above(key))
						require.Equal(t, i+1, s.Above(append(key[:len(key):len(key)], 0)))
					}
				}
				for i, k := range in(n) {
					require.True(t, s.Remove([]byte(key(k))))
					require.False(t, s.Remove([]byte(key(k))))
					if i%(n/10) == 0 || n-i < 5 {
						s.check(t)
					}
				}
				require.Zero(t, s.Len())
				require.Zero(t, s.Above([]byte("a")))
				require.True(t, s.Add([]byte("a")))
				s.check(t)
			})
		}
	}
}

func TestSettleDividesSharesAndJoins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sizes         []int
		i             int
		lo, hi, parts int
	}{
		"all is well":                       {[]int{256, 511}, 1, 0, 0, 0},
		"alone and small":                   {[]int{255}, 0, 0, 0, 0},
		"alone and full":                    {[]int{512}, 0, 0, 1, 2},
		"full beside full ones":             {[]int{384, 512, 500}, 1, 1, 2, 2},
		"full, shares with the one before":  {[]int{383, 512, 384}, 1, 0, 2, 2},
		"full, shares with the one after":   {[]int{300, 512, 299}, 1, 1, 3, 2},
		"full at the end":                   {[]int{300, 400, 512}, 2, 2, 3, 2},
		"short, joins the one before":       {[]int{256, 255}, 1, 0, 2, 1},
		"short, joins the one after":        {[]int{255, 256, 400}, 0, 0, 2, 1},
		"short, shares with the larger one": {[]int{256, 255, 257}, 1, 1, 3, 2},
	} {
		lo, hi, parts := settle(c.i, len(c.sizes), 256, func(i int) int { return c.sizes[i] })
		require.Equal(t, []int{c.lo, c.hi, c.parts}, []int{lo, hi, parts}, name)
	}
}

// All sizes up to three leaves, and back, with the invariants after each step.
func TestLeavesAreDividedAndJoinedAtTheirBounds(t *testing.T) {
	t.Parallel()
	for order, in := range faults.Sample(2, orders, "random") {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			var s Set
			keys := in(1200)
			for i, k := range keys {
				require.True(t, s.Add([]byte(kinds["scores"](k))))
				s.check(t)
				require.Equal(t, i < 511, len(s.blocks[0].leaves) == 1)
			}
			for _, k := range keys {
				require.True(t, s.Remove([]byte(kinds["scores"](k))))
				s.check(t)
			}
			require.Len(t, s.blocks[0].leaves, 1)
		})
	}
}

func key32(i int) []byte { return []byte{byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)} }

func TestASeparatorIsNoLongerThanItMustBe(t *testing.T) {
	t.Parallel()
	var s Set
	for i := range 5_000 {
		s.Add([]byte(kinds["scores"](i)))
	}
	leaves := s.blocks[0].leaves
	for i, l := range leaves[1:] {
		last := keyOf(leaves[i].data, int(leaves[i].marks[len(l.marks)-1].at))
		require.LessOrEqual(t, string(l.from[:len(l.from)-1]), string(last))
	}
}

// A board is loaded in the order of its keys.
func TestKeysInOrderLeaveLeavesAndBlocksThreeQuartersFull(t *testing.T) {
	t.Parallel()
	const n = 300_000
	for _, order := range []string{"ascending", "descending"} {
		var s Set
		for _, k := range orders[order](n) {
			s.Add(key32(k))
		}
		leaves := 0
		for _, b := range s.blocks {
			leaves += len(b.leaves)
		}
		s.check(t)
		require.InDelta(t, minLeaf*3/2, n/leaves, 4, order)
		require.GreaterOrEqual(t, leaves/len(s.blocks), minBlock*5/4, order)
	}
}
