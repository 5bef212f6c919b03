package main

import (
	"net/http"
	"testing"
)

func TestNobodyIsRefused(t *testing.T) {
	t.Parallel()
	newWorld(t).as(t, "nobody").refused(http.StatusUnauthorized, http.MethodGet, "/api/costs", nil)
}
