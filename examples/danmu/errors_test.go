package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
)

func TestEachErrorHasItsStatusAndTellsNothingMore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
		after  string
	}{
		"too late":        {danmu.ErrTooLate, http.StatusForbidden, ""},
		"too many":        {&danmu.RateError{RetryAfter: 1200 * time.Millisecond}, http.StatusTooManyRequests, "2"},
		"not theirs":      {plaza.ErrForbidden, http.StatusForbidden, ""},
		"none":            {plaza.ErrNotFound, http.StatusNotFound, ""},
		"another payload": {plaza.ErrConflict, http.StatusConflict, ""},
		"removed":         {plaza.ErrRemoved, http.StatusGone, ""},
		"busy":            {plaza.ErrBusy, http.StatusServiceUnavailable, "1"},
		"unknown":         {plaza.ErrUnknownOutcome, http.StatusServiceUnavailable, "1"},
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
