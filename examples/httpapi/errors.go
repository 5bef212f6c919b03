package main

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
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
	ID     ids.ID `json:"id,omitzero"` // for repeating the request
}

// addError carries the id with which a failed publish, comment or score can be repeated.
type addError struct {
	id  ids.ID
	err error
}

func (e *addError) Error() string { return e.err.Error() }

func (e *addError) Unwrap() error { return e.err }

const statusClientGone = 499 // as in nginx; nobody reads the answer

// problemOf gives every error of Plaza its status.
func problemOf(err error) problem {
	p := problem{status: http.StatusInternalServerError}
	for _, known := range []struct {
		err    error
		status int
		reason string
	}{
		{leaderboard.ErrClosed, http.StatusGone, "the period of the score is closed"},
		{leaderboard.ErrOpTooOld, http.StatusConflict, "the op is too old to be known"},
		{message.ErrBlocked, http.StatusForbidden, "one of you has blocked the other"},
		{message.ErrFull, http.StatusForbidden, "the group is full"},
		{message.ErrNotMember, http.StatusForbidden, "you are not in this conversation"},
		{plaza.ErrInvalid, http.StatusBadRequest, ""},
		{plaza.ErrForbidden, http.StatusForbidden, "this is not yours"},
		{plaza.ErrNotFound, http.StatusNotFound, "there is none"},
		{plaza.ErrConflict, http.StatusConflict, "the id or key stands for something else"},
		{plaza.ErrRemoved, http.StatusGone, "it was removed"},
		{plaza.ErrBusy, http.StatusServiceUnavailable, "too much at once: repeat it later, with the same id"},
		{plaza.ErrUnknownOutcome, http.StatusServiceUnavailable, "it may have been done: repeat it with the same id"},
		{plaza.ErrUnavailable, http.StatusServiceUnavailable, "something is missing here: repeat it later"},
		{context.DeadlineExceeded, http.StatusGatewayTimeout, "it took too long"},
		{context.Canceled, statusClientGone, ""},
	} {
		if errors.Is(err, known.err) {
			p.status, p.Reason = known.status, known.reason
			break
		}
	}
	var invalid *plaza.InvalidError
	var refused *guard.RefusedError
	var limited *ratelimit.Error
	var add *addError
	if errors.As(err, &invalid) {
		p.Field, p.Reason = wireName(invalid.Field), invalid.Reason
	}
	if errors.As(err, &refused) {
		p.status, p.Field, p.Reason, p.after = refused.Status, refused.Field, refused.Reason, refused.After
	}
	if errors.As(err, &limited) {
		p.status, p.Reason, p.after = http.StatusTooManyRequests, "too much at once: repeat it later, with the same key", limited.Wait
	}
	if errors.As(err, &add) {
		p.ID = add.id
	}
	if p.status == http.StatusServiceUnavailable {
		p.after = time.Second
	}
	return p
}

// wireName returns this service's name for a field of Plaza's, such as "Quote.ID".
func wireName(field string) string {
	switch field {
	case "Owner", "Reader", "Follower", "Sender":
		return "user"
	case "Source", "Followee", "Actor":
		return "other"
	case "ForeignID":
		return "foreignId"
	case "At":
		return "op" // the op has the time of the score
	}
	field = strings.TrimPrefix(field, "View.")             // which is the body
	field = strings.Replace(field, "Objects", "object", 1) // ?object=, which may occur several times
	names := strings.Split(field, ".")
	for i, name := range names {
		names[i] = strings.ToLower(name[:1]) + name[1:]
		if name == "ID" {
			names[i] = "id"
		}
	}
	return strings.Join(names, ".")
}

func (p problem) write(w http.ResponseWriter) {
	if p.after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(p.after.Seconds()))))
	}
	p.Error = http.StatusText(p.status)
	write(w, p.status, p)
}

func write(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(answer) // fails if the client is gone
}

// refusal turns the mux's own answers, such as 404 and 405, into problems.
type refusal struct{ http.ResponseWriter }

func (w refusal) WriteHeader(status int) { problem{status: status}.write(w.ResponseWriter) }

func (w refusal) Write(text []byte) (int, error) { return len(text), nil }
