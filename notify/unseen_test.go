package notify_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify"
)

func TestRowsThatWereReadOneByOneTakeNoPlaceInTheCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.forgeMany(t, "ann", 0, 3, asWritten)
	w.forgeMany(t, "ann", 10, 102, func(_ int, g *raw) { g.Read = g.Last })
	c, err := w.Unseen(t.Context(), reader("ann"))
	require.NoError(t, err)
	require.Equal(t, notify.Count{N: 3}, c)
}
