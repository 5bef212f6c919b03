package leaderboard_test

import (
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/leaderboard"
)

// TestSubScoresAreStored beside the key that has them too: each repairs the other.
func TestSubScoresAreStored(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, nil), leaderboard.In{Board: "b"}
	w.define(t, leaderboard.Board{Name: "b"})
	s := score("b", "ann", 40, 0)
	s.Sub = -9
	w.submit(t, s)
	whole := func(broken int) {
		t.Helper()
		for _, left := range []int{broken, 0} {
			drift, err := w.Repair(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, left, drift.Broken)
		}
	}
	entry := func() *dynamo.Update { return w.raw(t).Update("pk", "P#ann").Range("sk", "LB#b#"+forever) }
	whole(0)
	for name, damage := range map[string]*dynamo.Update{
		"sub is gone":    entry().Remove("sub"),
		"sub is another": entry().Set("sub", 7),
		"sub is no sub":  entry().Set("sub", "x"),
		"key is damaged": entry().Set("key", []byte("x")),
	} {
		require.NoError(t, damage.Run(t.Context()))
		whole(1)
		e, err := w.Entry(t.Context(), in, "ann")
		require.NoError(t, err, name)
		require.Equal(t, leaderboard.Entry{Board: "b", Period: forever, Score: leaderboard.Int(40), Sub: -9}, e, name)
	}
	removed, err := w.Remove(t.Context(), in, "ann")
	require.NoError(t, err)
	require.True(t, removed)
	whole(0)
	var left map[string]any
	require.NoError(t, w.raw(t).Get("pk", "P#ann").Range("sk", dynamo.Equal, "LB#b#"+forever).One(t.Context(), &left))
	require.NotContains(t, left, "sub")
}
