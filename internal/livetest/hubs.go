package livetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
)

// anID is some comment.
const anID = "0000W00000000000001C"

// nothing is the store of a hub that only publishes.
type nothing struct{ live.Store }

// twoHubs has a viewer go from one process to another in the middle of what
// happens.
func twoHubs(t *testing.T, net Network) {
	hub := func() *live.Hub {
		h, err := live.New(nothing{}, &live.Options{Backplane: net.Join()})
		require.NoError(t, err)
		t.Cleanup(h.Close)
		return h
	}
	a, b := hub(), hub()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	liked := func(h *live.Hub, likes int64) {
		id, err := danmu.ParseID(anID)
		require.NoError(t, err)
		require.NoError(t, h.Publish(ctx, "room", live.Event{Kind: live.Liked, ID: id, Likes: likes}))
	}
	// next takes batches until n events have come.
	next := func(v *live.Viewer, n int) (likes []int64, pos live.Pos) {
		for len(likes) < n {
			batch, err := v.Next(ctx)
			require.NoError(t, err)
			require.False(t, batch.Reset)
			require.Zero(t, batch.Dropped)
			for _, e := range batch.Events {
				likes = append(likes, e.Likes)
			}
			pos = batch.Pos
		}
		return likes, pos
	}

	stays, err := b.Join(ctx, "room", "")
	require.NoError(t, err)
	first, err := a.Join(ctx, "room", "")
	require.NoError(t, err)
	liked(a, 1)
	liked(b, 2)
	got, pos := next(first, 2)
	require.Equal(t, []int64{1, 2}, got)
	first.Close()
	liked(b, 3)
	liked(a, 4)

	got, _ = next(stays, 4)
	require.Equal(t, []int64{1, 2, 3, 4}, got)
	second, err := b.Join(ctx, "room", pos)
	require.NoError(t, err)
	got, _ = next(second, 2)
	require.Equal(t, []int64{3, 4}, got)
}
