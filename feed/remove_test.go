package feed_test

import (
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// A publish is late. Its caller gives up and removes the activity before it
// arrives.
func TestALatePublishAfterRemoveIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	a := activity("chris", 1)
	a.ID = w.mint(t)
	late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "TransactWriteItems" }}
	_, _, err := w.process(t, nil, late.Wrap).Outbox("chris").Publish(t.Context(), a)
	require.Error(t, err)

	for range 2 {
		require.False(t, w.remove(t, "chris", a.ID), "it is unknown")
	}
	require.Zero(t, late.Arrive(t))
	require.Empty(t, all(t, w.Outbox("chris").List, 10))
	require.Empty(t, all(t, w.Home("jack").List, 10))
	_, err = w.Outbox("chris").Get(t.Context(), a.ID)
	require.ErrorIs(t, err, plaza.ErrNotFound)
	_, _, err = w.Outbox("chris").Publish(t.Context(), a)
	require.ErrorIs(t, err, plaza.ErrRemoved)
}

func TestUnknownAndRemovedActivities(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	chris := w.Outbox("chris")
	id := w.mint(t)
	unknown := activity("chris", 1)
	unknown.ID = id

	_, err := chris.Get(t.Context(), id)
	require.ErrorIs(t, err, plaza.ErrNotFound)
	_, _, err = chris.Update(t.Context(), unknown)
	require.ErrorIs(t, err, plaza.ErrNotFound)
	removed, err := chris.Remove(t.Context(), id)
	require.NoError(t, err)
	require.False(t, removed)
	removed, err = chris.RemoveForeign(t.Context(), "nothing")
	require.NoError(t, err)
	require.False(t, removed)

	known := w.publish(t, "chris", 1)[0]
	for _, want := range []bool{true, false} {
		removed, err = chris.Remove(t.Context(), known.ID)
		require.NoError(t, err)
		require.Equal(t, want, removed)
	}
	_, err = chris.Get(t.Context(), known.ID)
	require.ErrorIs(t, err, plaza.ErrNotFound)
	_, _, err = chris.Update(t.Context(), known)
	require.ErrorIs(t, err, plaza.ErrRemoved)
	var tombstone dynamo.Item
	require.NoError(t, w.db.Table(w.feedTable).Get("pk", "O#chris").Range("sk", dynamo.Equal, known.ID.String()).One(t.Context(), &tombstone))
	require.NotContains(t, tombstone, "verb")
	require.Empty(t, all(t, chris.List, 10))
}
