package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheTourPrintsATraceAndCosts(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	for _, want := range []string{"GET /home", "\n  Query feed.Home.List", "feed.Outbox.Publish", "$ for a million such days"} {
		require.Contains(t, out.String(), want)
	}
	require.NotContains(t, out.String(), "level=", "nothing failed")
}
