package leaderboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// The costs that Submit and Undo state.
func TestGuardedOperationsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	stated := callstest.ReadCosts(t, "..", "leaderboard")
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
		want dynamotest.Cost
		call func()
	}{
		{"a like", stated.Of("Repository.Submit", "with a Guard"), func() { w.submit(t, liked) }},
		{"a repeat", stated.Of("Repository.Submit", "with a Guard, a repeat"), func() { w.repeat(t, liked) }},
		{"its undo", stated.Of("Repository.Undo", "undo"), func() { require.True(t, w.undo(t, liked)) }},
		{"a repeated undo", stated.Of("Repository.Undo", "a repeat"), func() { require.False(t, w.undo(t, liked)) }},
		{"an undo that comes first", stated.Of("Repository.Undo", "one that comes first"), func() { require.False(t, w.undo(t, late)) }},
		{"what was undone before", stated.Of("Repository.Submit", "with a Guard, a repeat"), func() {
			_, _, err := w.Submit(t.Context(), late)
			require.ErrorIs(t, err, plaza.ErrRemoved)
		}},
		{"the first like of a song", stated.Of("Repository.Submit", "with a Guard"), func() { w.submit(t, w.like(sixteen("another"))) }},
		{"an undo on what was removed", stated.Of("Repository.Undo", "of what was removed since"), func() { require.False(t, w.undo(t, removed)) }},
	} {
		got := meter.AtMost(t, c.name, c.want, c.call)
		require.NotZero(t, got.Requests, c.name)
		t.Logf("%s: %v", c.name, got)
	}

	// All at once: the first of them is under way alone, or with some others.
	want := stated.Times(3, "Repository.Submit", "with a Guard").Plus(stated.Times(95, "Repository.Submit", "with a Guard, each further one in the same transaction"))
	got := meter.AtMost(t, "98 at once", want, func() {
		for _, r := range w.submitMany(t, many) {
			require.True(t, r.Changed)
		}
	})
	t.Logf("98 at once: %v", got)
}
