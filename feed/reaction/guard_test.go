package reaction_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
)

// TestGuardsExpireOnlyOnceTheirUserIsErased also checks that a guard loses its
// expiry when a reaction begins.
func TestGuardsExpireOnlyOnceTheirUserIsErased(t *testing.T) {
	t.Parallel()
	now := time.Now()
	opts := options(1)
	opts.Now = func() time.Time { return now }
	w := newWorld(t, opts)
	guard := func() map[string]string { return edgetest.Scan(t, w.table)[edgetest.Key{"U#jack", "photo"}] }
	like := w.react(t, "jack", "photo", "like")
	unreact(t, w, like)
	require.Equal(t, like.ID.String(), guard()["ended#like"])
	require.NotContains(t, guard(), "ttl")
	require.NoError(t, w.Erase(t.Context(), "jack"))
	expiry := strconv.FormatInt(now.Add(30*24*time.Hour).Unix(), 10)
	require.Equal(t, expiry, guard()["ttl"])
	now = now.Add(time.Hour)
	require.NoError(t, w.Erase(t.Context(), "jack"))
	require.Equal(t, expiry, guard()["ttl"], "erasing again does not prolong it")
	pin := w.react(t, "jack", "photo", "pin")
	require.NotContains(t, guard(), "ttl")
	require.Equal(t, like.ID.String(), guard()["ended#like"])
	requireStored(t, w, pin)
}

// TestASwitchAmongTheMostKinds uses the most kinds with the longest names.
func TestASwitchAmongTheMostKinds(t *testing.T) {
	t.Parallel()
	long := make([]string, 16)
	for i := range long {
		long[i] = fmt.Sprintf("%02d%s", i, strings.Repeat("é", 31))
	}
	ungrouped := &reaction.Options{Kinds: long, Consistent: true, Shards: func(string) int { return 3 }}
	grouped := &reaction.Options{Kinds: long, OneOf: [][]string{long}, Consistent: true, Shards: ungrouped.Shards}
	w := newWorld(t, ungrouped)
	var all []reaction.Reaction
	for _, kind := range long[:15] {
		all = append(all, w.react(t, "jack", "photo", kind))
	}
	requireStored(t, w, all...)
	one := w.process(t, grouped).react(t, "jack", "photo", long[15])
	requireStored(t, w, one)
	for _, a := range all {
		_, _, err := w.React(t.Context(), a)
		require.ErrorIs(t, err, plaza.ErrRemoved)
	}
	w.requireSound(t, "jack", "photo")
}

// TestADamagedGuardRefusesWritesUntilRepaired damages the guard's version.
func TestADamagedGuardRefusesWritesUntilRepaired(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	pin := w.react(t, "jack", "photo", "pin")
	edgetest.NewHand(t, w.table).Set(edgetest.Key{"U#jack", "photo"}, "ver", "x")
	_, _, err := w.React(t.Context(), reaction.Reaction{User: "jack", Object: "photo", Kind: "like"})
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	drift, err := w.RepairUser(t.Context(), "jack")
	require.NoError(t, err)
	require.Equal(t, reaction.Drift{Damaged: 1}, drift)
	w.requireSound(t, "jack", "photo")
	requireStored(t, w, pin, w.react(t, "jack", "photo", "like"))
}
