// Package observe has what kit, plazalog and otel share: attempts of all workers in one form,
// and what a request's error means.
package observe

import (
	"context"
	"errors"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// Attempt is a worker's attempt at a job, or to find one.
type Attempt struct {
	Worker string    // feed, notify, digest, leaderboard, or the name that a stream's consumer was given
	Due    time.Time // since when what is Done now was waiting; zero if that says nothing
	Done   bool      // there will be no other attempt
	Err    error
}

// The results of attempts.
const (
	Done    = "done"
	Partial = "partial" // the rest is left to another attempt
	Failed  = "failed"
	GivenUp = "given_up"
)

// Result names what became of the attempt.
func (a Attempt) Result() string {
	switch {
	case a.Done && a.Err != nil:
		return GivenUp
	case a.Done:
		return Done
	case a.Err != nil:
		return Failed
	}
	return Partial
}

// Feed returns an attempt of feed's. A switch does not wait: its age is its length.
func Feed(a feed.Attempt) Attempt {
	of := Attempt{Worker: "feed", Done: a.Done, Err: a.Err}
	if !a.Switch && a.ID != 0 {
		of.Due = a.ID.Time()
	}
	return of
}

// Notify returns an attempt of notify's. It is not done if some watchers are tried again.
func Notify(a notify.Attempt) Attempt {
	of := Attempt{Worker: "notify", Done: a.Done && a.Err == nil, Err: a.Err}
	if a.ID != 0 {
		of.Due = a.ID.Time()
	}
	return of
}

// Digest returns an attempt of digest's. One that was not sent had no delay.
func Digest(a digest.Attempt) Attempt {
	of := Attempt{Worker: "digest", Done: a.Done, Err: a.Err}
	if a.Sent {
		of.Due = a.Slot
	}
	return of
}

// Leaderboard returns an attempt of leaderboard's.
func Leaderboard(a leaderboard.Attempt) Attempt {
	return Attempt{Worker: "leaderboard", Due: a.Ended.Period.End, Done: a.Done, Err: a.Err}
}

// Folder returns an attempt of a leaderboard.Folder, which is never Done.
func Folder(a leaderboard.FolderAttempt) Attempt {
	return Attempt{Worker: "folder", Err: a.Err}
}

// classes are the kinds of errors that callers tell apart.
var classes = []struct {
	err  error
	name string
}{
	{plaza.ErrInvalid, "invalid"},
	{plaza.ErrForbidden, "forbidden"},
	{plaza.ErrNotFound, "not_found"},
	{plaza.ErrConflict, "conflict"},
	{plaza.ErrRemoved, "removed"},
	{plaza.ErrBusy, "busy"},
	{plaza.ErrUnavailable, "unavailable"},
	{plaza.ErrUnknownOutcome, "unknown_outcome"},
	{plaza.ErrTable, "table"},
	{plaza.ErrCorrupt, "corrupt"},
	{context.DeadlineExceeded, "timeout"},
	{context.Canceled, "canceled"},
}

// Class names the error of package plaza that err unwraps to. The name of any other is
// OpenTelemetry's for such.
func Class(err error) string {
	for _, c := range classes {
		if errors.Is(err, c.err) {
			return c.name
		}
	}
	return "_OTHER"
}
