package follow_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestWalkFindsEveryStandingFollowerOnce(t *testing.T) {
	t.Parallel()
	for name, c := range faults.Sample(2, map[string]struct{ shards, limit int }{
		"one at a time":    {1, 1},
		"pages of 7":       {1, 7},
		"shards, by one":   {8, 1},
		"shards, pages":    {8, 7},
		"shards, at once":  {8, 1000},
		"shards, one each": {8, 5},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lagging := faults.New(t, 1, faults.Rates{Stale: 1})
			w := newWorld(t, sharded(c.shards), lagging.Wrap)
			fans := w.fans(t, "star", 40)
			stays := map[string]bool{}
			for _, e := range fans {
				stays[e.Follower] = true
			}
			found := map[string]int{}
			req := cursor.PageRequest{Limit: c.limit}
			for turn := 0; ; turn++ {
				page, err := w.Walk(t.Context(), "star", req)
				require.NoError(t, err)
				require.LessOrEqual(t, len(page.Items), c.limit)
				for _, e := range page.Items {
					found[e.Follower]++
				}
				if page.Next == "" {
					break
				}
				req.Cursor = page.Next

				// Meanwhile somebody follows and somebody unfollows, every other
				// time the last follower of this page.
				if turn < 6 {
					w.follow(t, fmt.Sprint("late ", turn), "star")
					gone := fans[turn*5]
					if n := len(page.Items); turn%2 == 0 && n > 0 && stays[page.Items[n-1].Follower] {
						gone = page.Items[n-1]
					}
					removed, err := w.Unfollow(t.Context(), gone)
					require.NoError(t, err)
					require.Equal(t, stays[gone.Follower], removed)
					delete(stays, gone.Follower)
				}
			}
			for follower := range stays {
				require.Equal(t, 1, found[follower], follower)
			}
			for follower, n := range found {
				require.Equal(t, 1, n, follower)
			}
		})
	}
}

func TestForgedWalkCursorsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded(8))
	w.fans(t, "star", 12)
	w.fans(t, "other", 3)
	first, err := w.Walk(t.Context(), "star", cursor.PageRequest{Limit: 2})
	require.NoError(t, err)
	other, err := w.Walk(t.Context(), "other", cursor.PageRequest{Limit: 1})
	require.NoError(t, err)
	list, err := w.Followers(t.Context(), "star", cursor.PageRequest{Limit: 1})
	require.NoError(t, err)

	scope := cursor.Scope{List: "follow/walk", Partition: "star"} // plain cursors can be forged
	id := "0000000000001"
	forged := []cursor.Cursor{other.Next, list.Next, list.Prev, "x", first.Next[1:], first.Next + "A"}
	for _, pos := range []string{"", "\x01", "\xff", "\x02\x00", "\x01\x00x", "\x00x", "\x01\x00" + id + "0", "\x01\x00~~~~~~~~~~~~~", "\x03\x00" + id[:1]} {
		forged = append(forged, cursor.Plain().Encode(scope, []byte(pos)))
	}
	for i, c := range forged {
		page, err := w.Walk(t.Context(), "star", cursor.PageRequest{Cursor: c})
		require.ErrorIs(t, err, cursor.ErrInvalid, "cursor %d", i)
		require.Empty(t, page)
	}

	// A forged cursor that is accepted shows no other user's followers.
	stars := all(t, w.Followers, "star", 100)
	for _, pos := range []string{"\x01\x00", "\x03\x00\x01\x63", "\x01\x05" + id, "\x00"} {
		page, err := w.Walk(t.Context(), "star", cursor.PageRequest{Cursor: cursor.Plain().Encode(scope, []byte(pos))})
		require.NoError(t, err)
		for _, e := range page.Items {
			require.True(t, slices.ContainsFunc(stars, func(s follow.Edge) bool { return see(s) == see(e) }))
		}
	}
}
