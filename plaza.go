// Package plaza gives an existing service the social features its users expect, as
// typed packages over DynamoDB: follows, feeds, comments, reactions, notifications,
// messages, leaderboards and danmu. It owns the data and keeps it correct; the service
// keeps its transport.
//
// This package has the errors that all features share. Status gives each its HTTP status:
//
//	ErrInvalid                                    400
//	ErrForbidden                                  403
//	ErrNotFound                                   404
//	ErrConflict                                   409
//	ErrRemoved                                    410
//	ErrBusy, with a RetryAfter                    429
//	ErrBusy, ErrUnavailable, ErrUnknownOutcome    503: repeat later, with the same identity
//	ErrTable                                      500: the deployment is wrong
//	ErrCorrupt                                    500: repair the item it names
//
// Start with the packages follow and feed. They build on cursor and ids.
package plaza

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var (
	// ErrInvalid is returned when an argument is refused. Nothing was sent. An
	// InvalidError names the field.
	ErrInvalid = errors.New("plaza: invalid argument")

	// ErrNotFound is returned when the thing asked for does not exist.
	ErrNotFound = errors.New("plaza: not found")

	// ErrForbidden is returned when the caller may not do this to that item.
	ErrForbidden = errors.New("plaza: forbidden")

	// ErrConflict is returned when an identity was used before with another
	// payload. Nothing was written.
	ErrConflict = errors.New("plaza: identity already used for something else")

	// ErrRemoved is returned when a write is about something that was removed.
	// Nothing was written.
	ErrRemoved = errors.New("plaza: removed")

	// ErrBusy is returned when throttling or contention outlasted every attempt,
	// or when a read got no usable answer. The write that failed wrote nothing; what
	// the call wrote before is kept. Repeat the call later, with the same identity.
	ErrBusy = errors.New("plaza: busy")

	// ErrUnknownOutcome is returned when a write was sent and its answer was lost, and
	// nothing that was read later shows whether it was applied. Repeat the write with
	// the same identity: that is harmless. A call without an identity, such as Hide,
	// can be made again if it is still wanted.
	ErrUnknownOutcome = errors.New("plaza: outcome unknown")

	// ErrUnavailable is returned when this process lacks something that the call
	// needs, such as a machine number, zone files, credentials or a connection to
	// DynamoDB. The write that failed was never sent; what the call wrote before
	// is kept. Repeat the call later, with the same identity.
	ErrUnavailable = errors.New("plaza: unavailable")

	// ErrTable is returned when a table does not exist, has another schema than
	// the feature's Table function gives, or when permission is denied.
	ErrTable = errors.New("plaza: no such table, another key schema, or no permission")

	// ErrCorrupt is returned when a stored item cannot be decoded. A CorruptError
	// names it.
	ErrCorrupt = errors.New("plaza: stored item is damaged")
)

// InvalidError names a refused argument. It unwraps to ErrInvalid.
type InvalidError struct {
	Field  string // as the API spells it, e.g. "Follower"
	Reason string // e.g. "is empty"
}

func (e *InvalidError) Error() string { return "plaza: " + e.Field + " " + e.Reason }

func (e *InvalidError) Unwrap() error { return ErrInvalid }

// CorruptError names a damaged item. It unwraps to ErrCorrupt.
type CorruptError struct {
	Table  string
	PK, SK string // the item's key
	Reason string // e.g. "key has 5 bytes"
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("plaza: table %s: item %q / %q is damaged: %s", e.Table, e.PK, e.SK, e.Reason)
}

func (e *CorruptError) Unwrap() error { return ErrCorrupt }

// OlderError is returned for a write to something that was removed, if its ID or Op is
// older than the removal, but by no more than clocks may differ. The write may be a
// late repeat, or a new one from a slow clock. Nothing was written. If it is new,
// repeat it with an id made after RetryAfter. It unwraps to ErrRemoved.
type OlderError struct {
	RetryAfter time.Duration
}

func (e *OlderError) Error() string {
	return fmt.Sprintf("plaza: older than a removal: an id made in %v is not", e.RetryAfter)
}

func (e *OlderError) Unwrap() error { return ErrRemoved }

// ClockError reports that this process's clock and DynamoDB's may be more than 5 s apart.
// Either may be wrong. It unwraps to ErrUnavailable.
type ClockError struct {
	Table string
	Ahead time.Duration // of this process's clock, give or take 1.5 s; negative if it is behind
}

func (e *ClockError) Error() string {
	return fmt.Sprintf("plaza: table %s: this process's clock is %v ahead of DynamoDB's, and either may be wrong", e.Table, e.Ahead)
}

func (e *ClockError) Unwrap() error { return ErrUnavailable }

type operationKey struct{}

// WithOperation names the call that runs with ctx, such as "feed.Home.List". The
// outermost name stays, so the calls that a call makes count as its own. Plaza's
// calls name themselves.
func WithOperation(ctx context.Context, name string) context.Context {
	if Operation(ctx) != "" {
		return ctx
	}
	return context.WithValue(ctx, operationKey{}, name)
}

// Operation returns the name of the running call, or "" outside of one. The SDK passes
// its context to middleware and to the HTTP client, so meters, spans and logs can use it.
func Operation(ctx context.Context) string {
	name, _ := ctx.Value(operationKey{}).(string)
	return name
}
