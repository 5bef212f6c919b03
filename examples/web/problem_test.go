package web

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
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestEachErrorHasItsStatusAndShowsNothingMore(t *testing.T) {
	t.Parallel()
	damaged := &plaza.CorruptError{Table: "secret", PK: "O#1", SK: "~", Reason: "secret"}
	for name, c := range map[string]struct {
		err         error
		status      int
		after       string
		field, body string
	}{
		"invalid":         {&plaza.InvalidError{Field: "Text", Reason: "is empty"}, 400, "", "own Text", "is empty"},
		"a cursor":        {cursor.ErrExpired, 400, "", "own Cursor", ""},
		"too late":        {danmu.ErrTooLate, 403, "", "", "recalled"},
		"blocked":         {message.ErrBlocked, 403, "", "", "blocked"},
		"closed":          {leaderboard.ErrClosed, 410, "", "", "closed"},
		"too many":        {&ratelimit.Error{Wait: 1200 * time.Millisecond}, 429, "2", "", "repeat it later"},
		"busy":            {plaza.ErrBusy, 503, "1", "", "repeat it later"},
		"unknown":         {fmt.Errorf("%w: %w", plaza.ErrUnknownOutcome, context.DeadlineExceeded), 503, "1", "", "may have been done"},
		"refused":         {&guard.RefusedError{Status: 429, Field: "x", Reason: "y", After: 1200 * time.Millisecond}, 429, "2", "x", "y"},
		"damaged":         {damaged, 500, "", "", "Internal Server Error"},
		"too long":        {context.DeadlineExceeded, 504, "", "", ""},
		"anything else":   {errors.New("secret"), 500, "", "", ""},
		"another payload": {plaza.ErrConflict, 409, "", "", "something else"},
	} {
		var log bytes.Buffer
		w := httptest.NewRecorder()
		p := ProblemOf(fmt.Errorf("secret: %w", c.err), func(field string) string { return "own " + field })
		p.Refuse(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), c.err, slog.New(slog.NewTextHandler(&log, nil)))
		require.Equal(t, c.status, w.Code, name)
		require.Equal(t, c.after, w.Header().Get("Retry-After"), name)
		require.Equal(t, c.field, p.Field, name)
		require.Contains(t, w.Body.String(), c.body, name)
		require.NotContains(t, w.Body.String(), "secret", name)
		require.Equal(t, c.status >= 500, log.Len() > 0, name)
		require.Equal(t, name == "damaged", bytes.Contains(log.Bytes(), []byte("pk=O#1 sk=~")), name)
	}
}
