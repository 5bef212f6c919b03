package main

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// problem is the answer to a failed request. It shows no internals.
type problem struct {
	status int
	after  time.Duration // how long the client should wait before it tries again

	Error  string `json:"error"`
	Field  string `json:"field,omitempty"`
	Reason string `json:"reason,omitempty"`
}

const statusClientGone = 499 // as in nginx; nobody reads the answer

// problemOf gives every error of Plaza its status.
func problemOf(err error) problem {
	p := problem{status: http.StatusInternalServerError}
	for _, k := range []struct {
		err    error
		status int
		reason string
	}{
		{message.ErrBlocked, http.StatusForbidden, "one of you has blocked the other"},
		{message.ErrNotMember, http.StatusForbidden, "you are not in this conversation"},
		{plaza.ErrInvalid, http.StatusBadRequest, ""},
		{plaza.ErrForbidden, http.StatusForbidden, "this is not yours"},
		{plaza.ErrNotFound, http.StatusNotFound, "there is none"},
		{plaza.ErrConflict, http.StatusConflict, "the key stands for something else"},
		{plaza.ErrRemoved, http.StatusGone, "it was removed"},
		{plaza.ErrBusy, http.StatusServiceUnavailable, "too much at once: repeat it later, with the same key"},
		{plaza.ErrUnknownOutcome, http.StatusServiceUnavailable, "it may have been done: repeat it with the same key"},
		{plaza.ErrUnavailable, http.StatusServiceUnavailable, "something is missing here: repeat it later"},
		{context.DeadlineExceeded, http.StatusGatewayTimeout, "it took too long"},
		{context.Canceled, statusClientGone, ""},
	} {
		if errors.Is(err, k.err) {
			p.status, p.Reason = k.status, k.reason
			break
		}
	}
	var invalid *plaza.InvalidError
	var refused *guard.RefusedError
	var limited *ratelimit.Error
	if errors.As(err, &invalid) {
		p.Field, p.Reason = invalid.Field, invalid.Reason
	}
	if errors.As(err, &refused) {
		p.status, p.Field, p.Reason, p.after = refused.Status, refused.Field, refused.Reason, refused.After
	}
	if errors.As(err, &limited) {
		p.status, p.Reason, p.after = http.StatusTooManyRequests, "too much at once: repeat it later, with the same key", limited.Wait
	}
	if p.status == http.StatusServiceUnavailable {
		p.after = time.Second
	}
	return p
}

func (p problem) write(w http.ResponseWriter) {
	if p.after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(p.after.Seconds()))))
	}
	p.Error = http.StatusText(p.status)
	write(w, p.status, p)
}
