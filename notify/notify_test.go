package notify_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSmoke(t *testing.T) {
	w := newWorld(t, nil)
	var last any
	for i := range 7 {
		n := w.like(fmt.Sprint("user", i))
		res := w.notify(t, n)
		last = res
		again, created, err := w.Notify(t.Context(), n)
		require.NoError(t, err)
		require.False(t, created)
		require.Equal(t, res, again)
	}
	t.Log(last)
	t.Logf("%+v", w.groups(t, "bob"))
	n := w.like("user7")
	w.notify(t, n)
	changed, err := w.Retract(t.Context(), n)
	require.NoError(t, err)
	require.True(t, changed)
	t.Logf("%+v", w.groups(t, "bob"))
	k, err := w.RetractTarget(t.Context(), "bob", n.Activity.Object)
	require.NoError(t, err)
	require.Equal(t, 1, k)
	t.Logf("%+v", w.groups(t, "bob"))
}
