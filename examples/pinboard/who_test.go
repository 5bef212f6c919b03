package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/guard"
)

func nobodyIsRefused(t *testing.T, w *world) {
	w.as(t, "nobody").refused(http.StatusUnauthorized, http.MethodGet, "/api/costs", nil)
}

func TestWhatClicksCostIsNotAskedForTooOften(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.as(t, "ann")
	require.Equal(t, "after", ann.refused(http.StatusBadRequest, http.MethodGet, "/api/costs?after=x", nil).Field)
	require.Equal(t, "query", ann.refused(http.StatusBadRequest, http.MethodGet, "/api/costs?before=1", nil).Field)
	w.api.requests = guard.NewRate(1, 1, func() time.Time { return time.Unix(0, 0) })
	get[meterAnswer](ann, "/api/costs?after=0")
	ann.refused(http.StatusTooManyRequests, http.MethodGet, "/api/costs?after=0", nil)
}
