package plaza

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// StatusClientClosed is the Status of a call that its caller canceled, as nginx logs it.
// Nobody reads the answer.
const StatusClientClosed = 499

var statuses = []struct {
	err    error
	status int
}{
	{nil, http.StatusOK},
	{ErrInvalid, http.StatusBadRequest},
	{ErrForbidden, http.StatusForbidden},
	{ErrNotFound, http.StatusNotFound},
	{ErrConflict, http.StatusConflict},
	{ErrRemoved, http.StatusGone},
	{ErrBusy, http.StatusServiceUnavailable},
	{ErrUnavailable, http.StatusServiceUnavailable},
	{ErrUnknownOutcome, http.StatusServiceUnavailable},
	{ErrTable, http.StatusInternalServerError}, // the deployment is wrong
	{ErrCorrupt, http.StatusInternalServerError},
	{context.DeadlineExceeded, http.StatusGatewayTimeout},
	{context.Canceled, StatusClientClosed},
}

// Status returns the HTTP status for an error of Plaza's, and for 429 and 503 how long
// the client should wait before it repeats the request with the same identity. An error
// with a method RetryAfter() time.Duration, such as a *ratelimit.Error, is 429. Any
// other ErrBusy, ErrUnavailable or ErrUnknownOutcome is 503, to repeat after a second.
// An error that is not Plaza's is 500; nil is 200.
func Status(err error) (status int, retryAfter time.Duration) {
	var limited interface{ RetryAfter() time.Duration }
	if errors.As(err, &limited) {
		return http.StatusTooManyRequests, limited.RetryAfter()
	}
	for _, known := range statuses {
		if !errors.Is(err, known.err) {
			continue
		}
		if known.status == http.StatusServiceUnavailable {
			retryAfter = time.Second
		}
		return known.status, retryAfter
	}
	return http.StatusInternalServerError, 0
}
