package follow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
)

func TestShardsMayBeRaisedWithOldProcessesAtWork(t *testing.T) {
	t.Parallel()
	before := newWorld(t, nil)
	g := graph{}
	for _, e := range before.fans(t, "star", 30) {
		g[pair{e.Follower, "star"}] = e.ID
	}
	after := before.process(t, sharded(8))
	var seen []follow.Edge
	for i := range 60 {
		w := []world{before, after}[i%2]
		e := w.follow(t, fmt.Sprint("late ", i), "star")
		g[pair{e.Follower, "star"}] = e.ID
		seen = append(seen, e)
	}
	later := before.process(t, &follow.Options{Consistent: true}) // knows of no shards
	readers := map[string]world{"old": before, "new": after, "later": later}
	hold := func() {
		for _, w := range readers {
			w.holds(t, g, "star", "star-fan-000", "late 0", "late 1")
		}
	}
	hold()

	// Each unfollows what another wrote.
	for i, w := range []world{after, before, later} {
		for _, e := range []follow.Edge{
			{Follower: fmt.Sprintf("star-fan-%03d", i), Followee: "star"},
			{Follower: fmt.Sprint("late ", 10*i), Followee: "star"},
			{Follower: fmt.Sprint("late ", 10*i+1), Followee: "star", ID: seen[10*i+1].ID},
			seen[10*i+2], seen[10*i+3],
		} {
			removed, err := w.Unfollow(t.Context(), e)
			require.NoError(t, err)
			require.True(t, removed)
			delete(g, pair{e.Follower, "star"})
		}
	}
	hold()

	// A repeat of a standing edge is itself, wherever it would go now.
	for _, e := range []follow.Edge{seen[7], seen[8]} {
		for _, w := range readers {
			again, created, err := w.Follow(t.Context(), follow.Edge{Follower: e.Follower, Followee: "star", ID: e.ID})
			require.NoError(t, err)
			require.True(t, created)
			require.Equal(t, e, again)
		}
	}
	hold()
}

func TestTheFirstFollowerMayOpenAShard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded(follow.MaxShards))
	g := graph{}
	for i := range 12 {
		e := w.follow(t, fmt.Sprint("fan ", i), fmt.Sprint("star ", i%3))
		g[pair{e.Follower, e.Followee}] = e.ID
		w.process(t, nil).holds(t, g, "star 0", "star 1", "star 2")
	}
}
