// Package web has what the HTTP services of the examples share: errors as answers, and a
// server that bounds every wait and stops gracefully. Copy it into yours.
package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify/message"
)

// Problem is the answer to a failed request. It shows no internals.
type Problem struct {
	Status int           `json:"-"`
	After  time.Duration `json:"-"` // how long the client should wait before it tries again

	Error  string `json:"error"`
	Field  string `json:"field,omitempty"`
	Reason string `json:"reason,omitempty"`
	ID     ids.ID `json:"id,omitzero"` // for repeating the request
}

// reasons are for people, of the errors whose status alone says too little.
var reasons = []struct {
	err    error
	reason string
}{
	{danmu.ErrTooLate, "it was sent too long ago to be recalled"},
	{leaderboard.ErrClosed, "the period of the score is closed"},
	{leaderboard.ErrOpTooOld, "the op is too old to be known"},
	{message.ErrBlocked, "one of you has blocked the other"},
	{message.ErrFull, "the group is full"},
	{message.ErrNotMember, "you are not in this conversation"},
	{plaza.ErrForbidden, "this is not yours"},
	{plaza.ErrNotFound, "there is none"},
	{plaza.ErrConflict, "the id or key stands for something else"},
	{plaza.ErrRemoved, "it was removed"},
	{plaza.ErrBusy, "too much at once: repeat it later, with the same id or key"},
	{plaza.ErrUnknownOutcome, "it may have been done: repeat it with the same id or key"},
	{plaza.ErrUnavailable, "something is missing here: repeat it later"},
}

// ProblemOf returns the answer to an error of Plaza's or of guard's. Rename returns the
// service's name for a field of Plaza's.
func ProblemOf(err error, rename func(field string) string) Problem {
	p := Problem{}
	p.Status, p.After = plaza.Status(err)
	for _, known := range reasons {
		if errors.Is(err, known.err) {
			p.Reason = known.reason
			break
		}
	}
	var invalid *plaza.InvalidError
	var refused *guard.RefusedError
	switch {
	case errors.As(err, &refused):
		p.Status, p.Field, p.Reason, p.After = refused.Status, refused.Field, refused.Reason, refused.After
	case errors.As(err, &invalid):
		p.Field, p.Reason = rename(invalid.Field), invalid.Reason
	}
	p.Error = http.StatusText(p.Status)
	return p
}

// Refuse answers a request that failed, and logs what is the service's fault.
func (p Problem) Refuse(w http.ResponseWriter, r *http.Request, err error, log *slog.Logger) {
	if p.Status >= http.StatusInternalServerError {
		var damaged *plaza.CorruptError
		if errors.As(err, &damaged) {
			log = log.With("table", damaged.Table, "pk", damaged.PK, "sk", damaged.SK)
		}
		log.Error("request failed", "route", r.Pattern, "status", p.Status, "err", err)
	}
	if p.After > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(p.After.Seconds()))))
	}
	Write(w, p.Status, p)
}

// Write answers with JSON.
func Write(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(answer) // fails if the client is gone
}

// CheckQuery refuses unknown parameters, and malformed ones that r.URL.Query drops.
func CheckQuery(r *http.Request, known []string) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return &plaza.InvalidError{Field: "query", Reason: "is malformed"}
	}
	for name := range query {
		if !slices.Contains(known, name) {
			return &plaza.InvalidError{Field: "query", Reason: fmt.Sprintf("has an unknown parameter %q", name)}
		}
	}
	return nil
}
