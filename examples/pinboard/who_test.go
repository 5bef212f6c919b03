package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/plaza-sdk/plaza/examples/guard"
)

func TestWhatClicksCostIsNotAskedForTooOften(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.as(t, "ann")
	w.api.requests = guard.NewRate(1, 1, func() time.Time { return time.Unix(0, 0) })
	get[meterAnswer](ann, "/api/costs?after=0")
	ann.refused(http.StatusTooManyRequests, http.MethodGet, "/api/costs?after=0", nil)
}
