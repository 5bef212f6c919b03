package main

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
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestEveryErrorHasItsStatus(t *testing.T) {
	t.Parallel()
	for err, status := range map[error]int{
		plaza.ErrInvalid:         http.StatusBadRequest,
		cursor.ErrInvalid:        http.StatusBadRequest,
		cursor.ErrExpired:        http.StatusBadRequest,
		ids.ErrInvalid:           http.StatusBadRequest,
		prefs.ErrToken:           http.StatusBadRequest,
		leaderboard.ErrClosed:    http.StatusGone,
		leaderboard.ErrOpTooOld:  http.StatusConflict,
		plaza.ErrForbidden:       http.StatusForbidden,
		message.ErrBlocked:       http.StatusForbidden,
		message.ErrNotMember:     http.StatusForbidden,
		plaza.ErrNotFound:        http.StatusNotFound,
		plaza.ErrConflict:        http.StatusConflict,
		plaza.ErrRemoved:         http.StatusGone,
		plaza.ErrBusy:            http.StatusServiceUnavailable,
		plaza.ErrUnknownOutcome:  http.StatusServiceUnavailable,
		ids.ErrClockRollback:     http.StatusServiceUnavailable,
		lease.ErrLost:            http.StatusServiceUnavailable,
		context.DeadlineExceeded: http.StatusGatewayTimeout,
		context.Canceled:         statusClientGone,
		plaza.ErrUnavailable:     http.StatusServiceUnavailable,
		plaza.ErrCorrupt:         http.StatusInternalServerError,
		plaza.ErrTable:           http.StatusInternalServerError,
		errors.New("another"):    http.StatusInternalServerError,
	} {
		require.Equal(t, status, problemOf(fmt.Errorf("doing: %w", err)).status, err)
	}
	require.Equal(t, http.StatusTooManyRequests, problemOf(&ratelimit.Error{Wait: time.Second}).status)
	require.NotEqual(t, problemOf(plaza.ErrRemoved).Reason, problemOf(leaderboard.ErrClosed).Reason)
	// A write that timed out may have been applied.
	late := fmt.Errorf("%w: %w", plaza.ErrUnknownOutcome, context.DeadlineExceeded)
	require.Equal(t, http.StatusServiceUnavailable, problemOf(late).status)
}

func TestEveryRetryableAnswerHasRetryAfter(t *testing.T) {
	t.Parallel()
	for err, after := range map[error]string{
		plaza.ErrBusy: "1", plaza.ErrUnavailable: "1", plaza.ErrUnknownOutcome: "1", lease.ErrLost: "1",
		&guard.RefusedError{Status: http.StatusTooManyRequests, After: 1200 * time.Millisecond}: "2",
		&ratelimit.Error{Wait: 500 * time.Millisecond}:                                          "1",
		plaza.ErrTable: "", plaza.ErrNotFound: "",
	} {
		w := httptest.NewRecorder()
		problemOf(err).write(w)
		require.Equal(t, after, w.Header().Get("Retry-After"), err)
	}
}

func TestDamageIsLoggedAndNotShown(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	a := newAPI(nil, slog.New(slog.NewTextHandler(&log, nil)))
	a.route("GET /damaged", http.StatusOK, func(*http.Request) (any, error) {
		return nil, fmt.Errorf("reading: %w", &plaza.CorruptError{Table: "follow", PK: "E#jack", SK: "chris", Reason: "id has 5 bytes"})
	})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/damaged", nil)
	r.Host = "localhost"
	got := httptest.NewRecorder()
	a.ServeHTTP(got, r)
	require.Equal(t, http.StatusInternalServerError, got.Code)
	require.JSONEq(t, `{"error":"Internal Server Error"}`, got.Body.String())
	for _, part := range []string{"status=500", "table=follow", "pk=E#jack", "sk=chris"} {
		require.Contains(t, log.String(), part)
	}
}

func TestSkippedItemsAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	onCorrupt(slog.New(slog.NewTextHandler(&log, nil)))(&plaza.CorruptError{Table: "follow", PK: "F#jack", SK: "0", Reason: "id has 5 bytes"})
	for _, part := range []string{"level=ERROR", "table=follow", "pk=F#jack", "sk=0", `reason="id has 5 bytes"`} {
		require.Contains(t, log.String(), part)
	}
}
