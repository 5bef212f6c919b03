package fold

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSmoke(t *testing.T) {
	var s Set
	r := rand.New(rand.NewPCG(1, 2))
	var all [][]byte
	for i := range 200000 {
		k := []byte(fmt.Sprintf("%08x-%d", r.Uint32(), i))
		all = append(all, k)
		require.True(t, s.Add(k))
		require.False(t, s.Add(k))
	}
	slices.SortFunc(all, bytes.Compare)
	for i, k := range all {
		if i%97 == 0 {
			require.Equal(t, i, s.Above(k))
		}
	}
	var n uint64
	snap := s.Snapshot(func() BlockID { n++; return BlockID{1, n} })
	root, err := ParseRoot(snap.Root)
	require.NoError(t, err)
	require.EqualValues(t, 200000, root.Len())
	for i := range root.Blocks() {
		b, err := ParseBlock(snap.Blocks[i].Data)
		require.NoError(t, err)
		ls, err := root.Leaves(i, b)
		require.NoError(t, err)
		for _, l := range ls {
			require.EqualValues(t, l.Above, s.Above(l.From))
		}
	}
	for _, k := range all {
		require.True(t, s.Remove(k))
		require.False(t, s.Remove(k))
	}
	require.Zero(t, s.Len())
	require.Len(t, s.Published(snap), 0)
	snap = s.Snapshot(nil)
	require.Len(t, s.Published(snap), int(n))
}
