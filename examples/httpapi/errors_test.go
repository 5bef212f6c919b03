package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestEveryErrorHasItsStatus(t *testing.T) {
	t.Parallel()
	for err, status := range map[error]int{
		plaza.ErrInvalid:         http.StatusBadRequest,
		cursor.ErrInvalid:        http.StatusBadRequest,
		cursor.ErrExpired:        http.StatusBadRequest,
		ids.ErrInvalid:           http.StatusBadRequest,
		leaderboard.ErrClosed:    http.StatusGone,
		leaderboard.ErrOpTooOld:  http.StatusConflict,
		plaza.ErrForbidden:       http.StatusForbidden,
		plaza.ErrNotFound:        http.StatusNotFound,
		plaza.ErrConflict:        http.StatusConflict,
		plaza.ErrRemoved:         http.StatusGone,
		plaza.ErrBusy:            http.StatusServiceUnavailable,
		plaza.ErrUnknownOutcome:  http.StatusServiceUnavailable,
		ids.ErrClockRollback:     http.StatusServiceUnavailable,
		lease.ErrLost:            http.StatusServiceUnavailable,
		context.DeadlineExceeded: http.StatusGatewayTimeout,
		context.Canceled:         statusClientGone,
		plaza.ErrTable:           http.StatusInternalServerError,
		errors.New("another"):    http.StatusInternalServerError,
	} {
		require.Equal(t, status, problemOf(fmt.Errorf("doing: %w", err)).status, err)
	}
	require.NotEqual(t, problemOf(plaza.ErrRemoved).Reason, problemOf(leaderboard.ErrClosed).Reason)
	// A write that ran out of time may have been done.
	late := fmt.Errorf("%w: %w", plaza.ErrUnknownOutcome, context.DeadlineExceeded)
	require.Equal(t, http.StatusServiceUnavailable, problemOf(late).status)
}
