package notify_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify"
)

func TestRowsThatWereReadOneByOneTakeNoPlaceInTheCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 3 {
		w.forge(t, in("ann", n), func(*raw) {})
	}
	for n := range 102 {
		w.forge(t, in("ann", 10+n), func(g *raw) { g.Read = g.Last })
	}
	c, err := w.Unseen(t.Context(), reader("ann"))
	require.NoError(t, err)
	require.Equal(t, notify.Count{N: 3}, c)
}
