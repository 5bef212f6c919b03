package videos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestEachErrorHasItsStatusAndShowsNothingMore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
		after  string
	}{
		"too late":        {danmu.ErrTooLate, http.StatusForbidden, ""},
		"too many":        {&ratelimit.Error{Wait: 1200 * time.Millisecond}, http.StatusTooManyRequests, "2"},
		"not theirs":      {plaza.ErrForbidden, http.StatusForbidden, ""},
		"none":            {plaza.ErrNotFound, http.StatusNotFound, ""},
		"another payload": {plaza.ErrConflict, http.StatusConflict, ""},
		"removed":         {plaza.ErrRemoved, http.StatusGone, ""},
		"busy":            {plaza.ErrBusy, http.StatusServiceUnavailable, "1"},
		"unknown":         {plaza.ErrUnknownOutcome, http.StatusServiceUnavailable, "1"},
		"not available":   {plaza.ErrUnavailable, http.StatusServiceUnavailable, "1"},
		"damaged":         {&plaza.CorruptError{Table: "secret", PK: "secret", SK: "secret", Reason: "secret"}, http.StatusInternalServerError, ""},
		"a wrong table":   {plaza.ErrTable, http.StatusInternalServerError, ""},
		"too often":       {&guard.RefusedError{Status: http.StatusTooManyRequests, After: 1200 * time.Millisecond}, http.StatusTooManyRequests, "2"},
		"too long":        {context.DeadlineExceeded, http.StatusGatewayTimeout, ""},
		"anything else":   {errors.New("secret"), http.StatusInternalServerError, ""},
	} {
		w := httptest.NewRecorder()
		problemOf(fmt.Errorf("secret: %w", c.err)).write(w)
		require.Equal(t, c.status, w.Code, name)
		require.Equal(t, c.after, w.Header().Get("Retry-After"), name)
		require.NotContains(t, w.Body.String(), "secret", name)
		require.Contains(t, w.Body.String(), `{"error":{"reason":"`, name)
	}
}

func TestDamageIsLoggedButNotAnswered(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newService(Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	s.route("GET /damaged", func(*http.Request) (any, error) {
		return nil, fmt.Errorf("reading: %w", &plaza.CorruptError{Table: "danmu", PK: "O#1", SK: "~", Reason: "shards is a text"})
	})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/damaged", nil)
	r.Host = "localhost"
	got := httptest.NewRecorder()
	s.ServeHTTP(got, r)
	require.Equal(t, http.StatusInternalServerError, got.Code)
	require.JSONEq(t, `{"error":{"reason":"something failed here"}}`, got.Body.String())
	for _, part := range []string{"status=500", "table=danmu", "pk=O#1", "sk=~"} {
		require.Contains(t, log.String(), part)
	}
}
