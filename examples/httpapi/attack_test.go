package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func requestsOfOtherSitesAreNotStored(t *testing.T, w world) {
	before := w.items(t)
	for name, c := range map[string]struct {
		method, path string
		headers      map[string]string
		status       int
		field        string
	}{
		"a text":               {"POST", "/users/heidi/activities", map[string]string{"Content-Type": "text/plain"}, 415, "content-type"},
		"JSON, cross-site":     {"POST", "/users/heidi/activities", map[string]string{"Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"}, 403, "origin"},
		"JSON, another host":   {"POST", "/users/heidi/activities", map[string]string{"Content-Type": "application/json", "Host": "evil.test"}, 421, "host"},
		"a follow, cross-site": {"PUT", "/users/herbert/following/heidi", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403, "origin"},
		"a script's source":    {"GET", "/users/herbert/home", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "script"}, 403, "origin"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, w.URL+c.path, strings.NewReader(`{"verb":"add"}`))
		require.NoError(t, err)
		for header, value := range c.headers {
			r.Header.Set(header, value)
		}
		r.Host = r.Header.Get("Host")
		got := refused(t, w.do(t, r), c.status)
		require.Equal(t, c.field, got.Field, name)
	}
	require.Equal(t, before, w.items(t))
}

func everyAnswerKeepsOtherSitesOut(t *testing.T, w world) {
	for _, path := range []string{"/users/jack/counts", "/users/jack/home?limit=x", "/nowhere", "/leaderboard/none"} {
		header := w.send(t, "GET", path, "").header
		require.Equal(t, "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", header.Get("Content-Security-Policy"), path)
		require.Equal(t, "no-referrer", header.Get("Referrer-Policy"), path)
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), path)
	}
}
