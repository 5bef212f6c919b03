package leaderboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// The costs that Submit and Undo state.
func TestGuardedOperationsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	type cost = dynamotest.Cost
	meter := dynamotest.NewMeter()
	quiet := newWorld(t, nil)
	quiet.define(t, likes)
	w := quiet.process(t, nil, meter.Wrap)
	song := sixteen("song")
	liked, late := w.like(song), w.like(song)
	many := make([]leaderboard.Submission, 98)
	for i := range many {
		many[i] = w.like(song)
	}
	removed := w.like(sixteen("gone"))
	w.submit(t, w.like(song))
	w.submit(t, removed)
	changes(t, w.Remove, sixteen("gone"), true)
	for _, c := range []struct {
		name string
		want cost
		call func()
	}{
		{"a like", cost{Requests: 2, Read: 1, Write: 6}, func() { w.submit(t, liked) }},
		{"a repeat", cost{Requests: 2, Read: 1, Write: 4}, func() { w.repeat(t, liked) }},
		{"its undo", cost{Requests: 2, Read: 1, Write: 6}, func() { require.True(t, w.undo(t, liked)) }},
		{"a repeated undo", cost{Requests: 2, Read: 1, Write: 4}, func() { require.False(t, w.undo(t, liked)) }},
		{"an undo that comes first", cost{Requests: 3, Read: 1, Write: 5}, func() { require.False(t, w.undo(t, late)) }},
		{"what was undone before", cost{Requests: 2, Read: 1, Write: 4}, func() {
			_, _, err := w.Submit(t.Context(), late)
			require.ErrorIs(t, err, plaza.ErrRemoved)
		}},
		{"the first like of a song", cost{Requests: 2, Read: 1, Write: 5}, func() { w.submit(t, w.like(sixteen("another"))) }},
		{"an undo on what was removed", cost{Requests: 4, Read: 2, Write: 2}, func() { require.False(t, w.undo(t, removed)) }},
	} {
		got := meter.AtMost(t, c.name, c.want, c.call)
		require.NotZero(t, got.Requests, c.name)
		t.Logf("%s: %v", c.name, got)
	}

	// All at once: the first of them is under way alone, or with some others.
	got := meter.AtMost(t, "98 at once", cost{Requests: 6, Read: 3, Write: 2*98 + 3*4}, func() {
		for _, r := range w.submitMany(t, many) {
			require.True(t, r.Changed)
		}
	})
	t.Logf("98 at once: %v", got)
}
