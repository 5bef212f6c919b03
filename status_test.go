package plaza_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestEachErrorHasAStatus(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]int{
		nil:                               http.StatusOK,
		errors.New("no error of Plaza's"): http.StatusInternalServerError,
		plaza.ErrInvalid:                  http.StatusBadRequest,
		plaza.ErrForbidden:                http.StatusForbidden,
		plaza.ErrNotFound:                 http.StatusNotFound,
		plaza.ErrConflict:                 http.StatusConflict,
		plaza.ErrRemoved:                  http.StatusGone,
		plaza.ErrTable:                    http.StatusInternalServerError,
		plaza.ErrCorrupt:                  http.StatusInternalServerError,
		&plaza.OlderError{RetryAfter: time.Second}: http.StatusGone,
		message.ErrBlocked:                         http.StatusForbidden,
		leaderboard.ErrClosed:                      http.StatusGone,
		danmu.ErrTooLate:                           http.StatusForbidden,
		context.DeadlineExceeded:                   http.StatusGatewayTimeout,
		context.Canceled:                           plaza.StatusClientClosed,
	} {
		for _, err := range []error{err, wrapped(err)} {
			status, wait := plaza.Status(err)
			require.Equal(t, want, status, "%v", err)
			require.Zero(t, wait, "%v", err)
		}
	}
	for _, err := range []error{plaza.ErrBusy, plaza.ErrUnavailable, plaza.ErrUnknownOutcome, &plaza.ClockError{}, ratelimit.ErrExceeded} {
		status, wait := plaza.Status(wrapped(err))
		require.Equal(t, http.StatusServiceUnavailable, status, "%v", err)
		require.Equal(t, time.Second, wait, "%v", err)
	}
	status, wait := plaza.Status(wrapped(&ratelimit.Error{Wait: time.Minute}))
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Equal(t, time.Minute, wait)
}

func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("handle: %w", err)
}
