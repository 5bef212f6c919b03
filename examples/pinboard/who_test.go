package main

import (
	"net/http"
	"testing"
)

func nobodyIsRefused(t *testing.T, w *world) {
	w.as(t, "nobody").refused(http.StatusUnauthorized, http.MethodGet, "/api/costs", nil)
}
