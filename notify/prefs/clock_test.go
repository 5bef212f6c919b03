package prefs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify/prefs"
)

func TestAClockThatGoesBackReadsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	other := w.process(t, nil)
	d, err := other.Decide(t.Context(), of("like"))
	require.NoError(t, err)
	require.False(t, d.Drop)
	require.NoError(t, errOf(w.Set(t.Context(), about("like", prefs.InApp), false)))
	w.pass(-time.Hour)
	d, err = other.Decide(t.Context(), of("like"))
	require.NoError(t, err)
	require.True(t, d.Drop)
}
