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

	// The most that are answered for, over several requests.
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

func TestCountsOfMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded(8))
	w.fans(t, "star", 20)
	w.fans(t, "planet", 2)
	w.follow(t, "star", "planet")
	users := []string{"star", "planet", "unheard-of", "star"}
	want := map[string]follow.Counts{
		"star":       {Followers: 20, Following: 1},
		"planet":     {Followers: 3},
		"unheard-of": {},
	}
	for i := range 97 {
		fan := fmt.Sprintf("star-fan-%03d", i)
		users = append(users[:i+3], fan)
		want[fan] = follow.Counts{}
		if i < 20 {
			want[fan] = follow.Counts{Following: 1}
		}
	}
	got, err := w.CountsMany(t.Context(), users)
	require.NoError(t, err)
	require.Equal(t, want, got)
	for user, counts := range want {
		if counts == (follow.Counts{}) && user != "unheard-of" {
			continue
		}
		got, err := w.Counts(t.Context(), user)
		require.NoError(t, err)
		require.Equal(t, counts, got, user)
	}

	got, err = w.CountsMany(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, got)
}
