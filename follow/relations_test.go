package follow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestRelationsOfAViewer(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	w.follow(t, "viewer", "followed")
	w.follow(t, "follower", "viewer")
	w.follow(t, "viewer", "friend")
	w.follow(t, "friend", "viewer")
	want := map[string]follow.Relation{
		"followed": {Follows: true},
		"follower": {FollowedBy: true},
		"friend":   {Follows: true, FollowedBy: true},
		"stranger": {},
		"viewer":   {},
	}
	got, err := w.Relations(t.Context(), "viewer", []string{
		"followed", "follower", "friend", "stranger", "viewer", "friend", "followed", "viewer",
	})
	require.NoError(t, err)
	require.Equal(t, want, got)
	for other, relation := range got {
		require.Equal(t, other == "friend", relation.Mutual())
	}

	// The most users allowed, which takes several requests.
	others := make([]string, 100)
	want = map[string]follow.Relation{}
	for i := range others {
		others[i] = fmt.Sprint("other ", i)
		want[others[i]] = follow.Relation{}
	}
	for _, i := range []int{0, 49, 50, 99} {
		w.follow(t, "viewer", others[i])
		w.follow(t, others[i], "viewer")
		want[others[i]] = follow.Relation{Follows: true, FollowedBy: true}
	}
	got, err = w.Relations(t.Context(), "viewer", others)
	require.NoError(t, err)
	require.Equal(t, want, got)

	before := in.Requests()
	got, err = w.Relations(t.Context(), "viewer", nil)
	require.NoError(t, err)
	require.Empty(t, got)
	require.Equal(t, before, in.Requests())
}
