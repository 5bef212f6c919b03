package videos

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
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// problem is the answer to a request that failed. It gives no internals away.
type problem struct {
	status int
	after  time.Duration // when to try again

	Field  string `json:"field,omitempty"`
	Reason string `json:"reason"`
}

const statusClientGone = 499 // nginx's number; nobody reads the answer

// problemOf gives every error of Plaza its status.
func problemOf(err error) problem {
	p := problem{status: http.StatusInternalServerError, Reason: "something failed here"}
	for _, known := range []struct {
		err    error
		status int
		reason string
	}{
		{danmu.ErrTooLate, http.StatusForbidden, "it was sent too long ago to be recalled"},
		{ratelimit.ErrExceeded, http.StatusTooManyRequests, "too many at once"},
		{plaza.ErrInvalid, http.StatusBadRequest, ""},
		{plaza.ErrForbidden, http.StatusForbidden, "this is not yours"},
		{plaza.ErrNotFound, http.StatusNotFound, "there is none"},
		{plaza.ErrConflict, http.StatusConflict, "the key stands for something else"},
		{plaza.ErrRemoved, http.StatusGone, "it was removed"},
		{plaza.ErrBusy, http.StatusServiceUnavailable, "too much at once: repeat it later"},
		{plaza.ErrUnknownOutcome, http.StatusServiceUnavailable, "it may have been done: repeat it with the same key"},
		{plaza.ErrUnavailable, http.StatusServiceUnavailable, "something is missing here: repeat it later"},
		{context.DeadlineExceeded, http.StatusGatewayTimeout, "it took too long"},
		{context.Canceled, statusClientGone, "the client is gone"},
	} {
		if errors.Is(err, known.err) {
			p.status, p.Reason = known.status, known.reason
			break
		}
	}
	var invalid *plaza.InvalidError
	var rate *ratelimit.Error
	var refused *guard.RefusedError
	switch {
	case errors.As(err, &refused):
		p.status, p.Field, p.Reason, p.after = refused.Status, refused.Field, refused.Reason, refused.After
	case errors.As(err, &rate):
		p.after = rate.Wait
	case errors.As(err, &invalid):
		p.Field, p.Reason = wireName(invalid.Field), invalid.Reason
	}
	if p.status == http.StatusServiceUnavailable {
		p.after = time.Second
	}
	return p
}

// wireName is this service's name for a field of Plaza's.
func wireName(field string) string {
	switch field {
	case "Progress":
		return "content.time"
	case "Text", "Color", "Size":
		return "content." + strings.ToLower(field)
	case "Mode":
		return "content.position"
	case "Object":
		return "objectId"
	case "User":
		return "userId"
	case "Owner":
		return "ownerId"
	case "Limit":
		return "size"
	case "ID":
		return "id"
	}
	return strings.ToLower(field[:1]) + field[1:]
}

// inQuery names the parameter in an InvalidError of Plaza's.
func inQuery(parameter string, err error) error {
	var invalid *plaza.InvalidError
	if errors.As(err, &invalid) {
		return &plaza.InvalidError{Field: parameter, Reason: invalid.Reason}
	}
	return err
}

func (p problem) write(w http.ResponseWriter) {
	if p.after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(p.after.Seconds()))))
	}
	write(w, p.status, struct {
		Error problem `json:"error"`
	}{p})
}

func write(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(answer) // fails if the client is gone
}
