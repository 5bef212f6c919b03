package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/guard"
)

// problem is the answer to a request that failed. It shows no internals.
type problem struct {
	status int

	Error  string `json:"error"`
	Field  string `json:"field,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// problemOf gives every error of Plaza its status, as the README's table has them.
func problemOf(err error) problem {
	status, reason := http.StatusInternalServerError, ""
	switch {
	case errors.Is(err, plaza.ErrInvalid):
		status = http.StatusBadRequest
	case errors.Is(err, plaza.ErrForbidden):
		status = http.StatusForbidden
	case errors.Is(err, plaza.ErrNotFound):
		status = http.StatusNotFound
	case errors.Is(err, plaza.ErrConflict):
		status, reason = http.StatusConflict, "the name stands for something else"
	case errors.Is(err, plaza.ErrRemoved):
		status = http.StatusGone
	case errors.Is(err, plaza.ErrBusy), errors.Is(err, plaza.ErrUnavailable):
		status, reason = http.StatusServiceUnavailable, "repeat it later"
	case errors.Is(err, plaza.ErrUnknownOutcome):
		status, reason = http.StatusServiceUnavailable, "it may have been done: repeat it"
	case errors.Is(err, context.DeadlineExceeded):
		status, reason = http.StatusGatewayTimeout, "it took too long: repeat it"
	}
	p := problem{status: status, Error: http.StatusText(status), Reason: reason}
	var refused *guard.RefusedError
	if errors.As(err, &refused) {
		p = problem{status: refused.Status, Error: http.StatusText(refused.Status), Field: refused.Field, Reason: refused.Reason}
	}
	var invalid *plaza.InvalidError
	if errors.As(err, &invalid) {
		p.Field, p.Reason = invalid.Field, invalid.Reason
	}
	return p
}
