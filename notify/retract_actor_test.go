package notify_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
)

// Lists show the IDs of activities. Who has one must not take back another's event.
func TestNobodyTakesBackWhatAnotherDid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := w.like("ann")
	w.store(t, n)
	other := n
	other.Activity.Actor = feed.Ref{ID: "mallory"}
	_, err := w.Retract(t.Context(), other)
	require.ErrorIs(t, err, plaza.ErrConflict)
	require.Len(t, w.list(t, "bob"), 1)
	require.True(t, w.retract(t, n))
	require.False(t, w.retract(t, other), "it is off")
}
